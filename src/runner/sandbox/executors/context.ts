import { resolve } from "@std/path/posix/resolve";
import { CallError, toolFailure } from "../../../base/errors.ts";
import type { ToolContext } from "../../registry/tool_context.ts";
import { quote } from "../../../base/text/quote.ts";
import { decide } from "../policy/grants.ts";
import type { Job, RunOptions } from "./executor.ts";
import { servicesOf } from "./services.ts";

/** The part of a tool's context that is the same wherever it runs. */
export function contextOf(
  { cwd, paths, grants, addresses = {}, background, isFollowed, structured = false, ...job }: Job,
  { signal, serve }: RunOptions,
): Omit<ToolContext, "spawn" | "helper" | "isSandboxed"> {
  const services = servicesOf(serve);
  return {
    ...services,
    cwd,
    signal,
    background,
    repositories: job.repositories ?? [],
    followOutput: isFollowed ? services.progress : undefined,
    structured,
    async fetch(url, request) {
      const { pinnedRequest } = await import("./pinned_request.ts");
      const signals = request?.signal === undefined ? [signal] : [signal, request.signal];
      return await pinnedRequest(url, { ...request, addresses, signal: AbortSignal.any(signals) });
    },
    path(path) {
      const absolute = resolve(cwd, path);
      if (Object.hasOwn(paths, absolute)) return paths[absolute]!;
      throw new Error(`The path ${quote(path)} was not authorised`);
    },
    mayRead: (path) => decide({ name: "read", path }, grants).granted,
  };
}

/**
 * The failure that a sandboxed tool's error stands for. The kernel refuses access with the errors
 * of the file system, so for these the text names the sandbox as a possible cause.
 */
export function confinedFailure(error: unknown): CallError {
  const failure = toolFailure(error);
  const { systemError } = failure.details;
  if (systemError !== "EACCES" && systemError !== "EPERM") return failure;
  const message =
    `${failure.message}; or it led out of what the flags grant, which the sandbox refuses`;
  return new CallError(failure.code, message, failure.details);
}

/** The context of a tool that may start no program. */
export function confinedContext(job: Job, options: RunOptions): ToolContext {
  return {
    ...contextOf(job, options),
    spawn: refuseProgram,
    helper: () => undefined,
    isSandboxed: true,
  };
}

function refuseProgram(program: string): never {
  throw new CallError("unavailable", `Cannot run ${quote(program)} inside the sandbox`);
}
