import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { repositoriesAbove } from "../policy/paths.ts";
import type {
  Answer,
  Ask,
  Executor,
  Job,
  Order,
  Printed,
  Serve,
  WorkerLandlock,
} from "./executor.ts";
import { printToStderr, type TakePrint } from "./prints.ts";
import { noServices, replyTo } from "./context.ts";
import type { RuntimePermissions } from "../policy/permissions.ts";

/**
 * The most levels of nested arguments that another thread can receive. The copy is recursive, and
 * if it exceeds the stack of that thread, nobody gets an error.
 */
const MAX_LEVELS = 1_000;

/** The options that a Worker starts with. */
export interface WorkerOptions {
  /** The tool whose code it begins to load at once, if that is known. */
  tool?: string;
  /** The permissions of the Worker. */
  permissions: Omit<RuntimePermissions, "ffi"> & { ffi: boolean };
  /** The module that it starts with, as a URL. */
  workerModule: string;
  /** The Landlock restrictions that it takes on before its first job, for good. */
  landlock?: WorkerLandlock;
}

/**
 * Starts a Worker that has these permissions. It answers one job at a time. `close` ends it,
 * whatever a tool does there.
 */
export function confinedWorker(
  { tool = "", permissions, workerModule, landlock }: WorkerOptions,
): Executor {
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
