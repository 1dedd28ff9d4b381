import { readVariable } from "../../../base/environment.ts";
import { dirname } from "@std/path/posix/dirname";
import { basename } from "@std/path/posix/basename";
import { join } from "@std/path/posix/join";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { lookAt, modeKind } from "../../../base/fs/path_status.ts";
import { openRegular } from "../../../base/fs/system_file.ts";
import type { Scope } from "./scope.ts";
import {
  isKernelPath,
  isWritable,
  realPaths,
  resolutionSteps,
  trustedPath,
  trustedPaths,
  untrustedStep,
} from "./paths.ts";

/** The directories that are searched for programs when the caller has no PATH. */
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

let directories: string[] | undefined;

/**
 * The absolute directories of `PATH`, in order. A relative one could belong to anybody. They are
 * read once, because variables cannot be read later.
 */
export function programDirectories(): readonly string[] {
  return directories ??= (readVariable("PATH") ?? DEFAULT_PATH).split(pathRules.listSeparator)
    .filter((path) => pathRules.isAbsolute(path) && path !== "/" && !isKernelPath(path));
}

/** A program: the path where it was found, and its real path. */
export type FoundProgram = { found: string; path: string };

/**
 * The program that `name` means: a path, or a name that is looked up in PATH. A name ignores a
 * program that is not trusted, because a call could have put it there. A path is used as it is,
 * because the caller's flags name it.
 */
export function findProgram(name: string, writable: Scope | undefined): FoundProgram | undefined {
  return programsOf(name).find(({ found }) =>
    pathRules.isPath(name) || untrustedStep(found, writable) === undefined
  );
}

/** All programs that a name can mean: a path means one, and a name each match in PATH. */
export function findPrograms(name: string): string[] {
  return [...programsOf(name)].map(({ path }) => path);
}

/** A program that a look-up ignores, and the step to it that a call could have written. */
export type IgnoredProgram = { found: string; step: string };

/** The first program of that name which is not trusted, if there is one. */
export function ignoredProgram(
  name: string,
  writable: Scope | undefined,
): IgnoredProgram | undefined {
  for (const { found } of programsOf(name)) {
    const step = untrustedStep(found, writable);
    if (step !== undefined) return { found, step };
  }
  return undefined;
}

/**
 * The program of that name or path for a start outside the sandbox. The program must be trusted,
 * and so must each interpreter of a script. `env NAME` takes the first one in the trusted part of
 * PATH, so start it with the PATH of {@link trustedPath}. Otherwise the result says what is in the
 * way.
 */
export function findOutsideProgram(
  name: string,
  writable: Scope | undefined,
): FoundProgram | IgnoredProgram | undefined {
  const program = findProgram(name, writable);
  if (program === undefined) return ignoredProgram(name, writable);
  const files = [program.found];
  for (let at = 0; at < files.length && at < MAX_INTERPRETERS; at++) {
    const found = files[at]!;
    const step = untrustedStep(found, writable);
    if (step !== undefined) return { found, step };
    for (const each of interpretersOf(realProgram(found) ?? found)) {
      const { listSeparator } = pathRules;
      const directories = trustedPath(programDirectories().join(listSeparator), writable)
        .split(listSeparator);
      const first = programsOf(each, directories).next().value;
      if (first !== undefined) files.push(first.found);
    }
  }
  return program;
}

/** The programs that a name or a path can mean, each looked up when it is asked for. */
function* programsOf(name: string, directories = programDirectories()): Generator<FoundProgram> {
  const files = pathRules.isPath(name) ? [name] : directories.map((each) => join(each, name));
  for (const found of files.flatMap((file) => pathRules.programEnds.map((end) => file + end))) {
    const path = realProgram(found);
    if (path !== undefined) yield { found, path };
  }
}

/** The results of earlier look-ups: a call looks up the same few programs again and again. */
const known = new Map<string, string | undefined>();

function realProgram(path: string): string | undefined {
  if (!known.has(path)) known.set(path, lookUp(path));
  return known.get(path);
}

function lookUp(path: string): string | undefined {
  const [real] = realPaths([path]);
  if (real === undefined) return undefined;
  const { mode } = lookAt(real) ?? { mode: 0 };
  return modeKind(mode) === "file" && pathRules.isProgram(real, mode) ? real : undefined;
}

/** The most links of script to interpreter that are followed, as in the kernel. */
const MAX_INTERPRETERS = 5;

/**
 * The files that have to be executable for a program to start: its own, and for a script its
 * interpreter's, also when that is looked up by `env`. The first line of a script that a call may
 * write names nothing: it could be any file. An interpreter that is not trusted has to be named by
 * a flag of its own.
 */
export function filesOf(program: FoundProgram, writable: Scope | undefined): FoundProgram[] {
  const files = [program];
  for (let at = 0; at < files.length && at < MAX_INTERPRETERS; at++) {
    const { path } = files[at]!;
    if (isWritable(path, writable)) continue;
    for (const name of interpretersOf(path)) {
      const found = findProgram(name, writable);
      if (found && untrustedStep(found.found, writable) === undefined) files.push(found);
    }
  }
  return files;
}

/** The options of `env` that take the next word as their value. */
const ENV_VALUE = /^(-[v0i]*[uCaP]|--unset|--chdir|--argv0)$/;

/** The programs that the first line of a script names: its interpreter, and what `env` looks up. */
function interpretersOf(path: string): string[] {
  const [interpreter, ...words] = firstLineOf(path);
  if (interpreter === undefined) return [];
  if (basename(interpreter) !== "env") return [interpreter];
  const name = words.map((word) => word.replace(/^-S(?=.)/, ""))
    .find((word, at, all) =>
      !word.startsWith("-") && !word.includes("=") && !ENV_VALUE.test(all[at - 1] ?? "")
    );
  return name === undefined ? [interpreter] : [interpreter, name];
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
 * The directories of libraries that belong to programs in these directories: those beside a `bin`.
 * Every program has the system's directories, and the user's home counts as having none. A
 * directory that is not trusted is omitted: a link that a call has made could lead to any
 * directory.
 */
export function librariesBeside(
  directories: readonly string[],
  writable: Scope | undefined,
): string[] {
  const prefixes = [...new Set(directories)]
    .filter((directory) => /^s?bin$/.test(basename(directory)))
    .map(dirname)
    .filter((prefix) => !["/", "/usr", "/usr/local"].includes(prefix));
  if (prefixes.length === 0) return [];
  const given = readVariable("HOME") ?? "";
  const home = pathRules.isAbsolute(given) ? resolutionSteps(given) : [];
  const libraries = prefixes.filter((prefix) => !home.includes(prefix))
    .flatMap((prefix) => ["lib", "lib64", "libexec"].map((name) => join(prefix, name)));
  return trustedPaths(libraries, writable);
}
