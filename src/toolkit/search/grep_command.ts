import type { ClosedPath } from "./closed.ts";
import { globBase, hasColumns, type Query, type SearchContext } from "./query.ts";
import { escapeGlob, exclusions } from "./ripgrep.ts";

/**
 * The arguments of ripgrep for a query. Every value follows its option's `=` or `--`, so that none
 * is read as an option. Fields are separated by NUL, which no path contains, so that the output can
 * be parsed.
 */
export function grepArguments(
  query: Query,
  { ctx, closed }: { ctx: SearchContext; closed: readonly ClosedPath[] },
): string[] {
  return [
    "--no-heading",
    "--with-filename",
    "--regex-size-limit=10M",
    ...modeArguments(query),
    ...(query.ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
    // A memory map keeps a large file off the heap. A search by lines does not need one.
    ...(query.multiline ? ["--multiline", "--multiline-dotall", "--mmap"] : ["--no-mmap"]),
    ...(query.type === undefined ? [] : [`--type=${query.type}`]),
    ...query.globs.map((glob) => `--glob=${rgGlob(query, glob)}`),
    ...exclusions(ctx, { closed: closed.map(({ path }) => path) }),
    ...patternArguments(query),
  ];
}

/**
 * The pattern, for which a CR LF ends a line as an LF does, like everywhere in this program. A pattern
 * that names CR is taken as it is.
 */
function patternArguments({ pattern, multiline }: Query): string[] {
  if (namesReturn(pattern)) return [`--regexp=${pattern}`];
  const crlf = pattern.includes("$") ? ["--crlf"] : [];
  const lines = multiline ? withCarriageReturns(pattern) : pattern;
  return [...crlf, `--regexp=${lines}`];
}

/** The pieces of a pattern: a class in brackets, an escape, or a character. */
const PIECE = /\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]])*\]|\\[^]|[^]/g;

function namesReturn(pattern: string): boolean {
  return (pattern.match(PIECE) ?? []).some((piece) => /\r|\\r/.test(piece)) ||
    /\\x\{?0*d\b|\\u\{?0*d\b/i.test(pattern);
}

/** Lets each line feed of a pattern match a CR before it. In a class it stays one character. */
function withCarriageReturns(pattern: string): string {
  return pattern.replace(PIECE, (piece) => /^(\\n|\n)$/.test(piece) ? "(?:\\r?\\n)" : piece);
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
    // The column of the first match says which part of a long line to show.
    ...(hasColumns(query) ? ["--column"] : []),
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
  return `${glob.startsWith("!") ? "!" : ""}**${escapeGlob(base)}/${body.replace(/^\//, "")}`;
}
