/** A second thread for the lines of a submission that read short files: the end that starts it. */

import {
  type LineAnswers,
  type LineOrder,
  type ReaderOptions,
  type ReadRights,
  startReadingWorker,
} from "../sandbox/executors/reader.ts";
import type { QuickCalls } from "../call/quick_calls.ts";
import type { InputLine } from "./input_line.ts";

/** The most orders that wait in the thread, so that it never waits for this one. */
const MAX_ORDERS = 2;

/**
 * Answers lines in a Worker, which parses them, runs their calls and makes the result lines. It
 * answers only calls that succeed at once, and gives back every other line.
 */
class LineThread {
  #rights: ReadRights | undefined;
  #worker: Worker | undefined;
  readonly #answered = new Int32Array(new SharedArrayBuffer(4));
  #taken = 0;
  #waiting: PromiseWithResolvers<LineAnswers>[] = [];

  /** Starts the Worker with the rights of all calls. */
  constructor(options: ReaderOptions) {
    const { worker, rights } = startReadingWorker(options);
    this.#worker = worker;
    this.#rights = rights;
    worker.onmessage = ({ data }: MessageEvent<LineAnswers>) => {
      this.#taken++;
      this.#waiting.shift()?.resolve(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.close();
    };
  }

  /** Whether it takes another order. */
  get hasRoom(): boolean {
    return this.#worker !== undefined && this.#waiting.length < MAX_ORDERS;
  }

  /** The answers that the thread has sent and this one has not received, if there are any. */
  get sent(): Promise<LineAnswers> | undefined {
    const isSent = Atomics.load(this.#answered, 0) !== this.#taken;
    return isSent ? this.#waiting[0]?.promise : undefined;
  }

  /** Answers lines with calls of the tools. Never rejects. */
  answer(
    lines: readonly InputLine[],
    how: Pick<LineOrder, "tools" | "isTimed">,
  ): Promise<LineAnswers> {
    const order: LineOrder = {
      lines: bytesOf(lines),
      numbers: lines.map(({ number }) => number),
      ...how,
      answered: this.#answered,
      ...(this.#rights && { rights: this.#rights }),
    };
    this.#rights = undefined;
    this.#worker?.postMessage(order);
    const waiting = Promise.withResolvers<LineAnswers>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  /** Ends the Worker. The lines that it has take the usual way. */
  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { resolve } of this.#waiting) resolve({ runs: [], calls: [] });
    this.#waiting = [];
  }
}

const NEWLINE = 10;

/** The bytes of lines, each with its line end. */
function bytesOf(lines: readonly InputLine[]): Uint8Array {
  const all = new Uint8Array(lines.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const { bytes, length } of lines) {
    all.set(bytes, at);
    at += length;
    all[at - 1] = NEWLINE;
  }
  return all;
}

/** The number of lines after which threads help, because starting one takes as long as these. */
const HELP_AFTER = 256;
/** The least and the most lines that a thread gets at once. */
const [MIN_LINES, MAX_LINES] = [16, 128];

/** The most bytes of a line that a thread gets. Only a much longer line may have lost its end. */
const MAX_LINE_BYTES = 64 * 1024;

/** The number of lines that a thread gets of so many: two thirds, because this thread has more work. */
function shareOf(count: number): number {
  return Math.min(Math.floor(count * 2 / 3), MAX_LINES);
}

/** Threads for lines, each of which starts when there are lines for it. */
export class LineThreads {
  readonly #threads: LineThread[] = [];
  #offered = 0;

  /** Takes the most threads, and the calls that they may run. */
  constructor(readonly most: number, readonly calls: Pick<QuickCalls, "shortReads">) {}

  /** Whether there are enough lines for a thread, and a thread has room. Counts how often it is asked. */
  hasRoomFor(count: number): boolean {
    if (++this.#offered < HELP_AFTER || shareOf(count) < MIN_LINES) return false;
    // A thread that has failed is not replaced: another one would fail too.
    return this.#threads.length < this.most || this.#threads.some(({ hasRoom }) => hasRoom);
  }

  /**
   * Answers the first of these lines in a thread that has room, with the duration of each call if
   * `isTimed`. Returns `undefined` if no tool allows it, or the first line is too long for it.
   */
  answer(
    lines: readonly InputLine[],
    isTimed: boolean,
  ): { count: number; answers: Promise<LineAnswers> } | undefined {
    const reads = this.calls.shortReads();
    if (reads === undefined || reads.tools.length === 0) return undefined;
    const share = lines.slice(0, shareOf(lines.length));
    const long = share.findIndex(({ length }) => length > MAX_LINE_BYTES);
    const given = long < 0 ? share : share.slice(0, long);
    if (given.length === 0) return undefined;
    let thread = this.#threads.find(({ hasRoom }) => hasRoom);
    if (thread === undefined) this.#threads.push(thread = new LineThread(reads.options));
    const answers = thread.answer(given, { tools: reads.tools, isTimed });
    return { count: given.length, answers };
  }

  /** The answers that wait to be received, if there are any. */
  get sent(): Promise<LineAnswers> | undefined {
    for (const { sent } of this.#threads) if (sent !== undefined) return sent;
    return undefined;
  }

  /** Ends the threads. */
  close(): void {
    for (const thread of this.#threads) thread.close();
  }
}
