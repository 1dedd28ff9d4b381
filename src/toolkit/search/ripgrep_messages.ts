/** The messages of ripgrep: what it says about paths, patterns and its own work. */

import { compareDepthFirst } from "./paths.ts";
import type { SearchContext } from "./query.ts";
import { NOT_GRANTED, type Skipped } from "./skipped.ts";

/** The longest text of ripgrep's messages that is kept, in bytes. */
const MAX_MESSAGES = 64 * 1024;

/** A message on one path, after which ripgrep continues. */
const PATH_MESSAGE = /^(.*?)(?:: IO error for operation on .*)?: ([^:]*) \(os error (\d+)\)$/s;

/** "Permission denied". */
const EACCES = 13;

/** A message of a search. */
export interface RipgrepMessage {
  /** The path that could not be searched; absent if the message is about the whole search. */
  path?: string;
  /** The reason. */
  text: string;
}

/** Splits what ripgrep prints to stderr into messages and lines of its log. */
export class MessageLines {
  #rest = "";
  #decoder = new TextDecoder();
  #messages = "";

  /** Takes the receiver of the log, if ripgrep writes one. */
  constructor(readonly onLog: ((line: string) => void) | undefined) {}

  /** Takes the next bytes. */
  push(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.#add(line);
  }

  /** Takes the end, and returns the messages. */
  end(): RipgrepMessage[] {
    if (this.#rest !== "") this.#add(this.#rest);
    const messages = this.#messages.split(/\n(?=rg: )/).map((text) => text.trim());
    return messages.filter((text) => text !== "").map(parseMessage);
  }

  #add(line: string): void {
    if (this.onLog !== undefined && line.startsWith("rg: DEBUG|")) this.onLog(line);
    else if (this.#messages.length < MAX_MESSAGES) this.#messages += `${line}\n`;
  }
}

function parseMessage(message: string): RipgrepMessage {
  const text = message.replace(/^rg: /, "");
  const found = PATH_MESSAGE.exec(text);
  if (found === null) return { text };
  const [, path, reason, number] = found;
  return {
    path: path!,
    text: Number(number) === EACCES ? "permission denied" : reason!.toLowerCase(),
  };
}

/**
 * Adds the paths that could not be read. Throws an Error for a message about the whole search, and
 * one with the system's error if only an old sandbox may have closed a path.
 */
export function addUnreadable(
  messages: readonly RipgrepMessage[],
  { ctx, skipped, pattern, show }: {
    ctx: SearchContext;
    skipped: Skipped;
    pattern: string;
    show(path: string): string;
  },
): void {
  // Several threads of ripgrep write them in any order.
  const sorted = messages.toSorted((a, b) => compareDepthFirst(a.path ?? "", b.path ?? ""));
  for (const { path, text } of sorted) {
    if (path === undefined) throw patternError(pattern, text);
    const isClosed = !ctx.mayRead(path);
    if (!isClosed && ctx.isSandboxOld && text === "permission denied") {
      throw new Error(`Cannot read "${path}": ${text}`, { cause: { systemError: "EACCES" } });
    }
    skipped.add(show(path), isClosed ? NOT_GRANTED : text);
  }
}

/**
 * The error for a pattern that ripgrep has refused with this message. The
 * regular expression crate's own words are kept, its drawing of the place and
 * advice on options that do not exist here are not.
 */
function patternError(pattern: string, message: string): Error {
  const reason = /^error: (.*)$/m.exec(message)?.[1] ?? message.split("\n")[0]!;
  // ripgrep puts brackets around the pattern, and reports that the last one is escaped.
  const said = /^(?:[^\\]|\\[^])*\\$/.test(pattern)
    ? INCOMPLETE
    : reason.replace(/\.$/, "").replace(/^Compiled/, "compiled").replace(/ bytes$/, "");
  return new Error(`Invalid pattern "${pattern}": ${said}${advice(said)}`, {
    cause: { reason: said },
  });
}

/** The reason against a pattern that ends with the backslash of an escape. */
const INCOMPLETE = "incomplete escape sequence, reached end of pattern prematurely";

function advice(reason: string): string {
  if (reason === INCOMPLETE) return "; a literal backslash is escaped with a second one";
  if (reason.startsWith('the literal "\\n"')) return "; set multiline to match across lines";
  if (reason.startsWith("unclosed") || reason.startsWith("unopened")) {
    return "; a literal bracket is escaped with a backslash";
  }
  return "";
}
