import { CallError } from "../call_error.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import type { Answer, Ask, Order, Place, Serve } from "./job.ts";
import { noServices, replyTo } from "./services.ts";
import type { RuntimePermissions } from "./permissions.ts";

/**
 * Starts a Worker that has these permissions and begins to load the tool there.
 * Whatever the tool does, `close` ends it.
 */
export function confinedWorker(
  tool: RegisteredTool,
  { permissions, workerModule }: { permissions: RuntimePermissions; workerModule: string },
): Place {
  const worker = new Worker(workerModule, {
    type: "module",
    name: tool.metadata.name,
    deno: { permissions: { ...permissions, sys: permissions.sys as boolean } },
  });
  let service: Serve = noServices;
  const answer = new Promise<Answer>((resolve, reject) => {
    worker.onmessage = async ({ data }: MessageEvent<Answer | Ask>) => {
      if ("ask" in data) tell(await replyTo(data, service));
      else resolve(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new CallError("internal", `The tool's thread ended: ${event.message}`));
    };
  });
  // A thread that fails before its job is sent is reported when it is.
  answer.catch(() => {});
  const tell = (order: Order) => worker.postMessage(order);
  return {
    async run(job, { signal, serve }) {
      service = serve;
      tell({ job });
      signal.addEventListener("abort", () => {
        const { message, name } = signal.reason;
        tell({ stop: { message, name } });
      });
      const said = await answer;
      if ("output" in said) return said.output;
      throw new CallError(said.code, said.message, said.details);
    },
    close: () => worker.terminate(),
  };
}
