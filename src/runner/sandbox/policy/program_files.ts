import { basename } from "@std/path/posix/basename";
import { dirname } from "@std/path/posix/dirname";
import { languageSettings } from "../linux/base_rights.ts";
import type { Grants } from "./grants.ts";
import { expandExcept } from "./openings.ts";
import { isKernelPath, realPaths } from "./paths.ts";
import {
  filesOf,
  findProgram,
  findPrograms,
  type FoundProgram,
  librariesBeside,
  programFolders,
} from "./programs.ts";
import type { Scope } from "./scope.ts";
import { trustedPaths } from "./trust.ts";

/** The files that flags let programs start, and the files that these need to read; real paths. */
export interface ProgramFiles {
  /** Files, folders of programs, and the libraries beside them. */
  read: string[];
  /** Files that may be executed. */
  execute: string[];
}

/**
 * The files that `--allow-run` lets programs start. A file that a call may write may not be
 * executed, unless a flag names it by its path.
 */
export function programFiles(
  { all, allow, deny }: Grants,
  temporary: string,
): ProgramFiles {
  const writable = [temporary, ...(Array.isArray(allow.write) ? allow.write : [])];
  const denied = deniedPrograms(deny.run);
  if (all || allow.run === true) {
    // A file must be readable to be executed. So all of PATH is readable, and of the rest what is
    // granted.
    const folders = trustedPaths(programFolders(), writable);
    const read = realPaths([...folders, ...librariesBeside(folders, writable)]);
    const granted = all || allow.read === true ? ["/"] : allow.read ?? [];
    return {
      read: [...read, ...languageSettings(writable)],
      execute: expandExcept([...read, ...granted], [...denied, ...writable]).open,
    };
  }
  const named = (allow.run ?? []).map((name) => ({ name, files: programOf(name, writable) }));
  const files = named.flatMap((each) => each.files);
  const byPath = named.filter(({ name }) => name.startsWith("/")).flatMap((each) => each.files);
  const folders = files.flatMap(({ found, path }) => [dirname(found), dirname(path)]);
  const libraries = realPaths(librariesBeside(folders, writable));
  const names = files.map(({ found }) => basename(found));
  return {
    read: [...files.map(({ path }) => path), ...libraries, ...languageSettings(writable, names)],
    execute: [
      ...expandExcept(files.map(({ path }) => path).concat(libraries), [...denied, ...writable])
        .open,
      ...expandExcept(byPath.map(({ path }) => path), denied).open,
    ],
  };
}

/** The files of a program, or the folder of programs, that a flag names. */
function programOf(name: string, writable: Scope): FoundProgram[] {
  const program = findProgram(name, writable);
  if (program !== undefined) return filesOf(program, writable);
  const isFolder = name.startsWith("/") && name !== "/" && !isKernelPath(name);
  return isFolder ? [{ found: name, path: name }] : [];
}

/** The real paths that `--deny-run` names. */
export function deniedPrograms(deny: Scope | undefined): string[] {
  if (deny === true) return ["/"];
  return (deny ?? []).flatMap((name) => name.startsWith("/") ? [name] : findPrograms(name));
}
