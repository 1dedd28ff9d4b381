import { quotePath } from "../../base/text/quote.ts";
import { otherFormHint } from "../../base/fs/other_form.ts";
import { cannot } from "../../base/fs/system_error.ts";
import { editDistance, similarNames } from "../../base/text/nearest.ts";
import type { CallFile } from "./call_file.ts";

const MAX_SIBLINGS = 20_000;
const MAX_SIMILAR = 3;

/**
 * The error for a file that does not exist. It names up to three siblings with similar names, or
 * the directory if that is missing too, as far as the call may read them. If the file exists under a
 * name in another Unicode form, it names that one only.
 */
export function missingError(file: CallFile): Error {
  const missing = `${cannot(file)}: no such ${file.action === "list" ? "directory" : "file"}`;
  const other = otherFormHint(file, (path) => file.mayRead(path));
  if (other !== undefined) {
    const cause = { systemError: "ENOENT", near: [other.given] };
    return new Error(missing + other.hint, { cause });
  }
  const { directory } = split(file.given.replace(/\/+$/, ""));
  // A sibling is written as the caller wrote the path.
  const near = similarSiblings(file).map((name) => directory + name);
  const hint = near.length > 0
    ? `; similar: ${near.map(quotePath).join(", ")}`
    : directoryHint(file);
  return new Error(missing + hint, { cause: { systemError: "ENOENT", near } });
}

function directoryHint({ path, given, mayRead }: CallFile): string {
  const directory = path.slice(0, path.lastIndexOf("/")) || "/";
  const givenDirectory = given.slice(0, given.lastIndexOf("/"));
  if (givenDirectory === "" || !mayRead(directory)) return "";
  try {
    Deno.statSync(directory);
    return "";
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return "";
    return `; its directory ${quotePath(givenDirectory)} does not exist either`;
  }
}

/**
 * The names in the directory of a missing file that were probably meant, the most similar first.
 */
function similarSiblings({ path, mayRead }: CallFile): string[] {
  const { directory, name } = split(path);
  const readable = directory === "/" ? "/" : directory.slice(0, -1);
  if (!mayRead(readable)) return [];
  const similar = similarNames(name, namesIn(readable).sort(), {
    maxDistance: Math.max(2, Math.floor(folded(name).length * 0.4)),
    fold: folded,
    distance: distanceBetween,
  });
  return similar.filter((name) => mayRead(directory + name)).slice(0, MAX_SIMILAR);
}

/** A path as its directory, with the slash, and its name. */
function split(path: string): { directory: string; name: string } {
  const at = path.lastIndexOf("/") + 1;
  return { directory: path.slice(0, at), name: path.slice(at) };
}

function namesIn(directory: string): string[] {
  const names: string[] = [];
  try {
    for (const entry of Deno.readDirSync(directory)) {
      if (names.push(entry.name) === MAX_SIBLINGS) break;
    }
  } catch {
    // A directory that cannot be read gives no suggestions.
  }
  return names;
}

function folded(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** The number of edits between two names; another extension counts as two edits at most. */
function distanceBetween(wanted: string, name: string): number {
  const edits = editDistance(wanted, name);
  return stem(wanted) === stem(name) ? Math.min(edits, 2) : edits;
}

function stem(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}
