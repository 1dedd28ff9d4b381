/** The tools of a directory in the catalogue. */

import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import type { Program } from "../program.ts";
import type { RegisteredTool, RegistryEntry } from "../registry/registered_tool.ts";
import { givesWay } from "../registry/gives_way.ts";
import { namesTool } from "../registry/name_pattern.ts";
import type { Registry } from "../registry/registry.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import { directoryTool, recordOf, type ToolPlace } from "./directory_tool.ts";
import { faultLines } from "./fault.ts";
import { type FaultyTool, hashOf, readKept, writeKept } from "./tool_record.ts";
import { type ToolFile, TrustedDirectory } from "./trusted_files.ts";

/** The tool of a file, or its errors, as long as the identity of the file is the same. */
type Known =
  & Pick<ToolFile, "identity">
  & ({ name: string; aliases: readonly string[] } | FaultyTool);

/**
 * Adds the tools of a directory to the catalogue. Returns the problems of its files, each with its
 * place. Throws `unavailable` if a call could write to the directory. A built-in tool whose name a
 * file uses too is disabled, because the name is ambiguous.
 */
export async function addToolsDirectory(
  registry: Registry,
  { path, grants, program }: { path: string; grants: Grants; program: Program },
): Promise<string[]> {
  const directory = new TrustedDirectory(path, grants);
  const problems: string[] = [];
  for (const [file, known] of await knownFiles(directory, program)) {
    if ("faults" in known) problems.push(...faultLines(path, known.faults));
    const { name = nameOf(file) } = known;
    const aliases = "aliases" in known ? known.aliases : [];
    // A tool of a group gives way, so its name is not ambiguous.
    const other = registry.all().find((tool) =>
      [name, ...aliases].some((each) => namesTool(each, tool) && !givesWay(tool, each))
    );
    if (other === undefined) {
      registry.register(entryOf(name, aliases, { directory, file, program }));
    } else {
      const names = `${quote(`${path}/${file}`, 4096)} and ${sourceOf(other)} both have the name ${
        quote(name)
      }`;
      problems.push(`${names}; rename one of them`);
      registry.disable(other.name, `${names}; rename one of them`);
    }
  }
  return problems;
}

/** The entry of a tool. A file that cannot be used has one too, so that a call says why. */
function entryOf(
  name: string,
  aliases: readonly string[],
  place: ToolPlace,
): RegistryEntry & { path: string } {
  let tool: Promise<RegisteredTool> | undefined;
  const load = () => tool ??= directoryTool(name, place);
  const metadata = () =>
    load().then((found) => found.metadata, async (error) => {
      if (!(error instanceof CallError)) throw error;
      // An invalid tool must not end a listing. Its problems are reported beside the list.
      const { hiddenMetadata } = await import("../command_tools/command_tool.ts");
      return hiddenMetadata(name);
    });
  return { name, aliases, load, metadata, path: `${place.directory.path}/${place.file}` };
}

/** Where a tool comes from, in words. */
function sourceOf(entry: RegistryEntry): string {
  return "path" in entry
    ? quote(String(entry.path), 4096)
    : `the built-in tool ${quote(entry.name)}`;
}

/** The name of the tool that a file without a usable declaration probably has. */
function nameOf(file: string): string {
  return file.replace(/\.ts$/, "");
}

/** The tools of the files of a directory. Only new and changed files are read. */
async function knownFiles(
  directory: TrustedDirectory,
  program: Program,
): Promise<[string, Known][]> {
  const files = directory.files();
  if (files.length === 0) return [];
  const index = `index-${await hashOf(directory.path)}`;
  const kept = readKept(index);
  const before = isObject(kept) ? kept as Record<string, Known> : {};
  let isChanged = Object.keys(before).length !== files.length;
  const known: [string, Known][] = [];
  for (const { name: file, identity } of files) {
    const found = Object.hasOwn(before, file) ? before[file] : undefined;
    if (found?.identity === identity) {
      known.push([file, found]);
      continue;
    }
    const learned = await learn({ directory, file, program }, identity);
    known.push([file, learned]);
    isChanged ||= !("retry" in learned) || learned.retry !== "always";
  }
  if (isChanged) {
    const lasting = known.filter(([, each]) => !("retry" in each) || each.retry !== "always");
    await writeKept(index, Object.fromEntries(lasting));
  }
  return known;
}

/** Reads a file. `before` is the identity that it had. */
async function learn(place: ToolPlace, before: string): Promise<Known> {
  const record = await recordOf(place);
  // Another process may have changed it meanwhile. Then the next call reads it again.
  const identity = place.directory.identityOf(place.file) === before ? before : "";
  if (!("tool" in record)) return { identity, ...record };
  const { name, aliases } = record.tool.metadata;
  return { identity, name, aliases };
}
