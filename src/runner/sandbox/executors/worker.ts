/** A Worker that runs jobs: the end of the thread that starts it, and the Worker's own end. */

import { CallError } from "../../../base/errors.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ModuleAnswer, ModuleOrder, ToolModule } from "../../registry/tool_module.ts";
import {
  type EVERY_PERMISSION,
  leaveNativeCode,
  type RuntimePermissions,
} from "../policy/permissions.ts";
import { confinedContext, RemoteServices } from "./context.ts";
import type {
  Answer,
  Ask,
  Executor,
  ExecutorOutput,
  Job,
  Order,
  Printed,
  WorkerLandlock,
} from "./executor.ts";
import { enterSandbox, loadTool, ReadAnswerer } from "./answer_reads.ts";
import type { Helper } from "./helper.ts";
import { answerTo, ModuleTool } from "./module_tool.ts";
import { hear, limitPrints, redirectPrints } from "./prints.ts";
import type { LineAnswers, LineOrder, ReadAnswers, ReadOrder, ReadRights } from "./reader.ts";
import { refuseDeep, RemoteExecutor } from "./remote_executor.ts";

/**
 * Starts a Worker that has these permissions, with the module of that URL. It begins to load the
 * code of `tool` at once, if that is known. The code of a tool of a tools directory is in `module`.
 * The Worker takes on `landlock` before its first job, for good,
 * and answers one job at a time. Its tools may start `helper`. `close` ends it, whatever a tool does
 * there.
 */
export function confinedWorker({ tool = "", module, permissions, workerModule, landlock, helper }: {
  tool?: string;
  module?: ToolModule | undefined;
  permissions:
    | typeof EVERY_PERMISSION
    | Omit<RuntimePermissions, "ffi" | "run"> & { ffi: boolean; run: false | string[] };
  workerModule: string;
  landlock?: WorkerLandlock;
  helper?: Helper | undefined;
}): Executor {
  const worker = new Worker(workerModule, {
    type: "module",
    name: module === undefined ? tool : "",
    deno: { permissions: { ...permissions, sys: permissions.sys as boolean } },
  });
  const remote = new RemoteExecutor({
    send: (order) => worker.postMessage(order),
    close: () => worker.terminate(),
  }, tool);
  worker.onmessage = (event: MessageEvent<FromWorker>) => remote.receive(event.data);
  worker.onerror = (event) => {
    event.preventDefault();
    // The code of a module is the user's.
    const code = module === undefined ? "internal" : "tool_failed";
    remote.fail(new CallError(code, `The tool's thread ended: ${event.message}`));
  };
  if (module !== undefined) worker.postMessage({ module });
  return {
    ...(module && { ask: (question) => remote.askModule({ module, question }) }),
    async run(job, options) {
      refuseDeep(job);
      const extra = { helperPath: helper?.path, ...(landlock && { landlock }) };
      return await remote.run(job, options, extra);
    },
    close: () => remote.close(),
  };
}

/** A message of a Worker that runs jobs. */
type FromWorker = Answer | Ask | Printed | ModuleAnswer;

/** The part of a Worker's global scope that is used here. */
interface WorkerScope {
  /** The tool whose code is needed first, or nothing. */
  readonly name: string;
  onmessage: ((event: MessageEvent<Order | ReadOrder | LineOrder | ModuleOrder>) => void) | null;
  postMessage(message: FromWorker | ReadAnswers | LineAnswers): void;
}

/** Loads the function that answers lines of `submit`, which few Workers need. */
export type LoadLineAnswerer = (parts: {
  enterSandbox(rights: ReadRights): Promise<void>;
  loadTool(name: string): ReturnType<typeof loadTool>;
}) => Promise<(order: LineOrder) => Promise<LineAnswers>>;

/**
 * Answers the jobs that this Worker is sent, one at a time, for the tools of `registry`. The prints
 * of these tools, also to `stdout`, go to the thread that has started the Worker.
 */
