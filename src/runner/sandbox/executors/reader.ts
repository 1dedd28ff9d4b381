/** One Worker that answers many short reads, one after the other: the end that starts it. */

import type { ToolOutput } from "../../../base/content.ts";
import type { Program } from "../../program.ts";
import type { Grants } from "../policy/grants.ts";
import { permissionsOf } from "../policy/permissions.ts";
import type { Job, WorkerLandlock } from "./executor.ts";
import { hasFreeDescriptors } from "./free_descriptors.ts";

/** One read of a file or directory, authorised, as plain data. */
export type Read = Pick<Job, "tool" | "args" | "paths">;

/** The part of a job that all reads of one Worker share. */
export type ReadRights = Pick<Job, "cwd" | "grants"> & {
  structured: boolean;
  landlock?: Pick<WorkerLandlock, "programDirectory"> | undefined;
};

/** A message to the Worker. The first one has the rights, which it takes on for good. */
export interface ReadOrder {
  /** The reads, each with its number. */
  reads: [id: number, read: Read][];
  /** The rights of all reads. */
  rights?: ReadRights;
}

/**
 * The answers of the Worker by the numbers of the reads. A read that failed or printed something has
 * no output. `isRefused` tells that the system refused it a file.
 */
export type ReadAnswers = [id: number, output: ToolOutput | undefined, isRefused: boolean][];

/** Lines of `submit` for such a Worker, which parses them and runs their calls. */
export interface LineOrder {
  /** The lines in UTF-8, each with its line end. */
  lines: Uint8Array;
  /** Their numbers. */
  numbers: number[];
  /** The tools whose calls it may run. */
  tools: string[];
  /** Whether the answers need the duration of each call. */
  isTimed: boolean;
  /** Counts the orders that are answered. Both threads see it at once, before the message comes. */
  answered: Int32Array<SharedArrayBuffer>;
  /** The rights, in the first order. The thread takes them on for good. */
  rights?: ReadRights;
}

/** The answers to the lines of an order. A line that no run has takes the usual way. */
export interface LineAnswers {
  /** Lines that follow one another: the place of the first, their number, and their result lines. */
  runs: { at: number; count: number; results: Uint8Array }[];
  /** The tool and the duration in milliseconds of each call in the runs, if the order is timed. */
  calls: [tool: string, ms: number][];
}

/**
 * How long one read may keep the others waiting, in milliseconds. On a busy machine a thread may not
 * run for a tenth of a second, and that must not end it.
 */
const MAX_MS = 500;
/** The time that the Worker has to start and to answer its first read, in milliseconds. */
const MAX_START_MS = 10_000;
/** The time that a Worker without a read is kept, in milliseconds. */
const IDLE_MS = 30_000;
/** The time after which a Worker that was refused a file is replaced, in milliseconds. */
const RENEW_MS = 1_000;
/** The most reads in one message. With smaller messages both threads work at the same time. */
const MAX_READS = 16;

/** The options of a {@link Reader}. */
export interface ReaderOptions {
  /** This program. */
  program: Program;
  /** The permissions of the flags. */
  grants: Grants;
  /** The working directory. */
  cwd: string;
  /** Whether results have data. */
  structured: boolean;
  /** Whether the kernel restricts the Worker. Only unrestricted grants do without. */
  landlock: boolean;
}

/**
 * Starts a Worker with the rights of the flags to read. Its first message has to hold the `rights`,
 * which it takes on for good.
 */
export function startReadingWorker(
  { program, grants, cwd, structured, landlock }: ReaderOptions,
): { worker: Worker; rights: ReadRights } {
  const programDirectory = Deno.realPathSync(program.directory);
  const permissions = permissionsOf(["read"], { grants, own: programDirectory });
  // The kernel restricts the paths, so the runtime only restricts the other kinds.
  const opened = landlock ? { ...permissions, read: true as const } : permissions;
  const worker = new Worker(program.workerModule, {
    type: "module",
    name: "",
    deno: { permissions: { ...opened, sys: [], ffi: true } },
  });
  const confinement = landlock ? { programDirectory } : undefined;
  return { worker, rights: { cwd, grants, structured, landlock: confinement } };
}

/**
 * Runs reads in one Worker with the rights of the flags to read. Starting nothing for each read,
 * and sending several at once, makes them cheap. The Worker is only for reads that end soon: if one
 * keeps the others waiting, the Worker is ended, and the caller runs all of them in another way.
 */
export class Reader {
  #worker: Worker | undefined;
  #waiting = new Map<number, (output: ToolOutput | undefined) => void>();
  #unsent: ReadOrder["reads"] = [];
  #count = 0;
  #hasAnswered = false;
  #startedAt = 0;
  #watch: ReturnType<typeof setTimeout> | undefined;

  /** Takes the rights of all reads. */
  constructor(readonly options: ReaderOptions) {}

  /** How many reads it has. */
  get load(): number {
    return this.#waiting.size;
  }

  /** Runs a read. Resolves to `undefined` if it failed or took too long. It never rejects. */
  run(read: Read): Promise<ToolOutput | undefined> {
    if (this.#worker === undefined && !hasFreeDescriptors()) return Promise.resolve(undefined);
    this.#worker ??= this.#start();
    const id = this.#count++;
    const isBusy = this.#waiting.size > this.#unsent.length;
    const count = this.#unsent.push([id, read]);
    // While the Worker reads, the next message fills up.
    if (count === MAX_READS) this.#send();
    else if (count === 1 && !isBusy) queueMicrotask(() => this.#send());
    const done = new Promise<ToolOutput | undefined>((resolve) => this.#waiting.set(id, resolve));
    if (this.#watch === undefined) this.#watchReads();
    return done;
  }

  /** Ends the Worker. The reads that wait resolve to `undefined`. */
  close(): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#unsent = [];
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const resolve of waiting) resolve(undefined);
  }

  #send(rights?: ReadRights): void {
    if (this.#unsent.length === 0 && rights === undefined) return;
    const order: ReadOrder = { reads: this.#unsent, ...(rights && { rights }) };
    this.#unsent = [];
    this.#worker?.postMessage(order);
  }

  #start(): Worker {
    const { worker, rights } = startReadingWorker(this.options);
    this.#worker = worker;
    this.#hasAnswered = false;
    this.#startedAt = performance.now();
    worker.onmessage = ({ data }: MessageEvent<ReadAnswers>) => this.#take(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.close();
    };
    this.#send(rights);
    return worker;
  }

  #take(answers: ReadAnswers): void {
    this.#hasAnswered = true;
    for (const [id, output] of answers) {
      this.#waiting.get(id)?.(output);
      this.#waiting.delete(id);
    }
    // A directory that was made anew since the Worker entered its sandbox is closed to it.
    const isRefused = answers.some(([, , refused]) => refused);
    if (isRefused && performance.now() - this.#startedAt > RENEW_MS) this.close();
    else this.#send();
  }

  /** Looks again and again whether the oldest read keeps the others waiting. */
  #watchReads(): void {
    const [oldest] = this.#waiting.keys();
    const count = this.#count;
    const ms = oldest === undefined ? IDLE_MS : this.#hasAnswered ? MAX_MS : MAX_START_MS;
    this.#watch = setTimeout(() => {
      const isStuck = oldest !== undefined && this.#waiting.has(oldest);
      const isIdle = oldest === undefined && this.#count === count;
      if (isStuck || isIdle) this.close();
      else this.#watchReads();
    }, ms);
    Deno.unrefTimer(this.#watch);
  }
}
