import { openRegular } from "../../base/fs/system_file.ts";
import { Yielder } from "../../base/async/yielder.ts";
import { IgnoreRules } from "./ignore_rules.ts";
import { LineBuffer, LineTooLongError, MAX_LINE_BYTES } from "./line_buffer.ts";
import { Matcher } from "./matcher.ts";
import { EnoughError } from "./result_page.ts";
import { globBase, type Query, type Results } from "./query.ts";
import { Report } from "./report.ts";
import { FileTooLargeError, MAX_WHOLE_BYTES, searchFile } from "./search_file.ts";
import { type Skipped, unreadableReason } from "./skipped.ts";
import { VERSION_CONTROL } from "./paths.ts";
import { chooseByGlobs, walk, type WalkOptions } from "./walk.ts";

/** The part of a call's context that the engine needs. */
export interface BuiltinCall {
  /** The call's signal; its reason is thrown when it is aborted. */
  signal: AbortSignal;
  /** Returns whether the flags allow reading a path. */
  mayRead(path: string): boolean;
  /** The folders above the root with a repository that the flags hide. */
  repositories: readonly string[];
  /** The receiver of paths that could not be searched. */
  skipped: Skipped;
  /** The receiver of the results. */
  results: Results;
}

/** Searches in this process, with ripgrep's results. Throws for an invalid pattern. */
export async function searchBuiltIn(query: Query, call: BuiltinCall): Promise<void> {
  using matcher = await Matcher.compile(query);
  const yielder = new Yielder(call.signal);
  const search = { query, call, matcher, yielder, buffer: new LineBuffer() };
  if (query.isFile) {
    await searchPath(query.root, search);
    return;
  }
  const skipped = { add: (path: string, reason: string) => addSkipped(search, path, reason) };
  let hasPrinted = false;
  const hidden = { hidden: true, leaveOut: VERSION_CONTROL };
  for await (const found of walk({ ...walkOptions(query), ...call, ...hidden, skipped })) {
    if (!found.isSymlink) hasPrinted = await searchPath(found.path, { ...search, hasPrinted });
  }
}

interface Search {
  query: Query;
  call: BuiltinCall;
  matcher: Matcher;
  yielder: Yielder;
  buffer: LineBuffer;
  hasPrinted?: boolean;
}

function addSkipped(search: Search, relative: string, reason: string): void {
  const { query, call } = search;
  const path = relative.startsWith("/") ? relative : `${query.root.replace(/\/$/, "")}/${relative}`;
  call.skipped.add(query.show(path), reason);
}

function walkOptions(query: Query): Pick<WalkOptions, "root" | "choose" | "chooseType"> {
  const options: Pick<WalkOptions, "root" | "choose" | "chooseType"> = { root: query.root };
  const rules = new IgnoreRules();
  for (const glob of query.globs) rules.add(glob);
  if (!rules.isEmpty) options.choose = chooseByGlobs(rules, globBase(query));
  if (query.type !== undefined) {
    const types = new IgnoreRules();
    for (const glob of query.type.globs) types.add(glob);
    options.chooseType = (name) => types.verdict(name, false) === "ignore" ? "take" : "ignore";
  }
  return options;
}

/** Searches one file. Returns whether this or an earlier file has printed anything. */
async function searchPath(path: string, search: Search): Promise<boolean> {
  const { query, call } = search;
  const separate = search.hasPrinted === true && query.before + query.after > 0;
  let hasPrinted = search.hasPrinted === true;
  try {
    using open = openRegular(path);
    const report = new Report(query, call.results, {
      ...{ path, open, separate },
      quitsOnNul: !query.isFile,
    });
    try {
      await searchFile(open, { ...search, report });
    } finally {
      hasPrinted ||= report.hasPrinted;
    }
  } catch (error) {
    if (call.signal.aborted || error instanceof EnoughError) throw error;
    call.skipped.add(query.show(path), whyNot(error, path));
  }
  return hasPrinted;
}

function whyNot(error: unknown, path: string): string {
  if (error instanceof FileTooLargeError) {
    return `larger than ${
      MAX_WHOLE_BYTES >> 20
    } MiB, the limit of a multiline search without ripgrep`;
  }
  if (error instanceof LineTooLongError) return `a line of more than ${MAX_LINE_BYTES >> 20} MiB`;
  return unreadableReason(error, path);
}
