import type { ShellOutcome, ShellOutput } from "../../base/shell_output.ts";
import { ShownText } from "../../base/terminal/shown_text.ts";
import { HeadAndTail } from "./head_and_tail.ts";

/** The most characters of a command's output if the call sets no limit. */
const MAX_OUTPUT = 30_000;

/** One stream of a shell that runs commands one after the other, cut where a command ends. */
class MarkedStream {
  /** The exit codes of the commands that have ended. */
  readonly codes: number[] = [];
  #decoder = new TextDecoder();
  #mark: string;
  #limit: number;
  #pending = "";
  #parts: HeadAndTail[];
  #shown = new ShownText();

  /** Takes the text before each exit code, and the most characters that are kept of a command. */
  constructor(mark: string, limit: number) {
    this.#mark = mark;
    this.#limit = limit;
    this.#parts = [new HeadAndTail(limit)];
  }

  /** The output of a command. It is empty for one that did not begin. */
  part(index: number): HeadAndTail {
    return this.#parts[index] ?? new HeadAndTail(this.#limit);
  }

  add(chunk: Uint8Array): void {
    this.#take(this.#decoder.decode(chunk, { stream: true }));
  }

  close(): void {
    this.#take(this.#decoder.decode());
    this.#add(this.#pending);
    this.#endPart();
    this.#pending = "";
  }

  #take(text: string): void {
    this.#pending += text;
    for (;;) {
      const at = this.#pending.indexOf(this.#mark);
      const end = at < 0 ? -1 : this.#pending.indexOf("\n", at + this.#mark.length);
      if (end < 0) return this.#keepFrom(at < 0 ? this.#pending.length - this.#mark.length : at);
      this.#add(this.#pending.slice(0, at));
      this.#endPart();
      this.codes.push(Number(this.#pending.slice(at + this.#mark.length, end)));
      this.#parts.push(new HeadAndTail(this.#limit));
      this.#pending = this.#pending.slice(end + 1);
    }
  }

  /** Gives back all before a place where a mark may begin. */
  #keepFrom(place: number): void {
    if (place <= 0) return;
    this.#add(this.#pending.slice(0, place));
    this.#pending = this.#pending.slice(place);
  }

  #add(text: string): void {
    this.#parts.at(-1)!.add(this.#shown.add(text));
  }

  #endPart(): void {
    this.#parts.at(-1)!.add(this.#shown.end());
  }
}

/** The two streams of commands that run one after the other, apart for each command. */
export class ShellStreams {
  #limit: number;
  #stdout: MarkedStream;
  #stderr: MarkedStream;

  /**
   * Takes the text before each exit code, and the most characters of each command's output. Both
   * streams have that text, and then the code and a line break, after each command.
   */
  constructor(mark: string, limit = MAX_OUTPUT) {
    this.#limit = limit;
    this.#stdout = new MarkedStream(mark, limit);
    this.#stderr = new MarkedStream(mark, limit);
  }

  /** Takes the next bytes of stdout. */
  addOutput(chunk: Uint8Array): void {
    this.#stdout.add(chunk);
  }

  /** Takes the next bytes of stderr. */
  addErrors(chunk: Uint8Array): void {
    this.#stderr.add(chunk);
  }

  /** Ends both streams. */
  close(): void {
    this.#stdout.close();
    this.#stderr.close();
  }

  /** The exit codes of the commands that have ended, in order. */
  get codes(): readonly number[] {
    return this.#stdout.codes;
  }

  /** The output of a command, which ended like this. */
  outputOf(index: number, outcome: ShellOutcome): ShellOutput {
    const [stdout, stderr] = [this.#stdout.part(index), this.#stderr.part(index)];
    // Each stream gets half of the limit, and what the other one leaves of its half.
    const half = Math.floor(this.#limit / 2);
    const errors = Math.min(stderr.length, Math.max(half, this.#limit - stdout.length));
    return {
      ...{ stdout: stdout.text(this.#limit - errors), stderr: stderr.text(errors) },
      outcome,
    };
  }
}
