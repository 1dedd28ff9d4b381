import { openRegular } from "../../base/fs/system_file.ts";
import { Yielder } from "../../base/async/yielder.ts";
import { IgnoreRules } from "./ignore_rules.ts";
import { LineBuffer, LineTooLongError, MAX_LINE_BYTES } from "./line_buffer.ts";
import { Matcher } from "./matcher.ts";
import { EnoughError } from "./result_page.ts";
import { globBase, type Query, type Receivers } from "./query.ts";
import { Report } from "./report.ts";
import { FileTooLargeError, MAX_WHOLE_BYTES, searchFile } from "./search_file.ts";
import { unreadableReason } from "./skipped.ts";
import { VERSION_CONTROL } from "./paths.ts";
import { entryPath, walk, type WalkContext, type WalkOptions } from "./walk.ts";

/** The state that the files of a search share. */
interface Search {
  query: Query;
  found: Receivers;
  matcher: Matcher;
  yielder: Yielder;
  buffer: LineBuffer;
  signal: AbortSignal;
  hasPrinted?: boolean;
}

/** Searches in this process, with ripgrep's results. Throws for an invalid pattern. */
export async function searchBuiltIn(
  query: Query,
  found: Receivers,
  ctx: WalkContext,
): Promise<void> {
  using matcher = await Matcher.compile(query);
  const yielder = new Yielder(ctx.signal);
  const search = { query, found, matcher, yielder, buffer: new LineBuffer(), signal: ctx.signal };
  if (query.isFile) {
    await searchPath(query.root, search);
    return;
  }
  const skipped = {
    add: (path: string, reason: string) =>
      found.skipped.add(
        query.show(path.startsWith("/") ? path : entryPath(query.root, path)),
        reason,
      ),
  };
  let hasPrinted = false;
  const hidden = { hidden: true, leaveOut: VERSION_CONTROL };
  const files = walk({ root: query.root, ctx, ...chosenBy(query), ...hidden, skipped });
  for await (const { path, isSymlink } of files) {
    if (!isSymlink) hasPrinted = await searchPath(path, { ...search, hasPrinted });
  }
}

/** The choice of files by the globs and the file type of a query. */
function chosenBy(query: Query): Pick<WalkOptions, "choose" | "chooseType"> {
  const options: Pick<WalkOptions, "choose" | "chooseType"> = {};
  const rules = IgnoreRules.of(query.globs);
  if (!rules.isEmpty) {
    const prefix = globBase(query).replace(/\/?$/, "/");
    options.choose = (path, isDirectory) => {
      const relative = path.startsWith(prefix) ? path.slice(prefix.length) : path;
      const verdict = rules.verdict(relative, isDirectory);
      // A glob includes files, and with "!" excludes them.
      if (verdict !== undefined) return verdict === "ignore" ? "take" : "ignore";
      return rules.leavesOut && !isDirectory ? "ignore" : undefined;
    };
  }
  if (query.type !== undefined) {
    const types = IgnoreRules.of(query.type.globs);
    options.chooseType = (name) => types.verdict(name, false) === "ignore" ? "take" : "ignore";
  }
  return options;
}

/** Searches one file. Returns whether this or an earlier file has printed anything. */
async function searchPath(path: string, search: Search): Promise<boolean> {
  const { query, found } = search;
  let hasPrinted = search.hasPrinted === true;
  const separate = hasPrinted && query.before + query.after > 0;
  try {
    using open = openRegular(path);
    const report = new Report(query, found.page, { path, open, separate });
    try {
      await searchFile(open, { ...search, report });
    } finally {
      hasPrinted ||= report.hasPrinted;
    }
  } catch (error) {
    if (search.signal.aborted || error instanceof EnoughError) throw error;
    found.skipped.add(query.show(path), whyNot(error, path));
  }
  return hasPrinted;
}

function whyNot(error: unknown, path: string): string {
  if (error instanceof FileTooLargeError) {
    const limit = `${MAX_WHOLE_BYTES >> 20} MiB`;
    return `larger than ${limit}, the limit of a multiline search without ripgrep`;
  }
  if (error instanceof LineTooLongError) return `a line of more than ${MAX_LINE_BYTES >> 20} MiB`;
  return unreadableReason(error, path);
}
