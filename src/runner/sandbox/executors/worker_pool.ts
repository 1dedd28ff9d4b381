import { CallError } from "../../../base/errors.ts";
import { Semaphore } from "../../../base/async/semaphore.ts";
import type { PermissionKind } from "../../registry/define.ts";
import type { Program } from "../../program.ts";
import type { Grants } from "../policy/grants.ts";
import { permissionsOf } from "../policy/permissions.ts";
import type { Executor, ExecutorOutput, Job, RunOptions } from "./executor.ts";
import { confinedWorker } from "./worker.ts";

/** The most Workers that are busy, each until its call's time limit, and the most idle ones. */
const MAX_WORKERS = 8;
/** The time that a Worker without a job is kept, in milliseconds. */
const IDLE_MS = 30_000;

/**
 * Workers for the calls of a process that answers many. A Worker that has answered is used again
 * for a job of the same kind. A Worker that was stopped, or that wrote, is not.
 */
export class WorkerPool {
  #idle: { kind: string; worker: Executor; timer: ReturnType<typeof setTimeout> }[] = [];
  #turns = new Semaphore(MAX_WORKERS);

  /**
   * The executor of one call in a Worker of the pool. With `landlock` the Worker takes on the
   * kernel's restrictions before its first call. They open every file that the flags open to the
   * kinds of the tool.
   */
  executor({ program, grants, kinds, landlock }: {
    program: Program;
    grants: Grants;
    kinds: readonly PermissionKind[];
    landlock: boolean;
  }): Executor {
    const { workerModule } = program;
    const programDirectory = Deno.realPathSync(program.directory);
    const permissions = { ...permissionsOf(kinds, { grants, own: programDirectory }), ffi: true };
    if (!landlock) {
      return this.#executorOfKind(JSON.stringify(kinds), { permissions, workerModule });
    }
    // The kernel restricts the paths, so the runtime only restricts the other kinds.
    const opened = { ...permissions, read: true, write: true } as const;
    const options = { permissions: opened, workerModule, landlock: { programDirectory } };
    return this.#executorOfKind(JSON.stringify([kinds, grants]), options);
  }

  /** The executor of one job in a Worker of that kind, which `options` starts. */
  #executorOfKind(kind: string, options: Parameters<typeof confinedWorker>[0]): Executor {
    let worker: Executor | undefined;
    const runOnce = async (job: Job, running: RunOptions): Promise<ExecutorOutput> => {
      let isGood = true;
      try {
        return await worker!.run(job, running);
      } catch (error) {
        // A tool that failed leaves its thread usable.
        isGood = error instanceof CallError && error.code === "tool_failed" && !isRefusal(error);
        throw error;
      } finally {
        // This Worker's sandbox opens what its job writes, so no other job may use it.
        const isSpent = options.landlock !== undefined && job.writes.length > 0;
        if (isGood && !isSpent) this.#keep(kind, worker!);
        else worker!.close();
        worker = undefined;
      }
    };
    const runInTurn = async (job: Job, running: RunOptions): Promise<ExecutorOutput> => {
      running.signal.throwIfAborted();
      worker = job.writes.length > 0 ? undefined : this.#take(kind);
      const wasUsed = worker !== undefined;
      worker ??= confinedWorker(options);
      try {
        return await runOnce(job, running);
      } catch (error) {
        // Files that were made or replaced since that Worker entered its sandbox are closed to it.
        if (!wasUsed || !isRefusal(error)) throw error;
        worker = confinedWorker(options);
        return await runOnce(job, running);
      }
    };
    return {
      run: (job, running) => this.#turns.run(() => runInTurn(job, running), running.signal),
      close: () => worker?.close(),
    };
  }

  /** Ends the Workers that have no job. */
  close(): void {
    while (this.#idle.length > 0) this.#take(this.#idle[0]!.kind)?.close();
  }

  #take(kind: string): Executor | undefined {
    const idle = this.#idle.findLast((each) => each.kind === kind);
    if (idle === undefined) return undefined;
    this.#idle.splice(this.#idle.indexOf(idle), 1);
    clearTimeout(idle.timer);
    return idle.worker;
  }

  #keep(kind: string, worker: Executor): void {
    // Each client may have flags, and so a kind, of its own.
    if (this.#idle.length >= MAX_WORKERS) this.#take(this.#idle[0]!.kind)?.close();
    const timer = setTimeout(() => {
      this.#idle = this.#idle.filter((each) => each.worker !== worker);
      worker.close();
    }, IDLE_MS);
    Deno.unrefTimer(timer);
    this.#idle.push({ kind, worker, timer });
  }
}

function isRefusal(error: unknown): boolean {
  const code = error instanceof CallError ? error.details["systemError"] : undefined;
  return code === "EACCES" || code === "EPERM";
}
