/** The tools of a directory in the catalogue. */

import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { Program } from "../program.ts";
import { givesWay } from "../registry/gives_way.ts";
import type { RegisteredTool, RegistryEntry } from "../registry/registered_tool.ts";
import type { Registry } from "../registry/registry.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import { DirectoryIndex, type KnownFile, type KnownFiles } from "./directory_index.ts";
import { directoryTool, type ToolPlace } from "./directory_tool.ts";
import { faultLines } from "./fault.ts";
import { TrustedDirectory } from "./trusted_files.ts";

/** The result of adding the tools of a directory. */
export interface AddedTools {
  /** The problems of its files, each with its place. */
  problems: readonly string[];
  /** Looks at each file, if that was left out. */
  refreshTools?(): Promise<void>;
}

/** An entry of a tool, and the path of its file. */
type DirectoryEntry = RegistryEntry & { path: string };

/**
 * Adds the tools of a directory to the catalogue. With `isOneCall` it looks at no file if a former
 * look is still valid. Throws `unavailable` if a call could write to the directory. A built-in tool
 * whose name a file uses too is disabled, because the name is ambiguous.
 */
export async function addToolsDirectory(
  registry: Registry,
  { path, grants, program, isOneCall }: {
    path: string;
    grants: Grants;
    program: Program;
    isOneCall: boolean;
  },
): Promise<AddedTools> {
  const place = { directory: new TrustedDirectory(path, grants), program };
  const index = await DirectoryIndex.of(place);
  const known = isOneCall ? index.unchanged() : undefined;
  if (known === undefined) return { problems: await addAll() };
  const own = new Set<RegistryEntry>();
  registry.registerLater(() => {
    const entries = known().map(([file, each]) => entryOf(each, { ...place, file }));
    for (const entry of entries) own.add(entry);
    return entries;
  });
  let again: Promise<void> | undefined;
  return { problems: [], refreshTools: () => again ??= lookAgain() };

  async function lookAgain(): Promise<void> {
    for (const entry of registry.all()) if (own.has(entry)) registry.unregister(entry.name);
    await addAll();
  }

  async function addAll(): Promise<string[]> {
    const files = await index.look();
    const { entries, ambiguous } = entriesOf(files, place, registry);
    await index.keep(files, { isFinal: ambiguous.length === 0 });
    for (const entry of entries) registry.register(entry);
    for (const { name, why } of ambiguous) registry.disable(name, why);
    return [
      ...files.flatMap(([, each]) => "faults" in each ? faultLines(path, each.faults) : []),
      ...ambiguous.map(({ why }) => why),
    ];
  }
}

/** No flag was given. */
const NO_GRANTS: Grants = { all: false, allow: {}, deny: {} };

/**
 * The tools of a directory, by its files. The list is empty if calls cannot use the directory.
 */
export async function toolsOfDirectory(path: string, program: Program): Promise<RegistryEntry[]> {
  try {
    const place = { directory: new TrustedDirectory(path, NO_GRANTS), program };
    const files = await (await DirectoryIndex.of(place)).look();
    return files.map(([file, known]) => entryOf(known, { ...place, file }));
  } catch (error) {
    if (error instanceof CallError) return [];
    throw error;
  }
}

/** The entries of files, and the tools that have a name of one of these files. */
function entriesOf(
  files: KnownFiles,
  place: Omit<ToolPlace, "file">,
  registry: Registry,
): { entries: DirectoryEntry[]; ambiguous: { name: string; why: string }[] } {
  const taken = new Map<string, RegistryEntry>(
    registry.all().flatMap((tool) =>
      [tool.name, ...tool.aliases].filter((name) => !givesWay(tool, name))
        .map((name) => [name, tool])
    ),
  );
  const entries: DirectoryEntry[] = [];
  const ambiguous: { name: string; why: string }[] = [];
  for (const [file, known] of files) {
    const entry = entryOf(known, { ...place, file });
    const names = [entry.name, ...entry.aliases];
    const other = names.map((name) => taken.get(name)).find((each) => each !== undefined);
    if (other === undefined) {
      entries.push(entry);
      for (const name of names) taken.set(name, entry);
    } else {
      const both = `${quote(entry.path, 4096)} and ${sourceOf(other)} both have the name`;
      const why = `${both} ${quote(entry.name)}; rename one of them`;
      ambiguous.push({ name: other.name, why });
    }
  }
  return { entries, ambiguous };
}

/** The entry of a tool. A file that cannot be used has one too, so that a call says why. */
function entryOf(known: KnownFile, place: ToolPlace): DirectoryEntry {
  const { file } = place;
  // A file without a usable declaration probably has a tool of its name.
  const { name = file.replace(/\.ts$/, "") } = known;
  const aliases = "aliases" in known ? known.aliases : [];
  let tool: Promise<RegisteredTool> | undefined;
  const load = () => tool ??= directoryTool(name, place);
  const metadata = () =>
    load().then((found) => found.metadata, async (error) => {
      if (!(error instanceof CallError)) throw error;
      // An invalid tool must not end a listing. Its problems are reported beside the list.
      const { hiddenMetadata } = await import("../command_tools/command_tool.ts");
      return hiddenMetadata(name);
    });
  return { name, aliases, load, metadata, path: `${place.directory.path}/${file}` };
}

/** Where a built-in tool or one of a directory comes from, in words. */
export function sourceOf(entry: RegistryEntry): string {
  return "path" in entry
    ? quote(String(entry.path), 4096)
    : `the built-in tool ${quote(entry.name)}`;
}
