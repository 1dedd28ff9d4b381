import { ShownText } from "../../base/terminal/shown_text.ts";
import { trimSurrogates } from "../../base/text/truncate.ts";
import type { OutputFile } from "../../runner/registry/tool_context.ts";

/** The largest file of a program's whole output, in bytes. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** The most bytes that wait in memory, also if they are shown as a few characters. */
const MAX_EARLY_BYTES = 1024 * 1024;

/**
 * A program's output of any length in bounded memory: its head and tail, and all of it in a file
 * once it is longer than `limit` characters.
 */
export class KeptOutput {
  #decoder = new TextDecoder();
  #head = "";
  #tail = "";
  #characters = 0;
  #bytes = 0;
  #early: Uint8Array[] = [];
  #file: OutputFile | undefined;
  #noFile: string | undefined;
  #open: () => OutputFile;
  #shown: ShownText | undefined;

  /**
   * Takes the largest number of characters that {@link text} returns of the output, and a function
   * that opens the file for longer output. With `atOnce` the file is opened at once. With
   * `isShown` the text is what a terminal shows of the output in the end. The file always has all of
   * it, unchanged.
   */
  constructor(
    readonly limit: number,
    open: () => OutputFile,
    { atOnce = false, isShown = false }: { atOnce?: boolean; isShown?: boolean } = {},
  ) {
    if (isShown) this.#shown = new ShownText();
    this.#open = open;
    if (atOnce) this.#openFile();
  }

  /** The number of bytes that were added so far. */
  get size(): number {
    return this.#bytes;
  }

  /** The path of the file with the whole output, if there is one. */
  get path(): string | undefined {
    const isGone = this.#noFile !== undefined && this.#file?.discard !== undefined;
    return isGone ? undefined : this.#file?.path;
  }

  /** True if {@link text} leaves out a part of the output. */
  get isCut(): boolean {
    return this.#characters > this.#head.length + this.#tail.length;
  }

  /** Takes the next bytes. */
  add(chunk: Uint8Array): void {
    this.#keep(this.#decoder.decode(chunk, { stream: true }));
    try {
      this.#store(chunk);
    } catch (error) {
      // A full disk must not lose the output itself. The result only reports it.
      this.#noFile = (error as Error).message;
      this.#early = [];
      // The caller does not get the path of an incomplete file, and it uses space on a full disk.
      try {
        this.#file?.discard?.();
      } catch { /* The result still has the output itself. */ }
    }
    this.#bytes += chunk.length;
  }

  /** Ends the output. */
  close(): void {
    this.#keep(this.#decoder.decode());
    if (this.#shown !== undefined) this.#keepText(this.#shown.end());
    this.#file?.file.close();
  }

  /** The output, or its head and tail with a line between them that says what is missing. */
  text(): string {
    const cut = this.#characters - this.#head.length - this.#tail.length;
    if (cut <= 0) return this.#head + this.#tail;
    const whole = this.#noFile !== undefined
      ? `of ${this.#bytes} bytes in all, which could not be kept in a file: ${this.#noFile}`
      : this.#bytes > MAX_FILE_BYTES
      ? `the first ${MAX_FILE_BYTES} of ${this.#bytes} bytes are in "${this.path}"`
      : `the whole output, ${this.#bytes} bytes, is in "${this.path}"`;
    return `${trimSurrogates(this.#head)}\n[${cut} characters omitted; ${whole}]\n` +
      trimSurrogates(this.#tail);
  }

  #store(chunk: Uint8Array): void {
    if (this.#noFile !== undefined) return;
    const isLong = this.#characters > this.limit || this.#bytes > MAX_EARLY_BYTES;
    if (this.#file === undefined && isLong) this.#openFile();
    if (this.#file === undefined) this.#early.push(chunk);
    else this.#write(chunk);
  }

  #keep(text: string): void {
    this.#keepText(this.#shown?.add(text) ?? text);
  }

  #keepText(text: string): void {
    const half = Math.floor(this.limit / 2);
    this.#characters += text.length;
    const room = Math.max(0, half - this.#head.length);
    this.#head += text.slice(0, room);
    const tail = this.#tail + text.slice(room);
    this.#tail = tail.length > half ? tail.slice(-half) : tail;
  }

  #openFile(): void {
    this.#file = this.#open();
    let bytes = 0;
    for (const chunk of this.#early) {
      this.#bytes = bytes;
      this.#write(chunk);
      bytes += chunk.length;
    }
    this.#bytes = bytes;
    this.#early = [];
  }

  #write(chunk: Uint8Array): void {
    const rest = chunk.subarray(0, Math.max(0, MAX_FILE_BYTES - this.#bytes));
    for (let at = 0; at < rest.length;) at += this.#file!.file.writeSync(rest.subarray(at));
  }
}
