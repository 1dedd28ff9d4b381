import { dirname } from "@std/path/posix/dirname";
import { resolve } from "@std/path/posix/resolve";
import { toolFailure } from "../call_error.ts";
import type { ToolContext } from "../registry/define.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { confinedFailure, contextOf } from "./context.ts";
import { programEnvironment } from "./environment.ts";
import { decide, type Grants } from "./grants.ts";
import { placeHere, revokeKinds } from "./in_place.ts";
import type { Job, Place } from "./job.ts";
import { type Kernel, openKernel } from "./kernel.ts";
import { isInside, realPath } from "./paths.ts";
import { makePrivateFolder, type PrivateFolder } from "./private_folder.ts";
import type { Limits } from "./privileges.ts";
import { enterProgramWall } from "./program_wall.ts";
import { findProgram } from "./programs.ts";
import { helperIn, missingProgram, runningProgram, start } from "./spawn.ts";
import { Supervisor } from "./supervise.ts";

/** What the place of a tool that starts programs is made of. */
export interface ProgramPlaceOptions {
  /** What the flags allow. */
  grants: Grants;
  /** The folder of the program's own files. */
  programFolder: string;
  /** Whether that folder is all that the program loads. */
  isBundled: boolean;
  /** What programs may use at most. */
  limits: Limits;
}

/**
 * This very thread, for a tool that starts programs when nothing holds them:
 * under `--allow-all`, or `--unconfined-run`.
 */
export function openProgramPlace(tool: RegisteredTool, options: ProgramPlaceOptions): Place {
  return programPlace(tool, options, undefined);
}

/**
 * This very thread behind every wall, for a tool that starts programs. The walls
 * are entered when the call runs and not before: what is refused starts nothing.
 */
export function walledProgramPlace(tool: RegisteredTool, options: ProgramPlaceOptions): Place {
  return programPlace(tool, options, makePrivateFolder);
}

function programPlace(
  tool: RegisteredTool,
  options: ProgramPlaceOptions,
  makeFolder: (() => PrivateFolder) | undefined,
): Place {
  const context = (job: Job, signal: AbortSignal): ToolContext => {
    const kernel = openKernel();
    try {
      const folder = makeFolder?.();
      const supervisor = new Supervisor(kernel, folder?.path);
      const env = environmentFor(options.grants, folder);
      if (folder !== undefined) enterWalls(kernel, { ...options, folder });
      return {
        ...contextOf(job, signal),
        spawn: (program, args) => {
          const { write } = options.grants.allow;
          const found = findProgram(program, folder === undefined ? undefined : write);
          if (found === undefined) throw missingProgram(program);
          const child = start(found.path, args, { cwd: job.cwd, env });
          supervisor.started(child.pid);
          return runningProgram(child, {
            end: () => supervisor.end(child.pid),
            ...(folder && {
              openOutput: () => {
                supervisor.keepOutput();
                return folder.output;
              },
            }),
          });
        },
        helper: (name) => helperIn(options.programFolder, name),
      };
    } finally {
      kernel?.close();
    }
  };
  return placeHere(tool, {
    context,
    failure: makeFolder === undefined ? toolFailure : confinedFailure,
  });
}

/** HOME is the caller's where programs may read it, or the flags name it; else an empty folder. */
function environmentFor({ all, allow, deny }: Grants, folder: PrivateFolder | undefined) {
  const env = programEnvironment(allow.env);
  if (folder === undefined) return env;
  const named = Array.isArray(allow.env) && allow.env.includes("HOME");
  const readable = env["HOME"]?.startsWith("/") === true &&
    decide({ name: "read", path: realPath(env["HOME"]) }, { all, allow, deny }).granted;
  return {
    ...env,
    TMPDIR: folder.temporary,
    ...(!named && !readable && { HOME: folder.home }),
  };
}

function enterWalls(
  kernel: Kernel | undefined,
  { grants, programFolder, isBundled, limits, folder }: ProgramPlaceOptions & {
    folder: PrivateFolder;
  },
): void {
  const own = Deno.realPathSync(programFolder);
  enterProgramWall(kernel, {
    grants,
    limits,
    own: isBundled ? ownPaths(own) : [],
    programFolder: own,
    privateFolders: [folder.temporary, folder.home],
  });
  revokeKinds(["write", "env", "sys", "net", "import", "ffi"]);
}

/** The files that make up this program: what changed them would run unconfined at the next call. */
function ownPaths(programFolder: string): string[] {
  const runtime = Deno.realPathSync(Deno.execPath());
  const executable = Deno.env.get("TOOLCALL_EXECUTABLE");
  return [
    runtime,
    // Unpacked: the folder above holds every version, and says which one is current.
    ...(isInside(runtime, programFolder) ? [dirname(programFolder)] : []),
    ...(executable?.includes("/") ? [realPath(resolve(Deno.cwd(), executable))] : []),
  ];
}
