import { plural } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import { Yielder } from "../../base/async/yielder.ts";
import type { ResultPage } from "../search/result_page.ts";
import { entryPath } from "../search/paths.ts";
import type { Skipped } from "../search/skipped.ts";
import { unreadableReason, walk, type WalkContext } from "../search/walk.ts";
import { type Dialect, findDialects } from "./languages.ts";
import {
  formatErrorLines,
  parseFile,
  readSource,
  sourceLine,
  type SourceParser,
} from "./source_file.ts";

/** The largest file of a directory that is searched, in bytes. */
const MAX_FILE_BYTES = 1024 * 1024;

/** The most files with errors that a note names. */
const MAX_NAMED = 3;

/** A search for a name. */
export interface NameSearch {
  /** The kind of occurrences. */
  action: "definitions" | "references";
  /** The name. */
  name: string;
  /** The language to search; undefined for all. */
  language: string | undefined;
  /** The parser. */
  parser: SourceParser;
  /** The counts and notes. */
  count: NameCount;
  /** The receiver of the lines. */
  page: ResultPage;
  /** The receiver of paths that could not be searched. */
  skipped: Skipped;
  /** Returns the path to show for a real path. */
  show(path: string): string;
}

/** The counts and notes of a search. */
export class NameCount {
  /** The number of files in known languages. */
  files = 0;
  /** The number of occurrences of the other kind. */
  others = 0;
  #faulty: string[] = [];

  /** Adds a file with syntax errors. */
  addFaulty(path: string, lines: readonly number[]): void {
    this.#faulty.push(`${quote(path)} (${formatErrorLines(lines)})`);
  }

  /** A note on files with syntax errors, or an empty list. */
  notes(): string[] {
    if (this.#faulty.length === 0) return [];
    const rest = this.#faulty.length - MAX_NAMED;
    const named = this.#faulty.slice(0, MAX_NAMED).join(", ");
    return [
      `[Not completely parsed: ${named}${rest > 0 ? ` and ${plural(rest, "file")} more` : ""}; ` +
      `results may be missing there]`,
    ];
  }
}

/** Searches the files below a directory, in the order of their paths. */
export async function findInDirectory(
  root: string,
  search: NameSearch,
  ctx: WalkContext,
): Promise<void> {
  const yielder = new Yielder(ctx.signal);
  const skipped = {
    add: (path: string, reason: string) =>
      search.skipped.add(search.show(path.startsWith("/") ? path : entryPath(root, path)), reason),
  };
  for await (const { path, isSymlink } of walk({ root, ctx, skipped })) {
    const dialects = isSymlink ? [] : findDialects(path, search.language);
    if (dialects.length === 0) continue;
    if (yielder.isDue) await yielder.yield();
    await findInFile(path, search, { dialects, limit: MAX_FILE_BYTES });
  }
}

/** Searches one file. It is parsed only if its text contains the name. */
export async function findInFile(
  path: string,
  { action, name, parser, count, page, skipped, show }: NameSearch,
  { dialects, limit }: { dialects: readonly Dialect[]; limit: number },
): Promise<void> {
  count.files++;
  const shown = show(path);
  const source = readable(path, limit);
  if ("fault" in source) return skipped.add(shown, source.fault);
  if (!source.text.includes(dialects[0]!.rules.spelling?.(name) ?? name)) return;
  const file = await parseFile(source.text, { dialects, parser, name });
  if (file === undefined) return skipped.add(shown, "it takes too long to parse");
  if (file.errorLines.length > 0) count.addFaulty(shown, file.errorLines);
  count.others += file[action === "definitions" ? "references" : "definitions"].length;
  for (const { kind, name, line } of file[action]) {
    const { text, isCut } = sourceLine(file.lines[line - 1], name);
    page.add(`${shown}:${line}: ${kind} ${name} – ${text}`, isCut);
  }
}

/** Reads a file. An error of the system becomes a reason like any other. */
function readable(path: string, limit: number): ReturnType<typeof readSource> {
  try {
    return readSource(path, limit);
  } catch (error) {
    return { fault: unreadableReason(error) };
  }
}
