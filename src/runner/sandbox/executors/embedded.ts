/** Where the calls of a runner run that is a part of another program. */

import { CallError, toolFailure } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { Plan } from "../plan.ts";
import type { Grants } from "../policy/grants.ts";
import { networkPermissions, permissionsOf } from "../policy/permissions.ts";
import { executeHere, helperContext } from "./context.ts";
import type { Executor } from "./executor.ts";
import { addressesOf, socketsOf } from "./network_worker.ts";
import { confinedWorker } from "./worker.ts";

/** The module that a Worker of the plan starts with, besides the module of the tool. */
const WORKER = import.meta.resolve("../../../../library_worker.ts");

/** The module of the network, which a Worker without files loads at its start. */
const NETWORK = import.meta.resolve("./pinned_request.ts");

/**
 * The executor of a tool in another program. The module of a tool runs in a Worker, which has the
 * permissions of the grants for the kinds of the tool. Any other tool runs in this thread.
 */
export function embeddedExecutor(
  tool: RegisteredTool,
  plan: Plan,
  grants: Grants,
): Executor {
  return plan.executor === "in_process"
    ? executorHere(tool, grants)
    : workerExecutor(tool, plan, grants);
}

function executorHere(tool: RegisteredTool, grants: Grants): Executor {
  const { run, close } = executeHere(tool, {
    context: (job, options) => ({
      ...helperContext(job, options, { helper: undefined, landlock: false }),
      spawn: refuseSpawn,
      isSandboxed: false,
    }),
    failure: toolFailure,
  });
  return {
    run: async (job, options) =>
      await run({ ...job, addresses: await addressesOf(job.hosts, grants) }, options),
    close,
  };
}

function refuseSpawn(program: string): never {
  throw new CallError(
    "unavailable",
    `Cannot start ${quote(program)} for a tool in a library; use Deno.Command`,
  );
}

function workerExecutor(
  tool: RegisteredTool & { module?: string },
  plan: Plan,
  grants: Grants,
): Executor {
  let worker: Executor | undefined;
  let isClosed = false;
  return {
    async run(job, options) {
      const addresses = await addressesOf(job.hosts, grants);
      options.signal.throwIfAborted();
      if (isClosed) return [];
      // Close the Worker of the previous retry.
      worker?.close();
      const permissions = plan.executor === "worker"
        ? permissionsOf(plan.kinds, { grants })
        : networkPermissions(socketsOf(addresses));
      worker = confinedWorker({
        tool: tool.metadata.name,
        permissions,
        workerModule: workerModule(tool.module!, plan),
      });
      return await worker.run({ ...job, addresses }, options);
    },
    close() {
      isClosed = true;
      worker?.close();
    },
  };
}

/**
 * A module that imports the code of the Worker and the tool. The thread that starts the Worker loads
 * them, so the Worker needs no permission to read them.
 */
function workerModule(tool: string, plan: Plan): string {
  const early = plan.executor === "network_worker" ? `import ${JSON.stringify(NETWORK)};` : "";
  const code = `import { answerWith } from ${JSON.stringify(WORKER)};${early}` +
    `import tool from ${JSON.stringify(tool)};answerWith(tool);`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
