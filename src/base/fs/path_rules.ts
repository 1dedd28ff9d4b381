/**
 * The rules of paths on each platform. Permissions compare paths as text, so every way to write a
 * path must lead to one text first. Inside the program a path of Windows has slashes and a large
 * drive letter: `C:/Users/me`.
 */

import { dirname } from "@std/path/posix/dirname";
import { resolve as resolvePosix } from "@std/path/posix/resolve";
import { CallError } from "../errors.ts";
import { quote } from "../text/quote.ts";

/** The rules of paths on one platform. */
export interface PathRules {
  /** The character between the directories of `PATH`. */
  readonly listSeparator: string;
  /** The ends that the name of a program may lack. The first one that exists wins. */
  readonly programEnds: readonly string[];
  /** The variable with the home directory of the user. */
  readonly homeVariable: string;
  /** Whether a path begins at a root. */
  isAbsolute(path: string): boolean;
  /** Whether a file with these bits of its mode is a program that can be started. */
  isProgram(path: string, mode: number): boolean;
  /** Whether the name of a program is a path, and not looked up in `PATH`. */
  isPath(name: string): boolean;
  /**
   * The absolute path that the parts lead to, from the last absolute part on. Throws
   * `invalid_arguments` for a path that can mean something else than a file of that name.
   */
  resolve(...parts: string[]): string;
  /** Whether a path is a directory or lies in it; both absolute and normalized. */
  isInside(path: string, directory: string): boolean;
  /** The root at the start of an absolute path, with a slash at its end. */
  rootOf(path: string): string;
  /** The directory above an absolute path; the path itself if it is a root. */
  parentOf(path: string): string;
  /** A path that the system reports, in the form that is used inside the program. */
  fromSystem(path: string): string;
}

/** The rules of Linux and macOS. */
export const posixPaths: PathRules = {
  listSeparator: ":",
  programEnds: [""],
  homeVariable: "HOME",
  isAbsolute: (path) => path.startsWith("/"),
  isProgram: (_path, mode) => (mode & 0o111) !== 0,
  isPath: (name) => name.includes("/"),
  resolve: resolvePosix,
  isInside: (path, directory) =>
    path === directory || directory === "/" || path.startsWith(`${directory}/`),
  rootOf: () => "/",
  parentOf: dirname,
  fromSystem: (path) => path,
};

/** The drive at the start of a path. */
const DRIVE = /^[A-Za-z]:/;
/** The root of an absolute path: a drive, or a share of another machine. */
const ROOT = /^([A-Za-z]:\/|\/\/[^/]+\/[^/]+(\/|$))/;
/**
 * The names of devices, also with blanks or a type after them. Windows counts the small digits 1 to
 * 3 too. Source: "Naming Files, Paths, and Namespaces" of the documentation of Windows.
 */
const DEVICE = /^(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[0-9\u00b9\u00b2\u00b3]) *(\.|:|$)/i;
// deno-lint-ignore no-control-regex -- Windows allows none of these in a name.
const FORBIDDEN = /[\u0000-\u001f<>"|?*]/;

/**
 * The rules of Windows. Letter case does not matter. Names that Windows changes or takes for
 * something else are refused: devices, streams of a file, and names that end with a dot or a blank.
 */
export const windowsPaths: PathRules = {
  listSeparator: ";",
  programEnds: ["", ".com", ".exe", ".bat", ".cmd"],
  homeVariable: "USERPROFILE",
  isAbsolute: (path) => ROOT.test(path.replaceAll("\\", "/")),
  isProgram: (path) => /\.(com|exe|bat|cmd)$/i.test(path),
  isPath: (name) => /[\\/:]/.test(name),
  resolve: resolveWindows,
  isInside(path, directory) {
    const [inner, outer] = [foldWindows(path), foldWindows(directory)];
    return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
  },
  rootOf: (path) => rootWithSlash(ROOT.exec(path)?.[0] ?? "/"),
  parentOf(path) {
    const root = windowsPaths.rootOf(path);
    return path.length <= root.length
      ? path
      : withRoot(root, dirname(`/${path.slice(root.length)}`));
  },
  fromSystem(path) {
    const plain = path.replace(/^\\\\\?\\UNC\\/i, "\\\\").replace(/^\\\\\?\\(?=[A-Za-z]:)/, "")
      .replaceAll("\\", "/");
    return plain.replace(DRIVE, (drive) => drive.toUpperCase());
  },
};

/** The rules of this platform. */
export const pathRules: PathRules = Deno.build.os === "windows" ? windowsPaths : posixPaths;

function resolveWindows(...parts: string[]): string {
  let [root, names]: [string, string[]] = ["", []];
  for (const part of parts) {
    const path = part.replaceAll("\\", "/");
    if (/^\/\/[.?](\/|$)|^\/\?\?\//.test(path)) throw refused(part, "it names a device");
    if (path.startsWith("//")) {
      throw refused(part, "it is on another machine; connect a drive and use its letter");
    }
    const drive = DRIVE.exec(path)?.[0] ?? "";
    const rest = path.slice(drive.length);
    const isRooted = rest.startsWith("/");
    if (drive !== "" && !isRooted) {
      throw refused(part, `it is relative to a directory of the drive; write ${drive}\\${rest}`);
    }
    if (drive !== "") root = `${drive.toUpperCase()}/`;
    if (isRooted) names = [];
    for (const name of rest.split("/")) {
      if (name === "" || name === ".") continue;
      if (name === "..") names.pop();
      else names.push(checked(name, part));
    }
  }
  if (root === "") throw refused(parts.join("\\"), "it has no drive");
  return root + names.join("/");
}

/** Returns a name of a path. Throws for one that Windows takes for something else. */
function checked(name: string, path: string): string {
  if (DEVICE.test(name)) throw refused(path, `${quote(name)} names a device`);
  if (name.includes(":")) throw refused(path, `${quote(name)} names a stream of a file`);
  if (FORBIDDEN.test(name)) {
    throw refused(path, `${quote(name)} has a character that Windows does not allow`);
  }
  if (/[. ]$/.test(name)) {
    throw refused(path, `Windows drops the dot or blank at the end of ${quote(name)}`);
  }
  return name;
}

function refused(path: string, why: string): CallError {
  return new CallError("invalid_arguments", `Cannot use the path ${quote(path, 4096)}: ${why}`);
}

function rootWithSlash(root: string): string {
  return root.endsWith("/") ? root : `${root}/`;
}

function withRoot(root: string, rest: string): string {
  return root + rest.slice(1);
}

/** A path in the form in which NTFS compares it: each letter by itself in upper case. */
function foldWindows(path: string): string {
  const plain = path.replaceAll("\\", "/");
  const whole = ROOT.test(plain) && plain.endsWith("/") && !/^[A-Za-z]:\/$/.test(plain)
    ? plain.slice(0, -1)
    : plain;
  return Array.from(whole, (letter) => {
    const large = letter.toUpperCase();
    return large.length === letter.length ? large : letter;
  }).join("");
}