export function answerJobs(
  registry: Registry,
  stdout: Parameters<typeof redirectPrints>[0],
  loadLineAnswerer?: LoadLineAnswerer,
): void {
  const scope = globalThis as unknown as WorkerScope;
  redirectPrints(stdout);
  const hearTool = (name: string) =>
    hear(name, limitPrints(({ level, text }) => scope.postMessage({ level, print: text })));
  hearTool(scope.name);
  let abort = new AbortController();
  let isRestricted = false;
  let helper: Helper | undefined;
  let inDirectories: InDirectories = (_, run) => run();
  const services = new RemoteServices((ask) => scope.postMessage(ask));
  // A Worker that does not know its tool yet may have to enter a sandbox with its first job.
  if (scope.name !== "") withoutNativeCode();
  const first = scope.name === "" ? undefined : loadTool(scope.name, registry);
  const module = new ModuleTool();
  const reads = new ReadAnswerer(registry, (answers) => scope.postMessage(answers));
  let lines: Promise<(order: LineOrder) => Promise<LineAnswers>> | undefined;
  let answered: Promise<void> = Promise.resolve();
  scope.onmessage = async ({ data }) => {
    if ("reads" in data) await reads.take(data);
    else if ("lines" in data) {
      // The thread that sent the order answers it itself if this one cannot.
      lines ??= loadLineAnswerer!({ enterSandbox, loadTool: (name) => loadTool(name, registry) });
      const answer = lines;
      // The answers have the order of the orders.
      answered = answered.then(async () => scope.postMessage(await (await answer)(data)));
      await answered;
    } else if ("stop" in data) {
      abort.abort(new DOMException(data.stop.message, data.stop.name));
    } else if ("reply" in data) {
      services.receive(data);
    } else if ("module" in data) {
      // No code of the module may run with native code.
      withoutNativeCode();
      module.load(data.module);
      if (data.question !== undefined) scope.postMessage(await module.answer(data.question));
    } else {
      abort = new AbortController();
      if (data.helperPath !== undefined) helper ??= await openHelper(data.helperPath);
      if (data.landlock === undefined && !isRestricted) withoutNativeCode();
      hearTool(data.job.tool);
      const tool = module.tool() ?? first ?? loadTool(data.job.tool, registry);
      const landlock = isRestricted ? undefined : data.landlock;
      isRestricted ||= landlock !== undefined;
      const { job } = data;
      scope.postMessage(
        await answerTo(async () => {
          const { tool: registered, definition } = await tool;
          if (landlock !== undefined && registered !== undefined) {
            const confined = await confine(registered, job, { ...landlock, helper });
            inDirectories = confined ?? inDirectories;
          }
          const running = { signal: abort.signal, serve: services.serve };
          const context = confinedContext(job, running, { helper, landlock: isRestricted });
          return await inDirectories(job, async () => await definition.run(job.args, context));
        }, module),
      );
    }
  };
}

/** Prepares the helper before native code is given up. */
async function openHelper(path: string): Promise<Helper> {
  const { Helper } = await import("./helper.ts");
  const helper = new Helper(path);
  helper.open();
  return helper;
}

/**
 * Gives up native code, before any tool's code runs. A Worker that has every permission keeps it.
 * Only such a Worker may import code from elsewhere.
 */
function withoutNativeCode(): void {
  const has = (name: "ffi" | "import") => Deno.permissions.querySync({ name }).state === "granted";
  if (has("ffi") && !has("import")) leaveNativeCode();
}

/** Runs a job so that files are changed only in the directories that it was authorised for. */
type InDirectories = (job: Job, run: () => Promise<ExecutorOutput>) => Promise<ExecutorOutput>;

async function confine(
  tool: RegisteredTool,
  job: Job,
  { programDirectory, isKept, helper }: WorkerLandlock & { helper: Helper | undefined },
): Promise<InDirectories | undefined> {
  const { confineKeptWorker, confineWorker } = await import("../linux/file_sandbox.ts");
  if (isKept) return confineKeptWorker(tool, job, { programDirectory, helper });
  confineWorker(tool, job, { programDirectory, helper });
  return undefined;
}
