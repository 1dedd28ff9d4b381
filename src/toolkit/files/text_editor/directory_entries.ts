import { plural } from "../../../base/text/amounts.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { systemError } from "../../../base/fs/system_error.ts";
import type { CallFile } from "../call_file.ts";

const MAX_ENTRIES = 1000;
/** The levels below the directory that are listed. */
const LEVELS = 2;

/** The entries of a directory and of the directories in it. */
export interface DirectoryEntries {
  /** The paths below the directory, each directory before what is in it. A directory ends in `/`. */
  paths: string[];
  /** Notes on what is not shown. */
  notes: string[];
}

/**
 * Lists a directory and the directories in it, sorted by name. Hidden entries, those of `omitted`,
 * and those that the call may not read are left out. No symlink is followed. Returns at most 1,000
 * entries. Throws a readable error.
 */
export function directoryEntries(
  directory: CallFile,
  { omitted = [] }: { omitted?: readonly string[] } = {},
): DirectoryEntries {
  const paths: string[] = [];
  let [unreadable, more] = [0, 0];
  const visit = (path: string, prefix: string, level: number) => {
    for (const { name, isDirectory } of namesIn(path, directory)) {
      if (name.startsWith(".") || omitted.includes(name)) continue;
      const full = `${path === "/" ? "" : path}/${name}`;
      if (!directory.mayRead(full)) {
        unreadable++;
        continue;
      }
      if (paths.length < MAX_ENTRIES) paths.push(`${prefix}${name}${isDirectory ? "/" : ""}`);
      else more++;
      if (isDirectory && level < LEVELS) visit(full, `${prefix}${name}/`, level + 1);
    }
  };
  visit(directory.path, "", 1);
  const notes = [
    ...(more > 0 ? [`${plural(more, "more path")} not shown`] : []),
    ...(unreadable > 0 ? [`${plural(unreadable, "name")} not shown: may not be read`] : []),
  ];
  return { paths, notes: notes.map((note) => `[${note}]`) };
}

/** A path in a list, in one line. */
export function listedPath(path: string): string {
  return escapeControls(path).replaceAll("\n", "\\u000a");
}

function namesIn(path: string, directory: CallFile): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(path)].sort((a, b) => a.name < b.name ? -1 : 1);
  } catch (error) {
    // A directory that disappears meanwhile, or that nobody may read, has no entries.
    if (path !== directory.path) return [];
    throw systemError(error, directory);
  }
}
