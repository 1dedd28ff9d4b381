import type { RunningProgram } from "../../runner/registry/tool_context.ts";
import { patternError } from "./pattern_error.ts";
import type { Query, Results } from "./query.ts";
import { rgArguments } from "./rg_arguments.ts";
import { RgRecords } from "./rg_records.ts";
import { RgWatch } from "./rg_watch.ts";
import type { Skipped } from "./skipped.ts";

/** How much of ripgrep's messages is read, in characters. */
const MAX_MESSAGES = 64 * 1024;

/** A message on one path, after which ripgrep goes on. */
const PATH_MESSAGE = /^rg: (.*?)(?:: IO error for operation on .*)?: ([^:]*) \(os error \d+\)$/s;

/** What the engine needs of a call. */
export interface RgCall {
  /** Starts ripgrep with these arguments. */
  start(args: readonly string[]): RunningProgram;
  /** The call's signal; ripgrep is ended when it is aborted, and its reason thrown. */
  signal: AbortSignal;
  /** Where what could not be searched is noted. */
  skipped: Skipped;
  /** Where the results go, as they come. */
  results: Results;
}

/**
 * Searches with ripgrep, and returns whether that came to an end. It does not if a named pipe or a
 * device holds ripgrep up. Then the results are incomplete. Throws for an invalid pattern, and when
 * ripgrep itself fails.
 */
export async function searchWithRg(query: Query, call: RgCall): Promise<boolean> {
  call.signal.throwIfAborted();
  const rg = call.start(rgArguments(query));
  const end = () => void rg.end();
  call.signal.addEventListener("abort", end, { once: true });
  let isStuck = false;
  const watch = new RgWatch(rg.pid, () => {
    isStuck = true;
    end();
  });
  try {
    const records = new RgRecords(query, call.results);
    const [messages, status] = await Promise.all([
      messagesOf(rg.stderr),
      rg.status,
      readInto(records, rg.stdout, watch),
    ]);
    call.signal.throwIfAborted();
    if (isStuck) return false;
    judge(query, call, { messages, status });
    return true;
  } catch (error) {
    end();
    throw error;
  } finally {
    watch.close();
    call.signal.removeEventListener("abort", end);
  }
}

async function readInto(
  records: RgRecords,
  stdout: ReadableStream<Uint8Array>,
  watch: RgWatch,
): Promise<void> {
  for await (const chunk of stdout) {
    watch.hasMoved();
    records.push(chunk);
  }
  records.end();
}

async function messagesOf(stderr: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stderr) {
    if (text.length < MAX_MESSAGES) text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

/** Exit code 1 is no match, 2 an error: on single paths, or a whole search that failed. */
function judge(
  query: Query,
  call: RgCall,
  ended: { messages: string; status: { code: number; signal: string | null } },
): void {
  const { code, signal } = ended.status;
  if (signal !== null) throw new Error(`Cannot search: ripgrep was ended by ${signal}`);
  if (code < 2) return;
  const messages = ended.messages.split(/\n(?=rg: )/).map((message) => message.trim());
  for (const message of messages) {
    const onPath = PATH_MESSAGE.exec(message);
    if (onPath === null) throw patternError(query.pattern, message.replace(/^rg: /, ""));
    call.skipped.add(query.show(onPath[1]!), onPath[2]!.toLowerCase());
  }
}
