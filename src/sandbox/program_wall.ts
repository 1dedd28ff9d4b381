/** The walls around programs: what the flags come to for bash, for what bash starts, and for what that starts. */

import { baseRights } from "./base_rights.ts";
import type { Grants } from "./grants.ts";
import { type Kernel, stepFailed } from "./kernel.ts";
import { enterLandlock, type FileRights, landlockVersion } from "./landlock.ts";
import { networkFor } from "./network.ts";
import { openingsAround } from "./openings.ts";
import { kernelFolders } from "./paths.ts";
import {
  dropCapabilities,
  keepDescriptors,
  type Limits,
  renounceNewPrivileges,
  setLimits,
} from "./privileges.ts";
import {
  filesOf,
  findProgram,
  isWritable,
  librariesOf,
  type Program,
  programFolders,
} from "./programs.ts";
import type { Scope } from "./scope.ts";
import { enterFilter, filterProgram } from "./seccomp.ts";

/** What programs may use unless the caller says otherwise. */
const DEFAULT_LIMITS: Limits = { files: 4096, processes: 8192, fileSize: 10 * 2 ** 30 };

/** What is needed to build the walls. */
export interface ProgramWallOptions {
  /** What the flags allow. */
  grants: Grants;
  /** Folders and files that stay out of reach of every write: the program's own. */
  own: readonly string[];
  /** The folder of the program's own modules, which may be read. */
  programFolder: string;
  /** Folders of the call's own, which may be read and written. */
  privateFolders: readonly string[];
  /** What a program may use at most. */
  limits: Limits;
}

/**
 * Enters every wall in this thread, for good: what it starts from now on is held
 * by them. Throws `unavailable`, with its own text for each step that fails;
 * then nothing may be started.
 */
export function enterProgramWall(kernel: Kernel | undefined, options: ProgramWallOptions): void {
  const version = kernel === undefined ? 0 : landlockVersion(kernel);
  if (kernel === undefined || version < 1) {
    throw stepFailed("Landlock", "this system has none (Linux 5.13 and later may have it)");
  }
  const { network, ports } = networkFor(options.grants, version);
  // The group is that of the pipeline that the caller's shell made, perhaps.
  const own = { pid: Deno.pid, group: kernel.call("getpgid", 0) };
  const { arch } = Deno.build;
  const filter = filterProgram({ arch, network, own, holdsTruncate: version >= 3 });
  keepDescriptors(kernel);
  setLimits(kernel, { ...DEFAULT_LIMITS, ...options.limits });
  renounceNewPrivileges(kernel);
  enterLandlock(kernel, version, {
    files: programRights(options),
    ...(network !== "all" && { ports }),
    isolated: true,
  });
  dropCapabilities(kernel);
  enterFilter(kernel, filter);
}

/** What the walls leave open of files. */
export function programRights(
  { grants, own, programFolder, privateFolders }: Omit<ProgramWallOptions, "limits">,
): FileRights {
  const scope = (kind: "read" | "write"): Scope => grants.all || (grants.allow[kind] ?? []);
  const folders = (each: Scope) => each === true ? ["/"] : each;
  const denied = (kind: "read" | "write") => folders(grants.deny[kind] ?? []);
  const base = baseRights();
  const programs = programFiles(grants, base.execute);
  const read = openingsAround(
    folders(scope("read")),
    [...denied("read"), ...(grants.all ? [] : kernelFolders)],
  );
  // What belongs to the programs is theirs only as far as no flag denies it.
  const readAnyway = openingsAround([...base.read, ...programs.read], denied("read"));
  const write = openingsAround(
    folders(scope("write")),
    [...denied("write"), ...own, ...(grants.all ? [] : kernelFolders)],
  );
  return {
    read: [...read.open, ...readAnyway.open, ...privateFolders, programFolder],
    list: [...read.listed, ...readAnyway.listed],
    write: [...write.open, ...privateFolders],
    execute: programs.execute,
    device: base.device,
  };
}

/** Which files `--allow-run` lets start, and what of them has to be readable. */
function programFiles(
  { all, allow, deny }: Grants,
  libraries: readonly string[],
): { read: string[]; execute: string[] } {
  const run: Scope = all || (allow.run ?? []);
  const programs = run === true ? [] : run.map((name) => ({
    name,
    files: programOf(name, allow.write),
  }));
  const files = programs.flatMap((each) => each.files);
  // With a bare flag all that lies about in PATH.
  const folders = run === true
    ? programFolders().filter((each) => !isWritable(each, allow.write))
    : [];
  const own = [...files, ...folders.map((each) => ({ found: `${each}/x`, path: `${each}/x` }))]
    .flatMap(librariesOf);
  const byPath = programs.filter(({ name }) => name.startsWith("/")).flatMap((each) => each.files);
  const denied = deny.run === undefined || deny.run === true ? [] : deny.run.map(pathOf);
  const writable = Array.isArray(allow.write) ? allow.write : [];
  const base = real([...(run === true ? ["/"] : files.map(({ path }) => path)), ...own]);
  return {
    read: real([...files.map(({ path }) => path), ...folders, ...own]),
    execute: [
      // What a call may write it may not execute, unless that is named by its path.
      ...openingsAround([...base, ...libraries], [...denied, ...writable]).open,
      ...openingsAround(real(byPath.map(({ path }) => path)), denied).open,
    ],
  };
}

/** The files of a program, or the folder of programs, that a flag names. */
function programOf(name: string, writable: Scope | undefined): Program[] {
  const program = findProgram(name, writable);
  if (program !== undefined) return filesOf(program, writable);
  return name.startsWith("/") ? [{ found: name, path: name }] : [];
}

function pathOf(program: string): string {
  return findProgram(program, undefined)?.path ?? program;
}

function real(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    try {
      return [Deno.realPathSync(path)];
    } catch {
      return [];
    }
  });
}
