import { pathRules } from "../../../base/fs/path_rules.ts";
import { CallError, toolFailure } from "../../../base/errors.ts";
import type { ServiceName } from "../../registry/services.ts";
import type { ToolContext } from "../../registry/tool_context.ts";
import { quote } from "../../../base/text/quote.ts";
import { closedPaths, decide } from "../policy/grants.ts";
import type { Ask, Executor, Job, Reply, RunOptions, Serve } from "./executor.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { Helper } from "./helper.ts";

/** The part of a tool's context that is the same wherever it runs. */
export function contextOf(
  { cwd, paths, grants, addresses = {}, background, isFollowed, structured = false, ...job }: Job,
  { signal, serve, onOutput }: RunOptions,
): Omit<ToolContext, "spawn" | "startHelper" | "isSandboxed" | "kernelClosesPaths"> {
  const services = servicesOf(serve);
  return {
    ...services,
    closedPaths: closedPaths(grants),
    isSandboxOld: job.isSandboxOld === true,
    cwd,
    signal,
    background,
    repositories: job.repositories ?? [],
    followOutput: isFollowed ? services.progress : undefined,
    onOutput,
    structured,
    async fetch(url, request) {
      const { pinnedRequest } = await import("./pinned_request.ts");
      const signals = request?.signal === undefined ? [signal] : [signal, request.signal];
      return await pinnedRequest(url, { ...request, addresses, signal: AbortSignal.any(signals) });
    },
    path(path) {
      const absolute = pathRules.resolve(cwd, path);
      if (Object.hasOwn(paths, absolute)) return paths[absolute]!;
      throw new Error(`The path ${quote(path)} was not authorised`);
    },
    mayRead: (path) => decide({ name: "read", path }, grants).granted,
    mayWrite: (path) => decide({ name: "write", path }, grants).granted,
    memoryDirectory: job.memoryDirectory,
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
    `${failure.message}; or it leads outside the granted paths, which the sandbox refuses`;
  return Object.assign(new CallError(failure.code, message, failure.details), {
    cause: failure.cause,
  });
}

/** The helper of a context, and whether the kernel restricts it. */
export interface ContextHelper {
  /** The helper that the tool declares, if it is there. */
  helper: Helper | undefined;
  /** Whether Landlock restricts it. */
  landlock: boolean;
}

/** The context of a tool that starts no program but its helper. */
export function helperContext(
  job: Job,
  options: RunOptions,
  { helper, landlock }: ContextHelper,
): Omit<ToolContext, "isSandboxed"> {
  return {
    ...contextOf(job, options),
    spawn: refuseProgram,
    startHelper(args) {
      if (helper === undefined) throw missingHelper();
      return helper.start(args, { cwd: job.cwd, signal: options.signal });
    },
    kernelClosesPaths: landlock,
  };
}

/** The context of a tool that is restricted and may start no program but its helper. */
export function confinedContext(
  job: Job,
  options: RunOptions,
  helper: ContextHelper = { helper: undefined, landlock: false },
): ToolContext {
  return { ...helperContext(job, options, helper), isSandboxed: true };
}

function missingHelper(): CallError {
  const message = "ripgrep is missing in the directory of toolcall; install toolcall again";
  return new CallError("unavailable", message, { program: "rg" });
}

function refuseProgram(program: string): never {
  throw new CallError("unavailable", `Cannot run ${quote(program)} inside the sandbox`);
}

/** Runs a tool in this thread. `failure` turns its error into the failure of the call. */
export function executeHere(
  tool: RegisteredTool,
  { context, failure }: {
    context: (job: Job, options: RunOptions) => ToolContext;
    failure: (error: unknown) => CallError;
  },
): Executor {
  return {
    async run(job, options) {
      const definition = await tool.load();
      try {
        return await definition.run(job.args, context(job, options));
      } catch (error) {
        throw failure(error);
      }
    },
    // The tool ends with the process.
    close() {},
  };
}

/** The services, each of which is answered by `serve`. */
export function servicesOf(
  serve: Serve,
): Pick<ToolContext, ServiceName | "listTools" | "progress"> {
  const service = <R>(name: string) => (...args: unknown[]) => serve(name, args) as Promise<R>;
  const group = <T>(name: string, ...methods: (keyof T & string)[]) =>
    Object.fromEntries(methods.map((method) => [method, service(`${name}.${method}`)])) as T;
  return {
    store: group("store", "get", "set"),
    todos: group("todos", "list", "replace", "add", "update"),
    edits: group("edits", "push", "last", "drop"),
    settings: group("settings", "values", "get", "set", "configured", "configure", "secret"),
    tasks: group("tasks", "read", "stop"),
    ask: service("ask"),
    call: service("call"),
    listTools: service("call.tools"),
    mcp: group("mcp", "call", "resources", "read", "directory"),
    patches: group("patches", "commit"),
    client: group("client", "capabilities", "request"),
    // Nobody waits for this answer, so its failure is ignored.
    progress: (line) => void serve("progress", [line]).catch(() => {}),
  };
}

/** For a tool that uses no service. */
export const noServices: Serve = (service) => {
  const message = `The tool does not declare that it uses ${JSON.stringify(service)}`;
  return Promise.reject(new CallError("internal", message));
};

/** For a tool that uses no service, in a call whose progress somebody follows. */
export function onlyProgress(onProgress: (line: string) => void): Serve {
  return (service, args) =>
    service === "progress"
      ? Promise.resolve(onProgress(args[0] as string))
      : noServices(service, args);
}

/** A {@link Serve} of one thread that another thread answers, through messages. */
export class RemoteServices {
  #waiting = new Map<number, (reply: Reply) => void>();
  #count = 0;

  /** Takes what sends a question to the other thread. */
  constructor(readonly send: (ask: Ask) => void) {}

  /** Sends a question and waits for its answer. */
  readonly serve: Serve = async (service, args) => {
    const id = this.#count++;
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve);
      this.send({ ask: id, service, args });
    });
    if ("value" in reply) return reply.value;
    throw new CallError(reply.error.code, reply.error.message, reply.error.details);
  };

  /** Takes the answer to a question. */
  receive(reply: Reply): void {
    this.#waiting.get(reply.reply)?.(reply);
    this.#waiting.delete(reply.reply);
  }
}

/** Answers a question of another thread. */
export async function replyTo({ ask, service, args }: Ask, serve: Serve): Promise<Reply> {
  try {
    return { reply: ask, value: await serve(service, args) };
  } catch (error) {
    const { code, message, details } = toolFailure(error);
    return { reply: ask, error: { code, message, details } };
  }
}
