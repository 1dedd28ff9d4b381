import { CallError } from "../../base/errors.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import type { EagerPipes } from "../../base/fs/eager_pipes.ts";
import type { Sink } from "../cli/streams.ts";

/** No new call starts while so many characters of results are not written. */
const MAX_UNWRITTEN = 1024 * 1024;

/** The results of one line of the input. */
export interface LineOutput {
  /** Prints a result line. */
  print(text: string): void;
  /** Tells that no more of its results come. */
  end(): void;
}

/**
 * Writes result lines, with one write for all lines that are ready. `isOrdered` keeps the results
 * of a line until all lines before it have theirs. `onRoom` is called when results were written,
 * and when the output cannot be written any more.
 */
export class ResultWriter {
  readonly #waiting: { text: string; isEnded: boolean }[] = [];
  #ready = "";
  #unwritten = 0;
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();
  #end: { fault?: CallError } | undefined;

  /** Takes the output and the order. */
  constructor(
    readonly sink: Sink,
    readonly options: { isOrdered: boolean; pipes: Pick<EagerPipes, "write">; onRoom(): void },
  ) {}

  /** Whether nothing waits to be written. */
  get isIdle(): boolean {
    return this.#unwritten === 0;
  }

  /** Whether the reader of the output is so far behind that no new call is to start. */
  get isFull(): boolean {
    return this.#unwritten > MAX_UNWRITTEN;
  }

  /** Whether the output was closed, or cannot be written. */
  get isClosed(): boolean {
    return this.#end !== undefined;
  }

  /** Takes the next line of the input. */
  open(): LineOutput {
    if (!this.options.isOrdered) return { print: (text) => this.#print(text), end() {} };
    const output = { text: "", isEnded: false };
    this.#waiting.push(output);
    return {
      print: (text) => {
        this.#unwritten += text.length;
        output.text += text;
        this.#release();
      },
      end: () => {
        output.isEnded = true;
        this.#release();
      },
    };
  }

  /** Resolves when all results are written. Throws `unavailable` if that fails. */
  async flush(): Promise<void> {
    while (this.#isWriting) await this.#written;
    if (this.#end?.fault !== undefined) throw this.#end.fault;
  }

  #print(text: string): void {
    this.#unwritten += text.length;
    this.#write(text);
  }

  /** Writes what the first lines have, up to the first line with results to come. */
  #release(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (first.text !== "") this.#write(first.text);
      first.text = "";
      if (!first.isEnded) return;
      this.#waiting.shift();
    }
  }

  #write(text: string): void {
    if (this.isClosed) return;
    this.#ready += text;
    if (!this.#isWriting) this.#written = this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    // More results may become ready in this turn of the event loop.
    await null;
    while (this.#ready !== "" && !this.isClosed) {
      const text = this.#ready;
      this.#ready = "";
      await this.#writeText(text);
      this.#unwritten -= text.length;
      this.options.onRoom();
    }
    this.#isWriting = false;
  }

  async #writeText(text: string): Promise<void> {
    const data = new TextEncoder().encode(text);
    try {
      let at = this.options.pipes.write(this.sink, data);
      while (at < data.length) at += await this.sink.write(data.subarray(at));
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) {
        this.#end = {};
        return;
      }
      const why = osErrorMessage(error);
      this.#end = { fault: new CallError("unavailable", `Cannot write the results: ${why}`) };
    }
  }
}
