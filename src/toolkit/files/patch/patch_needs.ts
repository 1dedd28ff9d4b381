import type { Permission } from "../../../runner/registry/define.ts";
import { checkFilePath } from "../check_path.ts";
import { parsePatch } from "./parse_patch.ts";
import type { Patch } from "./patch.ts";

/**
 * The permissions of a patch: to read and to write each file that it names. Directories above new
 * files are made. Throws for a text that is no patch, and for a path that no file can have.
 */
export function patchNeeds(text: string): Permission[] {
  const { files } = parsePatch(text);
  const made = new Set(
    files.flatMap((file) =>
      file.kind === "add" ? file.path : file.kind === "update" ? file.moveTo ?? [] : []
    ),
  );
  return [...new Set(files.flatMap(pathsOf))].flatMap((path): Permission[] => [
    { name: "read", path: checkFilePath(path) },
    { name: "write", path, ...(made.has(path) && { directoriesIn: "/" }) },
  ]);
}

/** The paths that a part of a patch names. */
export function pathsOf(file: Patch["files"][number]): string[] {
  return file.kind === "update" && file.moveTo !== undefined
    ? [file.path, file.moveTo]
    : [file.path];
}
