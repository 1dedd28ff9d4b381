import { isThere } from "./paths.ts";
import { PROTECTED_ENDS, PROTECTED_NAMES, REPOSITORY_NAMES } from "./protected_names.ts";

/** A name of the list, by the parts of its path. */
export interface ProtectedName {
  /** Its parts, in lower case. */
  parts: readonly string[];
  /** Whether it means a directory with all its contents. */
  isFolder: boolean;
  /** True if the name is an absolute path. */
  isAbsolute: boolean;
}

let byFirstPart: ReadonlyMap<string, readonly ProtectedName[]> | undefined;

/** The names of the list whose first part, in lower case, is this: few begin like any given path. */
export function protectedByFirstPart(part: string): readonly ProtectedName[] {
  // Made when it is asked for first: a call that only reads asks for none.
  byFirstPart ??= Map.groupBy(PROTECTED_NAMES.map(parsed), ({ parts }) => parts[0]!);
  return byFirstPart.get(part) ?? [];
}

function parsed(name: string): ProtectedName {
  const parts = name.split("/").filter((part) => part !== "");
  return { parts, isFolder: name.endsWith("/"), isAbsolute: name.startsWith("/") };
}

/**
 * The innermost protected file or directory that `path`, which is real, is or lies in. A write
 * grant of a directory above it does not cover it; only a grant that names it does.
 */
export function protectedPath(path: string): string | undefined {
  const parts = path.split("/").slice(1);
  const folded = parts.map(foldedName);
  const upTo = (end: number) => `/${parts.slice(0, end).join("/")}`;
  let innermost = 0;
  for (const [at, part] of folded.entries()) {
    for (const name of protectedByFirstPart(part)) {
      const end = at + name.parts.length;
      // A file name of the list in the middle of a path is the name of some directory.
      const isMeant = (name.isFolder || end === parts.length) && (!name.isAbsolute || at === 0);
      if (isMeant && name.parts.every((each, index) => each === folded[at + index])) {
        innermost = Math.max(innermost, end);
      }
    }
    if (REPOSITORY_NAMES.includes(part) && isRepositoryWith(upTo(at), part)) {
      innermost = Math.max(innermost, at + 1);
    }
  }
  const last = folded.at(-1)!;
  if (PROTECTED_ENDS.some((end) => last.endsWith(end))) return path;
  return innermost === 0 ? undefined : upTo(innermost);
}

/**
 * A name as it is compared by file systems that ignore case, and on macOS also invisible
 * characters. There `.Git` is another spelling of `.git`.
 */
export function foldedName(name: string): string {
  // Nearly every name ends here; the expression for all of Unicode costs a call 0.5 ms the first
  // time.
  if (!/[^ -~]/.test(name)) return name.toLowerCase();
  return name.replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "").normalize("NFKC")
    .toUpperCase().toLowerCase();
}

/**
 * Whether git would take `folder` for a repository once `added` is in it. A repository needs no
 * special name, and can also be made in steps.
 */
function isRepositoryWith(folder: string, added: string): boolean {
  const has = (name: string) => name.toLowerCase() === added || isThere(`${folder}/${name}`);
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}
