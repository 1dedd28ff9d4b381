import { dirname } from "@std/path/posix/dirname";
import { CallError } from "../../../base/errors.ts";
import { Semaphore } from "../../../base/async/semaphore.ts";
import type { PermissionKind } from "../../registry/define.ts";
import type { Program } from "../../program.ts";
import { secretDirectories } from "../policy/closed_paths.ts";
import { type Grants, isUnrestricted } from "../policy/grants.ts";
import { EVERY_PERMISSION, permissionsOf } from "../policy/permissions.ts";
import type { Helper } from "./helper.ts";
import { belongsToAnother } from "../linux/file_sandbox.ts";
import type { Executor, ExecutorOutput, FileToWrite, Job, RunOptions } from "./executor.ts";
import { requireFreeDescriptors } from "./free_descriptors.ts";
import type { ProcessPool } from "./process_pool.ts";
import { confinedWorker } from "./worker.ts";

/** The most Workers without a job that are kept. */
const MAX_IDLE = 8;
/** The most jobs at the same time that have a permission. Others wait for a service, or a person. */
const MAX_BUSY = 8;
/** The time that a Worker without a job is kept, in milliseconds. */
const IDLE_MS = 30_000;
/** The most jobs that begin at the same time: each may have to start its Worker. */
const MAX_BEGINNING = navigator.hardwareConcurrency;
/**
 * The time after which a job no longer counts as beginning, in milliseconds: it may take long. A
 * job that has no permission only waits, so it counts for a shorter time.
 */
const BEGINNING_MS = { working: 1_000, waiting: 100 };

/** The calls that a Worker can take, besides the kinds of permission that it has. */
interface WorkerKind {
  program: Program;
  grants: Grants;
  kinds: readonly PermissionKind[];
  landlock: boolean;
  /** Whether the Worker has every permission. */
  isOpen?: true;
  /** The helper that calls may start. */
  helper: Helper | undefined;
}

/**
 * Workers for the calls of a process that answers many. A Worker that has answered is used again
 * for a job of the same kind. A Worker that was stopped is not.
 */
export class WorkerPool {
  #idle: { kind: string; worker: Executor; timer: ReturnType<typeof setTimeout> }[] = [];
  /** Open files and the like that later calls use again, by name. They are closed with the pool. */
  readonly kept = new Map<string, { close(): void }>();
  /** Directories that are closed to Workers for several jobs, such as around a denied path. */
  #closed = new Set<string>();
  #beginning = new Semaphore(MAX_BEGINNING);
  #busy = new Semaphore(MAX_BUSY);
  #processes: Promise<ProcessPool> | undefined;
  #programDirectory: string | undefined;
  #isClosed = false;

