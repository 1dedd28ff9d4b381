import { delay } from "@std/async/delay";
import { Semaphore } from "../../base/async/semaphore.ts";
import { Wakeup } from "../../base/async/wakeup.ts";
import type { IncomingCall } from "../call/call.ts";
import { EagerPipes } from "../../base/fs/eager_pipes.ts";
import type { CallResult } from "../call/failure.ts";
import type { QuickResult } from "../call/short_reads.ts";
import type { Sink, Source } from "../cli/streams.ts";
import type { LineAnswers } from "../sandbox/executors/reader.ts";
import type { InputLine } from "./input_line.ts";
import { InputLines } from "./input_lines.ts";
import type { Tally } from "./progress_bar.ts";
import { plainResultLine, renderResultLine } from "./result_line.ts";
import { type LineOutput, type LinePlace, ResultWriter } from "./result_writer.ts";
import type { SubmissionOptions } from "./submission_options.ts";
import type { SubmittedLine } from "./submitted_line.ts";

/** The time to write the last results after it was stopped, in milliseconds. */
const LAST_MS = 2_000;

/** The name of a call that cannot be read, in the figures. */
const UNREADABLE = "(unreadable)";

/** The result of a call that another thread has answered, as far as the figures need it. */
const SUCCEEDED: CallResult = { content: [], isError: false };

/** The most quick calls that wait for each other. */
const MAX_QUICK = 128;

/** A line whose calls were read, and the place of its results. */
interface StartedLine extends SubmittedLine {
  line: InputLine;
  output: LineOutput;
  /** The time when it began, as `performance.now()` tells it. */
  begun: number;
}

/**
 * Runs the calls of an input, one call a line, and prints a line for each result. It reads no more
 * than it can run, and it starts no call while the reader of the results is far behind. So memory
 * stays the same, however long the input is.
 */
export class Submission {
  /** How far it is. */
  readonly tally: Tally = { done: 0, failed: 0, running: 0, bytes: 0 };
  readonly #options: SubmissionOptions;
  readonly #pipes = new EagerPipes();
  readonly #writer: ResultWriter;
  /** The lines that were read and have not started. */
  readonly #queue: InputLine[] = [];
  /** The lines that have started, and the calls of lines that are not quick. */
  readonly #started = new Set<Promise<void>>();
  readonly #running = new Set<AbortController>();
  readonly #jobs: Semaphore;
  #input: InputLines | undefined;
  #isStopped = false;
  #fault: { error: unknown } | undefined;
  readonly #changed = new Wakeup();

