import type { Source } from "./streams.ts";

/** The longest line, in characters. */
const MAX_LINE = 100_000;

/** Reads lines from stdin, one when it is asked for. */
export class TypedLines {
  #rest = "";
  #decoder = new TextDecoder();

  /** Takes the input. */
  constructor(readonly source: Pick<Source, "read">) {}

  /** The next line without its end. Resolves to `undefined` at the end of the input. */
  async next(): Promise<string | undefined> {
    const buffer = new Uint8Array(4096);
    while (!this.#rest.includes("\n") && this.#rest.length < MAX_LINE) {
      const count = await this.source.read(buffer);
      if (count === null) {
        const last = this.#rest;
        this.#rest = "";
        return last === "" ? undefined : last;
      }
      this.#rest += this.#decoder.decode(buffer.subarray(0, count), { stream: true });
    }
    const [line = ""] = this.#rest.split("\n", 1);
    this.#rest = this.#rest.slice(line.length + 1);
    return line;
  }
}
