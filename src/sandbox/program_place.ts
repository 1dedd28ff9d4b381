import { CallError, toolFailure } from "../call_error.ts";
import type { ContentBlock, ToolContext } from "../registry/define.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { contextOf } from "./context.ts";
import { programEnvironment } from "./environment.ts";
import { refusalNote, refusalsIn } from "./explain.ts";
import { decide, type Grants } from "./grants.ts";
import { type Held, holdPrograms } from "./hold_programs.ts";
import { placeHere } from "./in_place.ts";
import type { Job, Place } from "./job.ts";
import { noWall, openKernel } from "./kernel.ts";
import { realPath } from "./paths.ts";
import { makePrivateFolder, type PrivateFolder } from "./private_folder.ts";
import type { Limits } from "./privileges.ts";
import { findProgram } from "./programs.ts";
import { helperIn, missingProgram, runningProgram, start } from "./spawn.ts";
import { Supervisor } from "./supervise.ts";

/** What the place of a tool that starts programs is made of. */
export interface ProgramPlaceOptions {
  /** What the flags allow. */
  grants: Grants;
  /** The folder of the program's own files. */
  programFolder: string;
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
    if (makeFolder !== undefined && Deno.build.os === "windows") throw noWall();
    const kernel = openKernel();
    let held: Held | undefined;
    try {
      const folder = makeFolder?.();
      const supervisor = new Supervisor(kernel, folder?.path);
      const env = environmentFor(options.grants, folder);
      const bystander = supervisor.keeper;
      held = folder && holdPrograms(kernel, { ...options, folder, bystander });
      return {
        ...contextOf(job, signal),
        spawn: (program, args) => {
          const { write } = options.grants.allow;
          const found = findProgram(program, folder === undefined ? undefined : write);
          if (found === undefined) throw missingProgram(program);
          const command = [found.path, ...args];
          const child = start(held?.command(command) ?? command, { cwd: job.cwd, env });
          supervisor.started(child.pid);
          return runningProgram(child, {
            end: () => supervisor.end(child.pid, held?.endAll),
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
      if (held?.endAll === undefined) kernel?.close();
    }
  };
  return placeHere(
    tool,
    makeFolder === undefined ? { context, failure: toolFailure } : {
      context,
      failure: explained,
      success: withNote,
    },
  );
}

/** A failure behind the walls, and what of it they account for. */
function explained(error: unknown, { grants, cwd }: Job): CallError {
  const { code, message, details } = toolFailure(error);
  const refusals = refusalsIn(message, grants, cwd);
  if (refusals.length === 0) return new CallError(code, message, details);
  const refused = refusals.map(({ permission, flag }) => ({ ...permission, flag }));
  return new CallError(code, `${message}\n${refusalNote(refusals)}`, { ...details, refused });
}

/** A program may be refused something and go on. */
function withNote(content: string | ContentBlock[], { grants, cwd }: Job): string | ContentBlock[] {
  const refusals = typeof content === "string" ? refusalsIn(content, grants, cwd) : [];
  return refusals.length === 0
    ? content
    : [{ type: "text", text: content as string }, { type: "text", text: refusalNote(refusals) }];
}

/** HOME is the caller's where programs may read it, or the flags name it; else the private folder. */
function environmentFor({ all, allow, deny }: Grants, folder: PrivateFolder | undefined) {
  const env = programEnvironment(allow.env);
  if (folder === undefined) return env;
  const named = Array.isArray(allow.env) && allow.env.includes("HOME");
  const readable = env["HOME"]?.startsWith("/") === true &&
    decide({ name: "read", path: realPath(env["HOME"]) }, { all, allow, deny }).granted;
  return {
    ...env,
    TMPDIR: folder.temporary,
    ...(!named && !readable && { HOME: folder.temporary }),
  };
}
