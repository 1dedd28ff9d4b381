/** The lines above the hunks of a file in a unified diff, as git and diff write them. */

import { lookupTable } from "../../../base/lookup_table.ts";
import type { PatchLines } from "./patch_lines.ts";

/** The file that these lines describe. */
export interface FileHeader {
  /** The old path; `null` for a new file. */
  oldPath: string | null;
  /** The new path; `null` for a file that is removed. */
  newPath: string | null;
  /** The changes in them that are ignored, such as that of the mode. */
  ignored: string[];
}

const NO_FILE = "/dev/null";

/** Whether a file's part begins with the next line. */
export function startsFile(lines: PatchLines): boolean {
  const [first = "", second = ""] = [lines.peek(), lines.peek(1)];
  return first.startsWith("diff --git ") || first.startsWith("--- ") && second.startsWith("+++ ");
}

/** Reads the lines above the hunks. Throws `PatchSyntaxError`. */
export function parseFileHeader(lines: PatchLines): FileHeader {
  const isGit = lines.peek()!.startsWith("diff --git ");
  const given = isGit ? gitPaths(lines.take().slice("diff --git ".length)) : undefined;
  const header: FileHeader = {
    oldPath: given?.[0] ?? null,
    newPath: given?.[1] ?? null,
    ignored: [],
  };
  let hasPaths = given !== undefined;
  while (isGit && !lines.isDone) {
    const line = lines.peek()!;
    const [, word, rest = ""] =
      /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to|similarity index|dissimilarity index|index) (.*)$/
        .exec(line) ?? [];
    if (/^(Binary files |GIT binary patch)/.test(line)) {
      throw lines.fault("binary files cannot be patched; write the file another way");
    }
    if (word === undefined) break;
    if (word.startsWith("copy")) {
      throw lines.fault("copies are not supported; add the new file with its lines instead");
    }
    if (word === "new file mode") header.oldPath = null;
    if (word === "deleted file mode") header.newPath = null;
    if (word === "rename from") header.oldPath = pathIn(rest);
    if (word === "rename to") header.newPath = pathIn(rest);
    const isMode = word === "new mode" || word === "new file mode" && rest !== "100644";
    if (isMode) header.ignored.push(`its mode ${rest.trim()}`);
    lines.take();
  }
  if (lines.peek()?.startsWith("--- ") && lines.peek(1)?.startsWith("+++ ")) {
    const [oldName, newName] = [lines.take(), lines.take()].map((line) => pathIn(line.slice(4)));
    const [oldPath, newPath] = withoutPrefixes(oldName!, newName!);
    const isTwo = !isGit && oldPath !== null && newPath !== null && oldPath !== newPath;
    const path = isTwo ? commonPath(oldPath, newPath) : undefined;
    if (isTwo && path === undefined) {
      const why = `it is not clear whether "${oldPath}" or "${newPath}" is meant`;
      throw lines.fault(`${why}; give both lines the same path`);
    }
    [header.oldPath, header.newPath] = path === undefined ? [oldPath, newPath] : [path, path];
    hasPaths = true;
  }
  if (!hasPaths || header.oldPath === null && header.newPath === null) {
    throw lines.fault("the paths of the file are missing");
  }
  return header;
}

/** The paths of a line `diff --git a/PATH b/PATH`, which are equal unless other lines say more. */
function gitPaths(rest: string): [string, string] | undefined {
  const quoted = /^"a\/((?:[^"\\]|\\.)*)" "b\/((?:[^"\\]|\\.)*)"$/.exec(rest);
  if (quoted !== null) return [unquoted(quoted[1]!), unquoted(quoted[2]!)];
  // Without quotes a path with blanks is only clear if both are the same.
  const half = rest.slice(2, (rest.length - 1) / 2);
  if (rest === `a/${half} b/${half}`) return [half, half];
  const [, from, to] = /^a\/(\S+) b\/(\S+)$/.exec(rest) ?? [];
  return from === undefined || to === undefined ? undefined : [from, to];
}

/** The path of a line, without a time after a tab and without quotes. */
function pathIn(rest: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(rest);
  return quoted === null ? rest.replace(/\t.*$/, "").trimEnd() : unquoted(quoted[1]!);
}

/** Removes `a/` and `b/`, which git and models write, and turns `/dev/null` into `null`. */
function withoutPrefixes(oldName: string, newName: string): [string | null, string | null] {
  const isPrefixed = (name: string, prefix: string) =>
    name === NO_FILE || name.startsWith(prefix) && name.length > prefix.length;
  const both = isPrefixed(oldName, "a/") && isPrefixed(newName, "b/");
  const clean = (name: string) => name === NO_FILE ? null : both ? name.slice(2) : name;
  return [clean(oldName), clean(newName)];
}

/** The file that a diff of two files, which are not git's, is for. */
function commonPath(oldPath: string, newPath: string): string | undefined {
  if (oldPath === `${newPath}.orig`) return newPath;
  if (newPath === `${oldPath}.new`) return oldPath;
  const rest = newPath.replace(/^[^/]+\//, "");
  return rest !== newPath && oldPath.replace(/^[^/]+\//, "") === rest ? rest : undefined;
}

const ESCAPES = lookupTable<number>({
  ...{ a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 },
});

/** The path that git wrote in quotes, with escapes for bytes as in C. */
function unquoted(text: string): string {
  const bytes: number[] = [];
  for (const [part, octal, letter] of text.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(parseInt(octal, 8) & 0xff);
    else if (letter !== undefined) bytes.push(ESCAPES[letter] ?? letter.charCodeAt(0));
    else bytes.push(...new TextEncoder().encode(part));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