  /**
   * The executor of one call in a Worker of the pool. With `landlock` the Worker takes on the
   * kernel's restrictions before its first call. They open every file that the flags open to the
   * kinds of the tool. Its calls may start `helper`.
   */
  executor({ program, grants, kinds, landlock, isOpen, helper }: WorkerKind): Executor {
    const { workerModule } = program;
    const own = this.#programDirectory ??= Deno.realPathSync(program.directory);
    const kind = JSON.stringify([kinds, grants, landlock, isOpen, helper?.path]);
    const permissions = permissionsOf(kinds, { grants, own });
    if (!landlock) {
      // Native code opens files that only the kernel restricts.
      const restricted = { ...permissions, ffi: isUnrestricted(grants) };
      const options = {
        permissions: isOpen ? EVERY_PERMISSION : restricted,
        ...{ workerModule, helper },
      };
      const start = () => confinedWorker(options);
      return this.#executorOfKind(kind, { start, waits: kinds.length === 0 });
    }
    // The kernel restricts the paths, so the runtime only restricts the other kinds. A Worker that
    // is kept changes files through open directories only, for which it needs no permission.
    const opened = { ...permissions, read: true, ffi: true } as const;
    const startWith = (write: true | [], isKept: boolean) => () =>
      confinedWorker({
        permissions: { ...opened, write },
        workerModule,
        landlock: { programDirectory: own, isKept },
        helper,
      });
    return this.#executorOfKind(kind, {
      start: startWith([], true),
      startForOne: startWith(true, false),
      // Around closed paths the sandbox opens what is there, and a search would not notice a later
      // ignore file.
      isSpent: helper !== undefined && hasClosedPaths(grants),
    });
  }

  /** The processes for calls that start programs. */
  processes(): Promise<ProcessPool> {
    return this.#processes ??= import("./process_pool.ts").then(({ ProcessPool }) => {
      const pool = new ProcessPool();
      if (this.#isClosed) pool.close();
      return pool;
    });
  }

  /**
   * The executor of one job in a Worker of that kind. `start` starts a Worker for several jobs, and
   * `startForOne` one for a job alone, whose sandbox is made for that job. With `isSpent` a Worker is
   * used for one job only.
   */
  #executorOfKind(
    kind: string,
    { start, startForOne, waits = false, isSpent = false }: {
      start: () => Executor;
      startForOne?: () => Executor;
      waits?: boolean;
      isSpent?: boolean;
    },
  ): Executor {
    let worker: Executor | undefined;
    const runOnce = async (
      job: Job,
      running: RunOptions,
      keep: (error?: unknown) => boolean,
    ): Promise<ExecutorOutput> => {
      let isKept = false;
      try {
        const output = await worker!.run(job, running);
        isKept = keep();
        return output;
      } catch (error) {
        // A tool that failed leaves its thread usable.
        isKept = error instanceof CallError && error.code === "tool_failed" && keep(error);
        throw error;
      } finally {
        if (isKept && !isSpent) this.#keep(kind, worker!);
        else worker!.close();
        worker = undefined;
      }
    };
    const run = async (job: Job, running: RunOptions): Promise<ExecutorOutput> => {
      running.signal.throwIfAborted();
      const place = JSON.stringify([kind, ...job.writes.map(({ path }) => dirname(path))]);
      const isForOne = this.#closed.has(place) || job.writes.some(isOfOther);
      if (startForOne === undefined || !isForOne) {
        const idle = this.#take(kind);
        if (idle === undefined) requireFreeDescriptors();
        worker = idle ?? start();
        const isSandboxOld = idle !== undefined && startForOne !== undefined;
        const given = isSandboxOld ? { ...job, isSandboxOld } : job;
        try {
          return await runOnce(given, running, (error) => idle === undefined || !isRefusal(error));
        } catch (error) {
          // Files that were made or replaced since that Worker entered its sandbox are closed to
          // it. Some that a job may write are closed to every Worker for several jobs.
          const mayDiffer = startForOne !== undefined &&
            (idle !== undefined || job.writes.length > 0);
          if (!mayDiffer || !isRefusal(error)) throw error;
          if (idle === undefined) this.#closed.add(place);
        }
      }
      requireFreeDescriptors();
      worker = startForOne!();
      return await runOnce(job, running, () => false);
    };
    return {
      run: (job, running) => {
        const { signal } = running;
        const work = () => run(job, running);
        const ms = waits ? BEGINNING_MS.waiting : BEGINNING_MS.working;
        const inTurn = () => this.#beginning.runAtMost(ms, work, signal);
        return waits ? inTurn() : this.#busy.run(inTurn, signal);
      },
      close: () => worker?.close(),
    };
  }

  /** Ends the Workers and processes that have no job. The others end with their jobs. */
  close(): void {
    this.#isClosed = true;
    for (const each of this.kept.values()) each.close();
    this.kept.clear();
    this.#processes?.then((pool) => pool.close());
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
    if (this.#idle.length >= MAX_IDLE) this.#take(this.#idle[0]!.kind)?.close();
    const timer = setTimeout(() => {
      this.#idle = this.#idle.filter((each) => each.worker !== worker);
      worker.close();
    }, IDLE_MS);
    Deno.unrefTimer(timer);
    this.#idle.push({ kind, worker, timer });
  }
}

/** Whether root would have to give a file to its owner again: only a Worker for one job may. */
function isOfOther(file: FileToWrite): boolean {
  return Deno.uid() === 0 && belongsToAnother(file);
}

/** Whether the flags close a path, perhaps inside what they open. */
function hasClosedPaths(grants: Grants): boolean {
  const { deny, audit } = grants;
  return deny.read !== undefined || audit !== undefined || secretDirectories(grants).length > 0;
}

/** Whether the kernel or the runtime has refused access to a file. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  const { code, details: { systemError } } = error;
  return code === "permission_denied" || systemError === "EACCES" || systemError === "EPERM";
}
