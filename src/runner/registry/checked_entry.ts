import { isObject } from "../../base/json/is_object.ts";
import { frozenCopy } from "../../base/frozen_copy.ts";
import { copyJson } from "../../base/json/copy_json.ts";
import { quote } from "../../base/text/quote.ts";
import type { RegistryEntry, ToolMetadata } from "./registered_tool.ts";
import { InvalidToolError } from "./registry_errors.ts";
import { messageOf, type RegistryListeners } from "./registry_listeners.ts";

/** A copy of a valid entry that nobody can change. Throws {@link InvalidToolError}. */
export function checkedEntry(given: RegistryEntry): RegistryEntry {
  const problems = entryProblems(given);
  if (problems.length > 0) {
    throw new InvalidToolError(isObject(given) ? given.name : undefined, problems);
  }
  // An instance of a class has its functions in its prototype.
  const functions = (["load", "metadata"] as const).filter((key) => given[key] !== undefined);
  return frozenCopy(given, [...new Set([...Object.keys(given), ...functions])]);
}

function entryProblems(given: unknown): string[] {
  if (!isObject(given)) return ["it must be an entry; entryOf makes one of a definition"];
  const { name, aliases, load, metadata } = given;
  const isDefinition = load === undefined && (given["run"] ?? given["inputSchema"]) !== undefined;
  if (isDefinition) return ["it is a definition; register entryOf(definition)"];
  const areNames = Array.isArray(aliases) && aliases.every((each) => typeof each === "string");
  return [
    ...(typeof name === "string" ? [] : ['the field "name" must be a string']),
    ...(areNames ? [] : ['the field "aliases" must be a list of strings']),
    ...(typeof load === "function" ? [] : ['the field "load" must be a function']),
    ...(metadata === undefined || typeof metadata === "function"
      ? []
      : ['the field "metadata" must be a function']),
  ];
}

/** Copies of the declarations of the tools that are not hidden. Reports each that cannot be loaded. */
export async function listedDeclarations(
  entries: readonly RegistryEntry[],
  listeners: Pick<RegistryListeners, "onFault">,
): Promise<ToolMetadata[]> {
  const found = await Promise.all(entries.map((entry) => declarationOf(entry, listeners)));
  return found.filter((tool) => tool !== undefined).filter((tool) =>
    tool.description !== undefined
  );
}

async function declarationOf(
  entry: RegistryEntry,
  { onFault }: Pick<RegistryListeners, "onFault">,
): Promise<ToolMetadata | undefined> {
  try {
    const metadata = await entry.metadata?.() ?? (await entry.load()).metadata;
    if (isObject(metadata) && typeof metadata.name === "string") return copyJson(metadata);
    throw new TypeError("its function load() returns no declaration");
  } catch (error) {
    onFault(`The tool ${quote(entry.name, 200)} is not listed: ${messageOf(error)}`);
    return undefined;
  }
}
