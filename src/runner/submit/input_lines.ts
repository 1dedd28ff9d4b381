import { CallError } from "../../base/errors.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import { MAX_INPUT_BYTES } from "../dialect/request.ts";
import { ByteLines } from "../mcp/byte_lines.ts";
import { InputLine } from "./input_line.ts";

/** The bytes that are read at once. Between two reads, signals and writes have their turn. */
const CHUNK_BYTES = 64 * 1024;

/** Reads the available bytes of a stream, or waits for some. Returns `null` at the end. */
export type InputSource = (buffer: Uint8Array) => Promise<number | null>;

/** Reads a stream line by line. */
export class InputLines {
  readonly #lines = new ByteLines(MAX_INPUT_BYTES);
  readonly #buffer = new Uint8Array(CHUNK_BYTES);
  #number = 0;
  #isEnded = false;
  #giveUp: (() => void) | undefined;

  /** Takes the stream. */
  constructor(readonly source: InputSource) {}

  /**
   * Returns the next lines that end, or undefined after the last ones and after {@link stop}. Rejects
   * with `unavailable` if the stream cannot be read.
   */
  async next(): Promise<InputLine[] | undefined> {
    if (this.#isEnded) return undefined;
    const count = await this.#read();
    if (count === null) {
      const isStopped = this.#isEnded;
      this.#isEnded = true;
      const rest = this.#lines.takeRest();
      return isStopped || rest.length === 0 ? undefined : [this.#line(rest)];
    }
    return [...this.#lines.add(this.#buffer.subarray(0, count))].map((bytes) => this.#line(bytes));
  }

  /** Stops waiting for the stream. */
  stop(): void {
    this.#isEnded = true;
    this.#giveUp?.();
  }

  #line(bytes: Uint8Array): InputLine {
    return new InputLine(bytes, ++this.#number);
  }

  async #read(): Promise<number | null> {
    try {
      return await new Promise((resolve, reject) => {
        this.#giveUp = () => resolve(null);
        this.source(this.#buffer).then(resolve, reject);
      });
    } catch (error) {
      // A closed stdin counts as empty.
      if (error instanceof Deno.errors.BadResource) return null;
      throw new CallError("unavailable", `Cannot read stdin: ${osErrorMessage(error)}`);
    }
  }
}
