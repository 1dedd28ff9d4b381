import type { ToolDefinition } from "../registry/define.ts";
import type { Registry } from "../registry/registry.ts";
import { confinedContext, confinedFailure } from "./context.ts";
import type { Answer, Ask, Job, Order, RunOptions } from "./job.ts";
import { RemoteServices } from "./services.ts";

/** The part of a Worker's global scope that is used here. */
interface WorkerScope {
  /** The tool's name. */
  readonly name: string;
  onmessage: ((event: MessageEvent<Order>) => void) | null;
  postMessage(message: Answer | Ask): void;
}

/** Answers the one job that this Worker is sent, for the tool of `registry` that it is named after. */
export function serve(registry: Registry): void {
  const scope = globalThis as unknown as WorkerScope;
  const abort = new AbortController();
  const services = new RemoteServices((ask) => scope.postMessage(ask));
  const tool = registry.get(scope.name).load().then((registered) => registered.load());
  scope.onmessage = async ({ data }) => {
    if ("stop" in data) {
      abort.abort(new DOMException(data.stop.message, data.stop.name));
    } else if ("reply" in data) {
      services.receive(data);
    } else {
      const { serve } = services;
      scope.postMessage(await answer(tool, data.job, { signal: abort.signal, serve }));
    }
  };
}

async function answer(
  tool: Promise<ToolDefinition>,
  job: Job,
  options: RunOptions,
): Promise<Answer> {
  try {
    const output = await (await tool).run(job.args, confinedContext(job, options));
    return { output };
  } catch (error) {
    const { code, message, details } = confinedFailure(error);
    return { code, message, details };
  }
}
