/** A Worker that runs jobs: the end of the thread that starts it, and the Worker's own end. */

import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ToolDefinition } from "../../registry/define.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { Registry } from "../../registry/registry.ts";
import { repositoriesAbove } from "../policy/paths.ts";
import { leaveNativeCode, type RuntimePermissions } from "../policy/permissions.ts";
import {
  confinedContext,
  confinedFailure,
  noServices,
  RemoteServices,
  replyTo,
} from "./context.ts";
import type {
  Answer,
  Ask,
  Executor,
  Job,
  Order,
  Printed,
  RunOptions,
  Serve,
  WorkerLandlock,
} from "./executor.ts";
import { hear, limitPrints, printToStderr, redirectPrints, type TakePrint } from "./prints.ts";

/**
 * The most levels of nested arguments that another thread can receive. The copy is recursive, and
 * if it exceeds the stack of that thread, nobody gets an error.
 */
const MAX_LEVELS = 1_000;

/**
 * Starts a Worker that has these permissions, with the module of that URL. It begins to load the
 * code of `tool` at once, if that is known. It takes on `landlock` before its first job, for good,
 * and answers one job at a time. `close` ends it, whatever a tool does there.
 */
export function confinedWorker({ tool = "", permissions, workerModule, landlock }: {
  tool?: string;
  permissions: Omit<RuntimePermissions, "ffi"> & { ffi: boolean };
  workerModule: string;
  landlock?: WorkerLandlock;
}): Executor {
  const worker = new Worker(workerModule, {
    type: "module",
    name: tool,
    deno: { permissions: { ...permissions, sys: permissions.sys as boolean } },
  });
  let service: Serve = noServices;
  let settle: ((answer: Answer) => void) | undefined;
  let fail: ((error: CallError) => void) | undefined;
  let death: CallError | undefined;
  const tell = (order: Order) => worker.postMessage(order);
  // A print before the first job, while the tool's code is loaded, belongs to that job.
  let early: Printed[] = [];
  let take: TakePrint | undefined;
  let speaker = tool;
  const print = (printed: Printed) => {
    if (take === undefined) early.push(printed);
    else take({ tool: speaker, level: printed.level, text: printed.print });
  };
  const printTo = (next: TakePrint) => {
    take = next;
    early.forEach(print);
    early = [];
  };
  worker.onmessage = async ({ data }: MessageEvent<Answer | Ask | Printed>) => {
    if ("print" in data) print(data);
    else if ("ask" in data) tell(await replyTo(data, service));
    else settle?.(data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    // If a thread fails before it gets its job, the failure is reported with the job.
    death = new CallError("internal", `The tool's thread ended: ${event.message}`);
    fail?.(death);
  };
  return {
    async run(job, { signal, serve, onPrint = printToStderr }) {
      speaker = job.tool;
      printTo(onPrint);
      if (death !== undefined) throw death;
      refuseDeep(job);
      service = serve;
      const said = new Promise<Answer>((resolve, reject) => [settle, fail] = [resolve, reject]);
      const stop = () => {
        const { message, name } = signal.reason;
        tell({ stop: { message, name } });
      };
      signal.addEventListener("abort", stop);
      try {
        const repositories = repositoriesAbove(Object.values(job.paths));
        tell({ job: { ...job, repositories }, ...(landlock && { landlock }) });
        const answer = await said;
        if ("output" in answer) return answer.output;
        throw new CallError(answer.code, answer.message, answer.details);
      } finally {
        signal.removeEventListener("abort", stop);
        take = printToStderr;
      }
    },
    close() {
      worker.terminate();
      printTo(take ?? printToStderr);
      fail?.(new CallError("cancelled", "The tool's thread was ended"));
    },
  };
}

function refuseDeep({ tool, args }: Job): void {
  let level: unknown[] = [args];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) {
      const why = `its arguments are nested more than ${MAX_LEVELS} levels deep`;
      throw new CallError("invalid_arguments", `Cannot call ${quote(tool)}: ${why}`, { tool });
    }
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : []
    );
  }
}

/** The part of a Worker's global scope that is used here. */
interface WorkerScope {
  /** The tool whose code is needed first, or nothing. */
  readonly name: string;
  onmessage: ((event: MessageEvent<Order>) => void) | null;
  postMessage(message: Answer | Ask | Printed): void;
}

/**
 * Answers the jobs that this Worker is sent, one at a time, for the tools of `registry`. The prints
 * of these tools, also to `stdout`, go to the thread that has started the Worker.
 */
export function answerJobs(registry: Registry, stdout: Parameters<typeof redirectPrints>[0]): void {
  const scope = globalThis as unknown as WorkerScope;
  redirectPrints(stdout);
  const hearTool = (name: string) =>
    hear(name, limitPrints(({ level, text }) => scope.postMessage({ level, print: text })));
  hearTool(scope.name);
  let abort = new AbortController();
  let isRestricted = false;
  const services = new RemoteServices((ask) => scope.postMessage(ask));
  // A Worker that does not know its tool yet may have to enter a sandbox with its first job.
  if (scope.name !== "") withoutNativeCode();
  const first = scope.name === "" ? undefined : loadTool(scope.name, registry);
  scope.onmessage = async ({ data }) => {
    if ("stop" in data) {
      abort.abort(new DOMException(data.stop.message, data.stop.name));
    } else if ("reply" in data) {
      services.receive(data);
    } else {
      abort = new AbortController();
      if (data.landlock === undefined && !isRestricted) withoutNativeCode();
      hearTool(data.job.tool);
      const tool = first ?? loadTool(data.job.tool, registry);
      const landlock = isRestricted ? undefined : data.landlock;
      isRestricted ||= landlock !== undefined;
      scope.postMessage(
        await answer(data.job, { tool, landlock, signal: abort.signal, serve: services.serve }),
      );
    }
  };
}

/** Gives up native code. No tool's code may run before. */
function withoutNativeCode(): void {
  if (Deno.permissions.querySync({ name: "ffi" }).state === "granted") leaveNativeCode();
}

async function loadTool(
  name: string,
  registry: Registry,
): Promise<{ tool: RegisteredTool; definition: ToolDefinition }> {
  const tool = await registry.get(name).load();
  return { tool, definition: await tool.load() };
}

async function answer(
  job: Job,
  { tool: loading, landlock, ...options }: RunOptions & {
    tool: ReturnType<typeof loadTool>;
    landlock: WorkerLandlock | undefined;
  },
): Promise<Answer> {
  try {
    const { tool, definition } = await loading;
    if (landlock !== undefined) {
      const { confineWorker } = await import("../linux/file_sandbox.ts");
      confineWorker(tool, job, landlock.programDirectory);
    }
    return { output: await definition.run(job.args, confinedContext(job, options)) };
  } catch (error) {
    const { code, message, details } = confinedFailure(error);
    return { code, message, details };
  }
}
