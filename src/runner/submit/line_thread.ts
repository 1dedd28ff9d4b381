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
  #waiting: ((answers: LineAnswers) => void)[] = [];

  /** Starts the Worker with the rights of all calls. */
  constructor(options: ReaderOptions) {
    const { worker, rights } = startReadingWorker(options);
    this.#worker = worker;
    this.#rights = rights;
    worker.onmessage = ({ data }: MessageEvent<LineAnswers>) => this.#waiting.shift()?.(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.close();
    };
  }

  /** Whether it takes another order. */
  get hasRoom(): boolean {
    return this.#worker !== undefined && this.#waiting.length < MAX_ORDERS;
  }

  /** Answers lines with calls of these tools. Never rejects. */
  answer(lines: readonly InputLine[], tools: string[]): Promise<LineAnswers> {
    const order: LineOrder = {
      lines: lines.map(({ text }) => text),
      numbers: lines.map(({ number }) => number),
      tools,
      ...(this.#rights && { rights: this.#rights }),
    };
    this.#rights = undefined;
    this.#worker?.postMessage(order);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Ends the Worker. The lines that it has take the usual way. */
  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const resolve of this.#waiting) resolve({ results: [], tools: [], durations: [] });
    this.#waiting = [];
  }
}

/** The number of lines after which threads help, because starting one takes as long as these. */
const HELP_AFTER = 256;
/** The least and the most lines that a thread gets at once. */
const [MIN_LINES, MAX_LINES] = [16, 512];

/** Threads for lines, each of which starts when there are lines for it. */
export class LineThreads {
  readonly #threads: LineThread[] = [];
  #offered = 0;

  /** Takes the most threads, and the calls that they may run. */
  constructor(readonly most: number, readonly calls: Pick<QuickCalls, "shortReads">) {}

  /** Answers the first half of these lines in a thread. Returns `undefined` if none has room. */
  answer(
    lines: readonly InputLine[],
  ): { count: number; answers: Promise<LineAnswers> } | undefined {
    const count = Math.min(Math.floor(lines.length * 2 / 3), MAX_LINES);
    if (++this.#offered < HELP_AFTER || count < MIN_LINES) return undefined;
    const reads = this.calls.shortReads();
    if (reads === undefined || reads.tools.length === 0) return undefined;
    let thread = this.#threads.find(({ hasRoom }) => hasRoom);
    // A thread that has failed is not replaced: another one would fail too.
    if (thread === undefined && this.#threads.length < this.most) {
      thread = new LineThread(reads.options);
      this.#threads.push(thread);
    }
    return thread && { count, answers: thread.answer(lines.slice(0, count), reads.tools) };
  }

  /** Ends the threads. */
  close(): void {
    for (const thread of this.#threads) thread.close();
  }
}
