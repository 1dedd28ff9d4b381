import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import { builtInBundles } from "../registry/bundles.ts";
import { isPattern, namesTool, toolNameFault } from "../registry/name_pattern.ts";
import type { RegistryEntry } from "../registry/registered_tool.ts";
import type { ConfigFault } from "./config_faults.ts";
import type { ConfigFile } from "./config_file.ts";
import { pointerOf, valueAt } from "../../base/json/json_pointer.ts";

/** The lists that have names of tools. */
const LISTS = { tools: ["enabled", "disabled"], bundle: ["required", "optional"] };

/**
 * The errors that the schema cannot find: unknown names of tools, and patterns where a single tool
 * is required. Values that break the schema are ignored.
 */
export function nameFaults(
  value: Record<string, unknown>,
  tools: readonly RegistryEntry[],
): ConfigFault[] {
  const lists = [
    ...LISTS.tools.map((key) => ["tools", key]),
    ...bundlesOf(value).flatMap((name) => LISTS.bundle.map((key) => ["bundles", name, key])),
  ];
  const listed = lists.flatMap((tokens) =>
    namesAt(value, tokens).flatMap((name, index) => {
      const isOne = tokens.at(-1) !== "required" || !isPattern(name);
      const message = isOne ? toolNameFault(name, tools) : `${quote(name)} must name one tool`;
      return message === undefined ? [] : [{ path: pointerOf([...tokens, `${index}`]), message }];
    })
  );
  const policies = isObject(value["policy"]) ? Object.keys(value["policy"]) : [];
  const named = policies.flatMap((name): ConfigFault[] => {
    const message = toolNameFault(name, tools);
    return message === undefined
      ? []
      : [{ path: pointerOf(["policy", name]), message, ofKey: true }];
  });
  return [...listed, ...named];
}

/** Reports bundles that have the name of a built-in bundle. They are ignored. */
export function bundleNameFaults(
  value: Record<string, unknown>,
  tools: readonly RegistryEntry[],
): ConfigFault[] {
  const builtIn = builtInBundles(tools).map(({ name }) => name);
  return bundlesOf(value).filter((name) => builtIn.includes(name)).map((name): ConfigFault => ({
    path: pointerOf(["bundles", name]),
    message: "is a built-in bundle and takes precedence; choose another name",
    ofKey: true,
  }));
}

type NamedConfig = Pick<ConfigFile, "path" | "value">;

/** Tools that bundles of a file require, and that one of the files disables. */
export function disabledFaults(
  value: Record<string, unknown>,
  { files, tools }: { files: readonly NamedConfig[]; tools: readonly RegistryEntry[] },
): ConfigFault[] {
  return bundlesOf(value).flatMap((bundle) =>
    namesAt(value, ["bundles", bundle, "required"]).flatMap((name, index) => {
      const tool = tools.find((each) => !isPattern(name) && namesTool(name, each));
      const by = tool && disablingReason(tool, files);
      if (by === undefined) return [];
      const path = pointerOf(["bundles", bundle, "required", `${index}`]);
      return [{ path, message: `the required tool ${quote(name)} is disabled: ${by}` }];
    })
  );
}

function disablingReason(tool: RegistryEntry, files: readonly NamedConfig[]): string | undefined {
  const names = (list: readonly string[]) => list.some((name) => namesTool(name, tool));
  for (const { path, value } of files) {
    const where = `of ${quote(path, 4096)}`;
    const isLimited = Array.isArray(valueAt(value, ["tools", "enabled"]));
    if (isLimited && !names(namesAt(value, ["tools", "enabled"]))) {
      return `"tools.enabled" ${where} does not name it`;
    }
    if (names(namesAt(value, ["tools", "disabled"]))) return `"tools.disabled" ${where} names it`;
  }
  return undefined;
}

function bundlesOf({ bundles }: Record<string, unknown>): string[] {
  return isObject(bundles) ? Object.keys(bundles) : [];
}

function namesAt(value: unknown, tokens: readonly string[]): string[] {
  const names = valueAt(value, tokens);
  return Array.isArray(names) && names.every((name) => typeof name === "string") ? names : [];
}
