import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { patternError } from "./pattern_error.ts";
import { globBase, type Query, type Receivers } from "./query.ts";
import { RgRecords } from "./rg_records.ts";
import { RgWatch } from "./rg_watch.ts";
import { VERSION_CONTROL } from "./paths.ts";

/** The most of ripgrep's messages that is read, in characters. */
const MAX_MESSAGES = 64 * 1024;

/** A message on one path, after which ripgrep continues. */
const PATH_MESSAGE = /^rg: (.*?)(?:: IO error for operation on .*)?: ([^:]*) \(os error \d+\)$/s;

/**
 * Searches with ripgrep, whose path is `program`. Returns whether the results are complete: they
 * are not if a named pipe or a device blocked ripgrep. Throws for an invalid pattern, when ripgrep
 * itself fails, and the reason of the call's signal, which ends ripgrep.
 */
export async function searchWithRg(
  query: Query,
  { page, skipped }: Receivers,
  { ctx, program }: { ctx: Pick<ToolContext, "spawn" | "signal">; program: string },
): Promise<boolean> {
  const { signal } = ctx;
  signal.throwIfAborted();
  const rg = ctx.spawn(program, rgArguments(query));
  const end = () => void rg.end();
  signal.addEventListener("abort", end, { once: true });
  let isStuck = false;
  const watch = new RgWatch(rg.pid, () => {
    isStuck = true;
    end();
  });
  try {
    const records = new RgRecords(query, page);
    const [messages, status] = await Promise.all([
      messagesOf(rg.stderr),
      rg.status,
      readInto(records, rg.stdout, watch),
    ]);
    signal.throwIfAborted();
    if (isStuck) return false;
    judge(query, skipped, { messages, status });
    return true;
  } catch (error) {
    end();
    throw error;
  } finally {
    watch.close();
    signal.removeEventListener("abort", end);
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

/** Checks the exit code: 1 is no match, 2 an error for single paths or for the whole search. */
function judge(
  query: Query,
  skipped: Receivers["skipped"],
  ended: { messages: string; status: { code: number; signal: string | null } },
): void {
  const { code, signal } = ended.status;
  if (signal !== null) throw new Error(`Cannot search: ripgrep was ended by ${signal}`);
  if (code < 2) return;
  const messages = ended.messages.split(/\n(?=rg: )/).map((message) => message.trim());
  for (const message of messages) {
    const onPath = PATH_MESSAGE.exec(message);
    if (onPath === null) throw patternError(query.pattern, message.replace(/^rg: /, ""));
    skipped.add(query.show(onPath[1]!), onPath[2]!.toLowerCase());
  }
}

/**
 * The arguments of ripgrep for a query. Every value follows its option's `=` or `--`, so that none
 * is read as an option. Fields are separated by NUL, which no path contains, so that the output can
 * be parsed.
 */
function rgArguments(query: Query): string[] {
  return [
    "--no-config",
    "--no-ignore-global",
    "--no-ignore-messages",
    "--color=never",
    "--no-heading",
    "--with-filename",
    "--hidden",
    // The largest compiled pattern is the same as in the built-in engine.
    "--regex-size-limit=10M",
    ...modeArguments(query),
    ...(query.ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
    // A memory map keeps a large file off the heap. A search by lines does not need one.
    ...(query.multiline ? ["--multiline", "--multiline-dotall", "--mmap"] : ["--no-mmap"]),
    ...(query.type === undefined ? [] : [`--type=${query.type.name}`]),
    ...query.globs.map((glob) => `--glob=${rgGlob(query, glob)}`),
    // Globs that exclude version control come last, because the last matching glob wins.
    ...[...VERSION_CONTROL].map((name) => `--glob=!${name}`),
    `--regexp=${query.pattern}`,
    "--",
    query.root,
  ];
}

function modeArguments(query: Query): string[] {
  // Files are sorted by time later. Without --sort ripgrep uses several threads.
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
 * A glob in the form for ripgrep, which resolves a glob with a slash against its working directory.
 * If the root lies outside, the glob gets the root as its prefix.
 */
function rgGlob(query: Query, glob: string): string {
  const body = glob.replace(/^!/, "");
  const base = globBase(query);
  if (base === query.cwd || !body.replace(/\/$/, "").includes("/")) return glob;
  const escaped = base.replace(/[?*[\]{}\\!]/g, "\\$&");
  return `${glob.startsWith("!") ? "!" : ""}**${escaped}/${body.replace(/^\//, "")}`;
}
