import { isObject } from "../../base/json/is_object.ts";
import { delay } from "@std/async/delay";
import type { AuditRecord } from "./audit_line.ts";

/** The interval between two looks at a file that is followed, in milliseconds. */
const LOOK_MS = 200;
/** The longest line that is kept while its end is missing, in characters. */
const MAX_LINE = 2 ** 20;

/** A call that a log records, with its line. */
export interface LoggedCall {
  /** The parsed line. */
  record: AuditRecord;
  /** The line as it is in the log. */
  line: string;
}

/** Counts what cannot be read while a log is read. */
export interface LogProblems {
  /** The lines that are not the record of a call. */
  broken: number;
}

/**
 * Reads the calls in a log. With `signal`, it waits for more of them until the signal is aborted,
 * also after the log was renamed and a new one was created. Lines that cannot be parsed are counted
 * and left out. Throws the error of the system if the log cannot be opened at first.
 */
export async function* readLog(
  path: string,
  { problems, signal }: { problems: LogProblems; signal?: AbortSignal },
): AsyncGenerator<LoggedCall> {
  // A call that began before the log was renamed still writes its line into the older file.
  let files = [OpenLog.open(path)];
  try {
    for (;;) {
      for (const file of files) yield* callsIn(file.lines(), problems);
      if (signal === undefined || signal.aborted) break;
      const next = files.at(-1)!.successor(path);
      if (next !== undefined) {
        for (const old of files.slice(0, -1)) old.close();
        files = [...files.slice(-1), next];
        continue;
      }
      await delay(LOOK_MS, { signal }).catch(() => {});
    }
    for (const file of files) yield* callsIn(file.rest(), problems);
  } finally {
    for (const file of files) file.close();
  }
}

function* callsIn(lines: Iterable<string>, problems: LogProblems): Generator<LoggedCall> {
  for (const line of lines) {
    const record = parseRecord(line);
    if (record === undefined) problems.broken++;
    else yield { record, line };
  }
}

function parseRecord(line: string): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isRecord = isObject(value) && typeof value["time"] === "string" && "tool" in value;
    return isRecord ? value as unknown as AuditRecord : undefined;
  } catch {
    return undefined;
  }
}

/** A log that is read from its start to where it ends now. */
class OpenLog {
  readonly #decoder = new TextDecoder();
  readonly #buffer = new Uint8Array(64 * 1024);
  #text = "";

  private constructor(readonly file: Deno.FsFile) {}

  static open(path: string): OpenLog {
    // A pipe would block, and a directory has no lines.
    if (!Deno.statSync(path).isFile) throw new Error("it is not a regular file");
    return new OpenLog(Deno.openSync(path));
  }

  /** The complete lines that were added since the last call. */
  *lines(): Generator<string> {
    for (;;) {
      const count = this.file.readSync(this.#buffer);
      if (count === null) return;
      this.#text += this.#decoder.decode(this.#buffer.subarray(0, count), { stream: true });
      const lines = this.#text.split("\n");
      this.#text = lines.pop()!;
      // A file without line ends must not fill the memory: its start is one broken line.
      if (this.#text.length > MAX_LINE) {
        lines.push("(too long)");
        this.#text = "";
      }
      yield* lines.filter((line) => line !== "");
    }
  }

  /** The text after the last line end, if there is some. */
  rest(): string[] {
    return this.#text === "" ? [] : [this.#text];
  }

  /** The file that is at the path now, if it is another one or was truncated. */
  successor(path: string): OpenLog | undefined {
    try {
      const [own, there] = [this.file.statSync(), Deno.statSync(path)];
      const isSame = own.ino === there.ino && own.dev === there.dev;
      if (isSame && there.size >= this.file.seekSync(0, Deno.SeekMode.Current)) return undefined;
      return OpenLog.open(path);
    } catch {
      // Between the two steps of a rotation there is no file.
      return undefined;
    }
  }

  close(): void {
    this.file.close();
  }
}
