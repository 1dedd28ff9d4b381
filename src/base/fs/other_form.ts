import { quotePath } from "../text/quote.ts";
import { lookAt } from "./path_status.ts";
import { cannot, type FileTarget } from "./system_error.ts";

/** A path, and as the caller wrote it. */
type NamedPath = Pick<FileTarget, "path" | "given">;

/**
 * The end of the error for a missing file that exists under names in another Unicode form, and may be
 * read: which path to use. `undefined` for any other file.
 */
export function otherFormHint(
  target: NamedPath,
  mayRead: (path: string) => boolean,
): { hint: string; given: string } | undefined {
  const other = otherForm(target);
  if (other === undefined || !mayRead(other.path) || lookAt(other.path) === undefined) {
    return undefined;
  }
  const hint = `; its name exists in another Unicode form; use ${quotePath(other.given)}`;
  return { hint, given: other.given };
}

/**
 * A file whose names differ from those of `target` only in their Unicode form: `é` is one character
 * or two. Its names are those that exist; missing names at the end stay as they are. Returns
 * `undefined` if no name differs.
 */
export function otherForm<Named extends NamedPath>(target: Named): Named | undefined {
  const { path, given } = target;
  if (path.normalize("NFC") === path && path.normalize("NFD") === path) return undefined;
  let found = "";
  const names = path.split("/").slice(1);
  for (const [index, name] of names.entries()) {
    const same = formsOf(name).find((form) => lookAt(`${found}/${form}`) !== undefined);
    found += `/${same ?? names.slice(index).join("/")}`;
    if (same === undefined) break;
  }
  if (found === path) return undefined;
  // The caller sees the path as it was given, relative or not.
  const start = path.slice(0, path.length - given.length);
  const isEnd = start + given === path && found.startsWith(start);
  return { ...target, path: found, given: isEnd ? found.slice(start.length) : found };
}

/** Throws a readable error if a new file would get a name that looks like one that exists. */
export function refuseOtherForm(target: FileTarget): void {
  const other = otherForm(target);
  if (other === undefined) return;
  const why = "a name in it exists in another Unicode form, and a second one would look alike";
  throw new Error(`${cannot(target)}: ${why}; use ${quotePath(other.given)}`);
}

/** The forms of a name, its own first. */
function formsOf(name: string): string[] {
  return [name, name.normalize("NFC"), name.normalize("NFD")];
}
