import { resolve } from "@std/path/posix/resolve";
import { CallError } from "../call_error.ts";
import type { ToolContext } from "../registry/define.ts";
import { quote } from "../quote.ts";
import { decide } from "./grants.ts";
import type { Job } from "./job.ts";

/** The part of a tool's context that is the same wherever it runs. */
export function contextOf(
  { cwd, paths, grants }: Job,
  signal: AbortSignal,
): Omit<ToolContext, "spawn" | "helper"> {
  return {
    cwd,
    signal,
    path(path) {
      const absolute = resolve(cwd, path);
      if (Object.hasOwn(paths, absolute)) return paths[absolute]!;
      throw new Error(`The path ${quote(path)} was not authorised`);
    },
    mayRead: (path) => decide({ name: "read", path }, grants).granted,
  };
}

/** The context of a tool that may start no program. */
export function confinedContext(job: Job, signal: AbortSignal): ToolContext {
  return { ...contextOf(job, signal), spawn: refuseProgram, helper: () => undefined };
}

function refuseProgram(program: string): never {
  throw new CallError("unavailable", `Cannot run ${quote(program)} inside the sandbox`);
}
