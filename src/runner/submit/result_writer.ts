import { CallError } from "../../base/errors.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import type { EagerPipes } from "../../base/fs/eager_pipes.ts";
import { writeSome } from "../../base/fs/write_some.ts";
import type { Sink } from "../cli/streams.ts";

/** No new call starts while so many characters of results are not written. */
const MAX_UNWRITTEN = 1024 * 1024;

/** The results of one line of the input, or of several that follow one another. */
export interface LineOutput {
  /** Prints result lines, as text or in UTF-8. */
  print(results: string | Uint8Array): void;
  /** Tells that no more of its results come. */
  end(): void;
}

/** The place of lines of the input whose outputs are opened later. */
export interface LinePlace {
  /** Takes the next of its lines. */
  open(): LineOutput;
  /** Tells that it has no more lines. */
  end(): void;
}

/** Results of a line that wait for the lines before it. */
interface WaitingResults {
  parts: (string | Uint8Array)[];
  isEnded: boolean;
}

/**
 * Writes result lines, with one write for all lines that are ready. `isOrdered` keeps the results
 * of a line until all lines before it have theirs. `onRoom` is called when results were written,
 * and when the output cannot be written any more.
 */
export class ResultWriter {
  readonly #waiting: WaitingResults[] = [];
  #ready: (string | Uint8Array)[] = [];
  #unwritten = 0;
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();
  #end: { fault?: CallError } | undefined;
  readonly #isOrdered: boolean;
  /** The output of every line whose results need no order. */
  readonly #anywhere: LineOutput = {
    print: (results) => {
      this.#unwritten += results.length;
      this.#write(results);
    },
    end() {},
  };

  /** Takes the output and the order. */
  constructor(
    readonly sink: Sink,
    readonly options: { isOrdered: boolean; pipes: Pick<EagerPipes, "write">; onRoom(): void },
  ) {
    this.#isOrdered = options.isOrdered;
  }

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
    return this.#isOrdered ? this.#outputAt(this.#waiting.length) : this.#anywhere;
  }

  /** Takes the next lines of the input, which are opened one by one. */
  reserve(): LinePlace {
    if (!this.#isOrdered) return { open: () => this.#anywhere, end() {} };
    const place: WaitingResults = { parts: [], isEnded: false };
    this.#waiting.push(place);
    return {
      open: () => this.#outputAt(this.#waiting.indexOf(place)),
      end: () => {
        place.isEnded = true;
        this.#release();
      },
    };
  }

  #outputAt(index: number): LineOutput {
    const output: WaitingResults = { parts: [], isEnded: false };
    this.#waiting.splice(index, 0, output);
    return {
      print: (results) => {
        this.#unwritten += results.length;
        output.parts.push(results);
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

  /** Writes what the first lines have, up to the first line with results to come. */
  #release(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      for (const part of first.parts.splice(0)) this.#write(part);
      if (!first.isEnded) return;
      this.#waiting.shift();
    }
  }

  #write(part: string | Uint8Array): void {
    if (this.isClosed) return;
    const last = this.#ready.at(-1);
    if (typeof part === "string" && typeof last === "string") {
      this.#ready[this.#ready.length - 1] = last + part;
    } else this.#ready.push(part);
    if (!this.#isWriting) this.#written = this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    // More results may become ready in this turn of the event loop.
    await null;
    for (let part; !this.isClosed && (part = this.#ready.shift()) !== undefined;) {
      await this.#writePart(part);
      this.#unwritten -= part.length;
      this.options.onRoom();
    }
    this.#isWriting = false;
  }

  async #writePart(part: string | Uint8Array): Promise<void> {
    const data = typeof part === "string" ? new TextEncoder().encode(part) : part;
    try {
      let at = this.options.pipes.write(this.sink, data);
      while (at < data.length) at += await writeSome(this.sink, data.subarray(at));
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
