import type { RunningProgram } from "../../runner/registry/tool_context.ts";
import { patternError } from "./pattern_error.ts";
import { globBase, type Query, type Results } from "./query.ts";
import { RgRecords } from "./rg_records.ts";
import { RgWatch } from "./rg_watch.ts";
import type { Skipped } from "./skipped.ts";
import { VERSION_CONTROL } from "./paths.ts";

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

/** The limit of a compiled pattern, the same as the built-in engine's. */
const REGEX_SIZE_LIMIT = "10M";

/**
 * ripgrep's command line for a query. Every value stands behind its option's
 * `=` or after `--`, so none can be taken for an option. Fields are separated
 * by NUL, which no path holds, so the output can be read back for certain.
 */
function rgArguments(query: Query): string[] {
  return [
    ...FIXED,
    ...modeArguments(query),
    ...(query.ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
    // A memory map keeps a large file off the heap; line by line none is needed.
    ...(query.multiline ? ["--multiline", "--multiline-dotall", "--mmap"] : ["--no-mmap"]),
    ...(query.type === undefined ? [] : [`--type=${query.type.name}`]),
    ...query.globs.map((glob) => `--glob=${rgGlob(query, glob)}`),
    ...LEFT_OUT,
    `--regexp=${query.pattern}`,
    "--",
    query.root,
  ];
}

const FIXED: readonly string[] = [
  "--no-config",
  "--no-ignore-global",
  "--no-ignore-messages",
  "--color=never",
  "--no-heading",
  "--with-filename",
  "--hidden",
  `--regex-size-limit=${REGEX_SIZE_LIMIT}`,
];

/** They come last, for the last glob that matches wins. */
const LEFT_OUT: readonly string[] = [...VERSION_CONTROL].map((name) => `--glob=!${name}`);

function modeArguments(query: Query): string[] {
  // The files are sorted by their time later; unsorted, ripgrep searches with several threads.
  if (query.mode === "files_with_matches") return ["--null", "--files-with-matches"];
  if (query.mode === "count") return ["--sort=path", "--null", "--count"];
  return [
    "--sort=path",
    ...(query.onlyMatching ? ["--only-matching"] : []),
    "--field-match-separator=\\x00:",
    "--field-context-separator=\\x00-",
    "--context-separator=\\x00\\x00",
    query.lineNumbers ? "--line-number" : "--no-line-number",
    `--before-context=${query.before}`,
    `--after-context=${query.after}`,
  ];
}

/**
 * ripgrep takes a glob with a slash relative to its working folder. For a root
 * outside of it the glob is made to begin at the root.
 */
function rgGlob(query: Query, glob: string): string {
  const body = glob.replace(/^!/, "");
  const base = globBase(query);
  if (base === query.cwd || !body.replace(/\/$/, "").includes("/")) return glob;
  const escaped = base.replace(/[?*[\]{}\\!]/g, "\\$&");
  return `${glob.startsWith("!") ? "!" : ""}**${escaped}/${body.replace(/^\//, "")}`;
}
