import { dirname } from "@std/path/posix/dirname";
import { basename } from "@std/path/posix/basename";
import { join } from "@std/path/posix/join";
import { openRegular } from "../regular_file.ts";
import type { Scope } from "./scope.ts";
import { isInside, isKernelPath, placesOf } from "./paths.ts";

/** Where programs are looked for when the caller has no PATH. */
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

let folders: string[] | undefined;

/**
 * The absolute folders of `PATH`, in order: a relative one could be anyone's. Read
 * once, for the time when variables can no longer be read.
 */
export function programFolders(): readonly string[] {
  return folders ??= (Deno.env.get("PATH") ?? DEFAULT_PATH).split(":")
    .filter((path) => path.startsWith("/") && path !== "/" && !isKernelPath(path));
}

/** A program as it was found, and the file that it really is. */
export interface Program {
  /** The path it was found by. */
  found: string;
  /** Its real path. */
  path: string;
}

/**
 * The program that `name` stands for: a path, or a name that is looked up in
 * PATH. One that lies in a folder of `writable`, which a call could have put
 * there, is passed over, unless it is named by its path.
 */
export function findProgram(name: string, writable: Scope | undefined): Program | undefined {
  const named = name.includes("/");
  const candidates = named ? [name] : programFolders().map((folder) => join(folder, name));
  for (const found of candidates) {
    const path = realProgram(found);
    if (path !== undefined && (named || !isWritable(path, writable))) return { found, path };
  }
  return undefined;
}

/** All the programs that a name stands for: a path's one, and for a name each in PATH. */
export function findPrograms(name: string): string[] {
  const named = name.includes("/");
  return (named ? [name] : programFolders().map((folder) => join(folder, name)))
    .flatMap((path) => realProgram(path) ?? []);
}

/** Whether a named write grant covers `path`. One of everything is none: nothing would be left. */
export function isWritable(path: string, writable: Scope | undefined): boolean {
  return Array.isArray(writable) && writable.some((folder) => isInside(path, folder));
}

/** What has been looked up: a call asks for the same few programs again and again. */
const known = new Map<string, string | undefined>();

function realProgram(path: string): string | undefined {
  if (!known.has(path)) known.set(path, lookUp(path));
  return known.get(path);
}

function lookUp(path: string): string | undefined {
  const { stackTraceLimit } = Error;
  // Most folders have no such program, and nobody reads where in this file that was found.
  Error.stackTraceLimit = 0;
  try {
    const real = Deno.realPathSync(path);
    const { isFile, mode } = Deno.statSync(real);
    return isFile && ((mode ?? 0) & 0o111) !== 0 ? real : undefined;
  } catch {
    return undefined;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The most links of script to interpreter that are followed, as in the kernel. */
const MAX_INTERPRETERS = 5;

/**
 * The files that have to be executable for a program to start: its own, and for
 * a script its interpreter's, also when that is looked up by `env`. The first line
 * of a script that a call may write names nothing: it could be any file.
 */
export function filesOf(program: Program, writable: Scope | undefined): Program[] {
  const files = [program];
  for (let at = 0; at < files.length && at < MAX_INTERPRETERS; at++) {
    const { path } = files[at]!;
    const [interpreter, first, second] = isWritable(path, writable) ? [] : firstLineOf(path);
    if (interpreter === undefined) continue;
    const names = basename(interpreter) === "env"
      ? [interpreter, first === "-S" ? second : first]
      : [interpreter];
    for (const name of names) {
      const found = name === undefined ? undefined : findProgram(name, writable);
      if (found !== undefined) files.push(found);
    }
  }
  return files;
}

const [HASH, BANG] = [0x23, 0x21];

/** The words after `#!` of a script; none for any other file. */
function firstLineOf(path: string): string[] {
  try {
    using file = openRegular(path);
    const bytes = new Uint8Array(256);
    const length = file.readSync(bytes) ?? 0;
    if (bytes[0] !== HASH || bytes[1] !== BANG) return [];
    const text = new TextDecoder().decode(bytes.subarray(2, length));
    return text.split("\n")[0]!.trim().split(/\s+/);
  } catch {
    return [];
  }
}

/**
 * The folders of libraries that belong to programs in these folders: those beside a
 * `bin`. Those of the system every program has, and in the user's home there are none.
 */
export function librariesBeside(folders: readonly string[]): string[] {
  const prefixes = [...new Set(folders)]
    .filter((folder) => /^s?bin$/.test(basename(folder)))
    .map(dirname)
    .filter((prefix) => !["/", "/usr", "/usr/local"].includes(prefix));
  if (prefixes.length === 0) return [];
  const home = Deno.env.get("HOME")?.startsWith("/") ? placesOf(Deno.env.get("HOME")!) : [];
  return prefixes.filter((prefix) => !home.includes(prefix))
    .flatMap((prefix) => ["lib", "lib64", "libexec"].map((name) => join(prefix, name)));
}
