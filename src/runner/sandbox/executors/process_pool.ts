import { CallError } from "../../../base/errors.ts";
import type { Executor, ExecutorOutput, Job, RunOptions } from "./executor.ts";
import { KeptProcess, type ProcessKind } from "./kept_process.ts";

/** The most processes without a job that are kept. */
const MAX_IDLE = 4;
/**
 * The time that a process without a job is kept, and the longest job after which it is kept, in
 * milliseconds. After ten seconds the runtime ends threads that were not needed. The next ones would
 * be in the sandbox, where programs can send signals to them.
 */
const IDLE_MS = 5_000;
/** The most processes that start at the same time. */
const MAX_STARTING = navigator.hardwareConcurrency;

/** A process that waits for a job. */
interface Idle {
  key: string;
  process: KeptProcess;
  timer: ReturnType<typeof setTimeout>;
  /** The time until which it is kept: a timer may be late. */
  end: number;
}

/** A call that waits for a process. */
interface Waiting {
  key: string;
  kind: ProcessKind;
  give(process: KeptProcess): void;
  fail(error: unknown): void;
}

/**
 * Processes for the calls of a long-lived process that start programs. Each has entered the sandbox
 * of its flags, and takes one call at a time. It takes another one if it says that nothing of the
 * last one is left, and if a new sandbox would be the same.
 */
export class ProcessPool {
  #idle: Idle[] = [];
  #waiting: Waiting[] = [];
  #starting = new Map<string, number>();
  #isClosed = false;

  /** The executor of one call in a process of the pool. */
  executor(kind: ProcessKind): Executor {
    const key = JSON.stringify([kind.flags, kind.cwd]);
    let process: KeptProcess | undefined;
    const run = async (job: Job, running: RunOptions): Promise<ExecutorOutput> => {
      process = await this.#take(key, kind, running.signal);
      let isGood = false;
      const end = performance.now() + IDLE_MS;
      try {
        const output = await process.run(job, running);
        isGood = true;
        return output;
      } catch (error) {
        isGood = error instanceof CallError && error.code === "tool_failed" &&
          error.details["perhapsRefused"] === undefined;
        throw error;
      } finally {
        const isFree = process.isFree && performance.now() < end;
        if (isGood && isFree && !running.signal.aborted) this.#give(key, process);
        else this.#replace(key, kind, process);
        process = undefined;
      }
    };
    return { run, close: () => process?.end() };
  }

  /** Ends the processes that have no job. The others end with their jobs. */
  close(): void {
    this.#isClosed = true;
    for (const idle of [...this.#idle]) this.#drop(idle);
  }

  /** Waits for a process of the kind. */
  async #take(key: string, kind: ProcessKind, signal: AbortSignal): Promise<KeptProcess> {
    signal.throwIfAborted();
    for (const idle of this.#idle.filter((each) => each.key === key).reverse()) {
      this.#remove(idle);
      if (performance.now() < idle.end && idle.process.isCurrent(kind)) return idle.process;
      idle.process.end();
    }
    return await new Promise((resolve, reject) => {
      const waiting: Waiting = {
        ...{ key, kind },
        give: (process) => leave(() => resolve(process)),
        fail: (error) => leave(() => reject(error)),
      };
      const abort = () => waiting.fail(signal.reason);
      const leave = (settle: () => void) => {
        signal.removeEventListener("abort", abort);
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        settle();
      };
      signal.addEventListener("abort", abort);
      this.#waiting.push(waiting);
      this.#startForWaiting();
    });
  }

  /** Starts as many processes as calls wait for, and as the machine can start at the same time. */
  #startForWaiting(): void {
    for (const [key, waiting] of Map.groupBy(this.#waiting, ({ key }) => key)) {
      for (let started = this.#starting.get(key) ?? 0; started < waiting.length; started++) {
        if (!this.#start(key, waiting[0]!.kind)) return;
      }
    }
  }

  /** Starts a process. Returns whether there was room. */
  #start(key: string, kind: ProcessKind): boolean {
    const total = [...this.#starting.values()].reduce((sum, count) => sum + count, 0);
    if (total >= MAX_STARTING || this.#isClosed) return false;
    this.#starting.set(key, (this.#starting.get(key) ?? 0) + 1);
    this.#started(key, kind);
    return true;
  }

  async #started(key: string, kind: ProcessKind): Promise<void> {
    try {
      const process = new KeptProcess(kind.program, kind.flags);
      await process.ready;
      // Its sandbox is as old as its start, so it is not compared.
      const waiting = this.#waitingFor(key);
      if (waiting !== undefined) waiting.give(process);
      else this.#keep(key, process);
    } catch (error) {
      this.#waitingFor(key)?.fail(error);
    } finally {
      const left = this.#starting.get(key)! - 1;
      if (left === 0) this.#starting.delete(key);
      else this.#starting.set(key, left);
      this.#startForWaiting();
    }
  }

  /** Gives a process to the first call that waits for one, or keeps it. */
  #give(key: string, process: KeptProcess): void {
    const waiting = this.#waitingFor(key);
    if (waiting === undefined) return this.#keep(key, process);
    if (process.isCurrent(waiting.kind)) return waiting.give(process);
    process.end();
    this.#startForWaiting();
  }

  /** Ends a process that is not used again, and starts another for the next call. */
  #replace(key: string, kind: ProcessKind, process: KeptProcess): void {
    process.end();
    const hasOther = this.#idle.some((each) => each.key === key) || this.#starting.has(key);
    if (!hasOther) this.#start(key, kind);
  }

  #keep(key: string, process: KeptProcess): void {
    if (this.#isClosed) return process.end();
    if (this.#idle.length >= MAX_IDLE) this.#drop(this.#idle[0]!);
    const timer = setTimeout(() => this.#drop(idle), IDLE_MS);
    Deno.unrefTimer(timer);
    const idle: Idle = { key, process, timer, end: performance.now() + IDLE_MS };
    this.#idle.push(idle);
  }

  #drop(idle: Idle): void {
    this.#remove(idle);
    idle.process.end();
  }

  #remove(idle: Idle): void {
    clearTimeout(idle.timer);
    this.#idle = this.#idle.filter((each) => each !== idle);
  }

  #waitingFor(key: string): Waiting | undefined {
    return this.#waiting.find((each) => each.key === key);
  }
}
