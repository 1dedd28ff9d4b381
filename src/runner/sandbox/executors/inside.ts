import type { ToolDefinition } from "../../registry/define.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { Registry } from "../../registry/registry.ts";
import { confinedContext, confinedFailure, RemoteServices } from "./context.ts";
import { leaveNativeCode } from "../policy/permissions.ts";
import type { Answer, Ask, Job, Order, Printed, RunOptions, WorkerLandlock } from "./executor.ts";
import { hear, limitPrints, redirectPrints } from "./prints.ts";

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
export function serve(registry: Registry, stdout: Parameters<typeof redirectPrints>[0]): void {
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
  const first = scope.name === "" ? undefined : load(scope.name, registry);
  scope.onmessage = async ({ data }) => {
    if ("stop" in data) {
      abort.abort(new DOMException(data.stop.message, data.stop.name));
    } else if ("reply" in data) {
      services.receive(data);
    } else {
      abort = new AbortController();
      if (data.landlock === undefined && !isRestricted) withoutNativeCode();
      hearTool(data.job.tool);
      const tool = first ?? load(data.job.tool, registry);
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

async function load(
  name: string,
  registry: Registry,
): Promise<{ tool: RegisteredTool; definition: ToolDefinition }> {
  const tool = await registry.get(name).load();
  return { tool, definition: await tool.load() };
}

async function answer(
  job: Job,
  { tool: loading, landlock, ...options }: RunOptions & {
    tool: ReturnType<typeof load>;
    landlock: WorkerLandlock | undefined;
  },
): Promise<Answer> {
  try {
    const { tool, definition } = await loading;
    if (landlock !== undefined) {
      const { enterFileSandbox } = await import("../linux/file_sandbox.ts");
      enterFileSandbox(tool, job, landlock.programFolder);
    }
    return { output: await definition.run(job.args, confinedContext(job, options)) };
  } catch (error) {
    const { code, message, details } = confinedFailure(error);
    return { code, message, details };
  }
}
