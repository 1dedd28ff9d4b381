/** Runs ripgrep, which all searches use. */

import { NamedError } from "../../base/errors.ts";
import type { HelperProcess } from "../../runner/registry/tool_context.ts";
import { entryPath, VERSION_CONTROL } from "./paths.ts";
import type { SearchContext } from "./query.ts";
import { MessageLines, type RipgrepMessage } from "./ripgrep_messages.ts";
import { isSmallTree } from "./small_tree.ts";

/**
 * Each time that ripgrep was idle so often in a row, after a quarter of a second of silence, the files
 * of rules are examined. Once is not enough: somebody may exchange a pipe for a file and back.
 */
const MAX_IDLE = 3;

/** The options of a run. */
interface RunOptions {
  ctx: SearchContext;
  /** The real path of the file or directory that it searches, which is the last argument. */
  root: string;
  /** Whether ignore files count. */
  usesIgnoreFiles: boolean;
  /** Takes what it prints. */
  onOutput(bytes: Uint8Array<ArrayBuffer>): void;
  /** Takes each line that it logs, if it should log. */
  onLog?(line: string): void;
}

/** ripgrep waits for an ignore file that is a named pipe or a device. */
class BlockedError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "BlockedError";
}

/**
 * Runs ripgrep on one path, to its end. Returns its messages. Throws the reason of the call's
 * signal, which kills ripgrep, and whatever `onOutput` throws.
 */
export async function runRipgrep(
  args: readonly string[],
  { ctx, root, usesIgnoreFiles, onOutput, onLog }: RunOptions,
): Promise<RipgrepMessage[]> {
  const rg = ctx.startHelper([
    ...["--no-config", "--no-ignore-global", "--no-ignore-messages", "--color=never", "--hidden"],
    ...(usesIgnoreFiles ? [] : ["--no-ignore"]),
    ...(onLog === undefined ? [] : ["--debug"]),
    ...threads(args, root),
    ...args,
    ...["--", root],
  ]);
  const messages = new MessageLines(onLog);
  let idle = 0;
  for await (const { bytes, isMessage } of rg.pieces) {
    if (bytes.length > 0) {
      idle = 0;
      if (isMessage) messages.push(bytes);
      else onOutput(bytes);
      continue;
    }
    idle = rg.isIdle() ? idle + 1 : 0;
    if (!usesIgnoreFiles) continue;
    // An idle ripgrep may wait for the disk too.
    const isSuspect = idle > 0 && idle % MAX_IDLE === 0;
    if (readsNoFile(rg) || isSuspect && await isBlocked(root, ctx)) throw new BlockedError();
  }
  const { code, signal } = rg.status();
  if (signal !== null) throw new Error(`Cannot search: ripgrep was ended by signal ${signal}`);
  // The flags may close a file of rules above the path. That is no part of the search.
  const isOfSearch = ({ path }: RipgrepMessage) =>
    path === undefined || path === root || path.startsWith(entryPath(root, ""));
  return code < 2 ? [] : messages.end().filter(isOfSearch);
}

/** The most threads that ripgrep starts by itself. */
const MAX_THREADS = 12;

/** The option for the number of threads. A sorted search has only one anyway. */
function threads(args: readonly string[], root: string): string[] {
  if (args.includes("--sort=path")) return [];
  // The caller looks at each file of a list as it comes, which takes a core of its own.
  const others = navigator.hardwareConcurrency - 1;
  const isList = args.includes("--files");
  if (isList && others <= 1 || isSmallTree(root, { readsFiles: !isList })) return ["--threads=1"];
  return isList ? [`--threads=${Math.min(others, MAX_THREADS)}`] : [];
}

/**
 * Runs a search, and runs it again without ignore files if one of them blocks it. Returns whether
 * they counted.
 */
export async function withIgnoreFiles(
  search: (usesIgnoreFiles: boolean) => Promise<void>,
): Promise<boolean> {
  try {
    await search(true);
    return true;
  } catch (error) {
    if (!(error instanceof BlockedError)) throw error;
    await search(false);
    return false;
  }
}

/** The note on results that no ignore file has reduced. */
export const IGNORE_NOTE =
  "[Ignore files were not applied: one of them is a named pipe or a device]";

async function isBlocked(root: string, { signal }: SearchContext): Promise<boolean> {
  const { hasBlockingRules } = await import("./blocking_rules.ts");
  return await hasBlockingRules(root, signal);
}

/** Whether ripgrep has opened a pipe or a device, beside its own three streams. */
function readsNoFile({ pid }: HelperProcess): boolean {
  const directory = `/proc/${pid}/fd`;
  try {
    return [...Deno.readDirSync(directory)].some(({ name }) => {
      const { isFile, isDirectory } = Deno.statSync(`${directory}/${name}`);
      return Number(name) > 2 && !isFile && !isDirectory;
    });
  } catch {
    // The process has ended, or /proc is closed. Then devices are closed too.
    return false;
  }
}

/**
 * The options that leave out version control and closed paths. They come last, because the last
 * glob that matches decides.
 */
export function exclusions(
  { cwd }: SearchContext,
  { closed, except = new Set() }: { closed: readonly string[]; except?: ReadonlySet<string> },
): string[] {
  const names = [...VERSION_CONTROL.difference(except)];
  return [...names, ...closed.map((path) => pathGlob(path, cwd))].map((glob) => `--glob=!${glob}`);
}

/** A glob that matches one path, which ripgrep compares from its working directory. */
function pathGlob(path: string, cwd: string): string {
  const prefix = entryPath(cwd, "");
  const [start, rest] = path.startsWith(prefix) ? ["/", path.slice(prefix.length)] : ["**", path];
  return start + escapeGlob(rest);
}

/** The text as a glob that matches only it. */
export function escapeGlob(text: string): string {
  return text.replace(/[?*[\]{}\\!]/g, "\\$&");
}
