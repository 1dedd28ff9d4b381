import { isObject } from "../../../base/json/is_object.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Redactor } from "../../../base/text/redact.ts";

/** The most characters of an unreadable line that are shown. */
const MAX_SHOWN = 500;

/** The most characters of a message over several lines. */
const MAX_COLLECTED = 2 ** 20;

/** JSON-RPC's code of a message that is no JSON. */
const PARSE_ERROR = -32700;

/** The key of the shown line in the data of the error. */
const LINE = "toolcall/unreadableLine";

/** A message of JSON-RPC. */
type Message = Record<string, unknown>;

/**
 * Finds the answers in a program's output that are no message of one line, such as those with `NaN`,
 * those over several lines, and those whose result is no object. Without it, the calls would wait
 * for them until their time limit.
 */
export class UnreadableAnswers {
  /** The ids of the requests that wait for an answer. */
  #waiting = new Set<unknown>();
  /** The lines of a message over several lines, so far. */
  #collected: string | undefined;
  /** The last line that could not be read as a message, safe to show. */
  last = "";

  /** Takes what removes secrets from the lines, and what gets each of them, safe to show. */
  constructor(readonly redact: Redactor, readonly onLine: (line: string) => void) {}

  /** Takes a message that is sent. */
  sent({ id, method }: Message): void {
    if (id !== undefined && typeof method === "string") this.#waiting.add(id);
  }

  /** Takes a message that has arrived. */
  received({ id, method }: Message): void {
    if (method === undefined) this.#waiting.delete(id);
  }

  /**
   * Takes a line that is no message. Returns an error as the answer to the request that the line
   * answers, or `undefined` if the line is other output.
   */
  answerTo(line: string): Message | undefined {
    const text = this.#textOf(line);
    if (text === undefined) return undefined;
    const [first = ""] = text.split("\n", 1);
    const shown = first.trim() === "{" ? text.replaceAll(/\s*\n\s*/g, " ") : first;
    this.last = quote(this.redact(shown), MAX_SHOWN);
    this.onLine(this.last);
    const isAnswer = /"jsonrpc"\s*:/.test(text) && /"(?:result|error)"\s*:/.test(text);
    const id = isAnswer ? this.#answeredBy(text) : undefined;
    if (id === undefined) return undefined;
    this.#waiting.delete(id);
    const data = { [LINE]: this.last };
    return { jsonrpc: "2.0", id, error: { code: PARSE_ERROR, message: reasonIn(text), data } };
  }

  /** The text that the line completes: the line itself, or a message over several lines. */
  #textOf(line: string): string | undefined {
    if (line.trimEnd() === "{") {
      this.#collected = line;
      return undefined;
    }
    if (this.#collected === undefined) return line.trimStart().startsWith("{") ? line : undefined;
    const text = `${this.#collected}\n${line}`;
    const isWhole = line.trimEnd() === "}" || text.length > MAX_COLLECTED;
    this.#collected = isWhole ? undefined : text;
    return isWhole ? text : undefined;
  }

  #answeredBy(text: string): unknown {
    const ids = [...text.matchAll(/"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/g)]
      .map(([, id]) => JSON.parse(id!) as unknown);
    return ids.find((id) => this.#waiting.has(id));
  }
}

/** Whether a message is no answer, or has a result or an error as JSON-RPC and MCP define it. */
export function isReadable({ method, result, error }: Message): boolean {
  if (method !== undefined || result === undefined && error === undefined) return true;
  if (error === undefined) return isObject(result);
  return isObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string";
}

function reasonIn(text: string): string {
  try {
    JSON.parse(text);
    return text.includes("\n")
      ? "a message must be one line"
      : "the result must be an object, or the error must have a code and a message";
  } catch (error) {
    return (error as Error).message;
  }
}

/** The unreadable line in the data of an error, if {@link UnreadableAnswers} made it. */
export function unreadableAnswer(data: unknown): string | undefined {
  const line = (data as Message | undefined)?.[LINE];
  return typeof line === "string" ? line : undefined;
}
