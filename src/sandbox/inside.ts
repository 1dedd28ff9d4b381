import { CallError, toolFailure } from "../call_error.ts";
import type { Registry } from "../registry/registry.ts";
import { quote } from "../quote.ts";
import { contextOf } from "./context.ts";
import type { Answer, Job, Order } from "./job.ts";

/** The part of a Worker's global scope that is used here. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<Order>) => void) | null;
  postMessage(answer: Answer): void;
}

/** Answers the one job that this Worker is sent, with the tools of `registry`. */
export function serve(registry: Registry): void {
  const scope = globalThis as unknown as WorkerScope;
  const abort = new AbortController();
  scope.onmessage = async ({ data }) => {
    if ("stop" in data) {
      abort.abort(new DOMException(data.stop.message, data.stop.name));
    } else {
      scope.postMessage(await answer(data.job, registry, abort.signal));
    }
  };
}

async function answer(
  job: Job,
  registry: Registry,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const definition = await (await registry.get(job.tool).load()).load();
    const content = await definition.run(job.args, {
      ...contextOf(job, signal),
      spawn: refuseProgram,
      helper: () => undefined,
    });
    return { content };
  } catch (error) {
    const { code, message, details } = toolFailure(error);
    return { code, message, details };
  }
}

function refuseProgram(program: string): never {
  throw new CallError(
    "unavailable",
    `Cannot run ${quote(program)} inside the runtime's sandbox`,
  );
}