  /** Takes the output for the results. */
  constructor(sink: Sink, options: SubmissionOptions) {
    this.#options = options;
    this.#jobs = new Semaphore(options.jobs);
    this.#writer = new ResultWriter(sink, {
      isOrdered: options.isOrdered,
      pipes: this.#pipes,
      onRoom: () => this.#writer.isClosed ? this.stop() : this.#changed.wake(),
    });
  }

  /**
   * Runs every line of `source`. Resolves when all results are written, or when the submission was
   * stopped and its running calls have ended. Rejects with `unavailable` if the input cannot be read
   * or the results cannot be written.
   */
  async run(source: Source): Promise<void> {
    const isWaiting = () => this.#started.size === 0 && this.#writer.isIdle;
    this.#input = new InputLines((buffer) => this.#pipes.read(source, buffer, isWaiting));
    for (let lines; (lines = await this.#input.next()) !== undefined;) {
      for (const line of lines) {
        if (line.isBlank) this.tally.bytes += line.length;
        else this.#queue.push(line);
      }
      await this.#startAll();
      await this.#untilReady();
    }
    await this.#changed.until(() => this.#started.size === 0);
    if (this.#fault !== undefined) throw this.#fault.error;
    const written = this.#writer.flush();
    await (this.#isStopped ? Promise.race([written, delay(LAST_MS)]) : written);
  }

  /** Reads no further line, and cancels the calls that run. */
  stop(): void {
    this.#isStopped = true;
    this.#input?.stop();
    for (const controller of this.#running) controller.abort();
    this.#options.runner.stop?.();
    this.#changed.wake();
  }

  /** Starts the lines that were read, each when there is room for it. */
  async #startAll(): Promise<void> {
    while (this.#queue.length > 0) {
      if (!this.#isReady()) await this.#untilReady();
      if (this.#isStopped) return;
      if (this.#letHelp()) continue;
      const line = this.#queue.shift()!;
      // Nothing is awaited between most quick lines, so that one write takes the results of many.
      if (!this.#answerAtOnce(line)) await this.#startLine(line);
      // A message with answers has no turn while this thread works, and the other one needs lines.
      const sent = this.#options.runner.sentAnswers?.();
      if (sent !== undefined) await sent;
    }
  }

  /** Lets another thread answer the next lines, if one has room. Returns whether it does. */
  #letHelp(): boolean {
    const { runner, figures } = this.#options;
    const help = runner.answerLines?.(this.#queue, figures !== undefined);
    if (help === undefined) return false;
    const lines = this.#queue.splice(0, help.count);
    this.#start(this.#takeAnswers(lines, this.#writer.reserve(), help.answers));
    return true;
  }

  /** Prints the answers of another thread, and answers the other lines here. */
  async #takeAnswers(
    lines: readonly InputLine[],
    place: LinePlace,
    answers: Promise<LineAnswers>,
  ): Promise<void> {
    const { runs, calls } = await answers;
    let next = 0;
    for (const { at, count, results } of runs) {
      await this.#answerHere(lines.slice(next, at), place);
      const output = place.open();
      output.print(results);
      output.end();
      next = at + count;
      this.tally.done += count;
      for (const { length } of lines.slice(at, next)) this.tally.bytes += length;
    }
    await this.#answerHere(lines.slice(next), place);
    for (const [tool, ms] of calls) this.#options.figures?.add(tool, SUCCEEDED, ms);
    place.end();
  }

  async #answerHere(lines: readonly InputLine[], place: LinePlace): Promise<void> {
    for (const line of lines) {
      if (!this.#isReady()) await this.#untilReady();
      const output = place.open();
      if (this.#isStopped) continue;
      if (!this.#answerAtOnce(line, output)) await this.#startLine(line, output);
    }
  }

  /** Starts a line that {@link #answerAtOnce} did not answer, when it is its turn. */
  async #startLine(line: InputLine, output?: LineOutput): Promise<void> {
    const { jobs, reading } = this.#options;
    const started = {
      ...await line.read(reading),
      line,
      output: output ?? this.#writer.open(),
      begun: performance.now(),
    };
    const quick = started.calls.length > 1
      ? undefined
      : await this.#executeQuickly(started.calls[0]!.incoming);
    // With one job, calls run in the order of their lines.
    if (jobs === 1 && quick === undefined) {
      await this.#changed.until(() => this.#started.size === 0);
    }
    this.#start(
      quick === undefined ? this.#runLine(started) : this.#awaitQuick(started, quick.result),
    );
  }

  /** Answers a line whose call takes no time. Nothing is awaited for most of them. */
  #answerAtOnce(line: InputLine, given?: LineOutput): boolean {
    const { runner, format, jobs, figures } = this.#options;
    if (format !== "mcp" || jobs === 1 && this.#started.size > 0) return false;
    const plain = line.plain();
    if (plain === undefined) return false;
    const begun = figures === undefined ? 0 : performance.now();
    const result = runner.executeAtOnce(plain.call);
    const soon = result ?? (jobs > 1 ? runner.executeSoon?.(plain.call, plain.id) : undefined);
    if (soon === undefined) return false;
    const output = given ?? this.#writer.open();
    const end = (result: CallResult) => {
      output.print(plainResultLine(plain.id, result));
      output.end();
      this.tally.done++;
      if (result.isError && !this.#isStopped) this.tally.failed++;
      this.tally.bytes += line.length;
      figures?.add(plain.call.name, result, performance.now() - begun);
    };
    if (soon instanceof Promise) this.#start(soon.then(end));
    else end(soon);
    return true;
  }

  /** Starts a call that is over soon. */
  async #executeQuickly(
    call: IncomingCall,
  ): Promise<{ result: QuickResult | Promise<QuickResult> } | undefined> {
    const { runner } = this.#options;
    await runner.prepare(call);
    const result = runner.executeQuickly(call);
    return result && { result };
  }

  #start(work: Promise<void>): void {
    this.#started.add(work);
    this.tally.running = this.#started.size;
    work.catch((error) => {
      this.#fault ??= { error };
      this.stop();
    }).finally(() => {
      this.#started.delete(work);
      this.tally.running = this.#started.size;
      this.#changed.wake();
    });
  }

  async #awaitQuick(
    started: StartedLine,
    quick: QuickResult | Promise<QuickResult>,
  ): Promise<void> {
    const result = await quick;
    if (result === undefined) return await this.#runLine(started);
    await this.#print(started, { call: started.calls[0]!, result });
    started.output.end();
    this.tally.bytes += started.line.length;
  }

  /** Runs the calls of a line one after the other, because a later one may need an earlier one. */
  async #runLine(started: StartedLine): Promise<void> {
    const stop = new AbortController();
    if (this.#isStopped) stop.abort();
    this.#running.add(stop);
    const runAll = async () => {
      for (const call of started.calls) {
        started.begun = performance.now();
        const result = await this.#options.runner.execute(call.incoming, stop.signal, call.id);
        await this.#print(started, { call, result });
      }
    };
    try {
      await this.#jobs.run(runAll, stop.signal);
    } catch (error) {
      // It was stopped before its turn.
      if (!stop.signal.aborted) throw error;
    } finally {
      this.#running.delete(stop);
    }
    started.output.end();
    this.tally.bytes += started.line.length;
  }

  async #print(
    { request, output, begun }: StartedLine,
    { call, result }: { call: SubmittedLine["calls"][number]; result: CallResult },
  ): Promise<void> {
    output.print(await renderResultLine({ request, call }, result, this.#options.format));
    this.tally.done++;
    if (result.isError && !this.#isStopped) this.tally.failed++;
    const name = "call" in call.incoming ? call.incoming.call.name : UNREADABLE;
    this.#options.figures?.add(name, result, performance.now() - begun);
  }

  /** Whether another line may start, or none starts any more. */
  #isReady(): boolean {
    if (this.#isStopped) return true;
    const { jobs } = this.#options;
    const hasRoom = this.#running.size < jobs && this.#started.size < jobs + MAX_QUICK;
    return hasRoom && !this.#writer.isFull;
  }

  #untilReady(): Promise<void> {
    return this.#changed.until(() => this.#isReady());
  }
}
