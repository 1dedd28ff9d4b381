/** What to print of the files that match. */
export type OutputMode = "files_with_matches" | "content" | "count";

/** What a caller says of a search, and both engines take as it is. */
export interface SearchOptions {
  /** A regular expression in the syntax of ripgrep (Rust). */
  pattern: string;
  /** Takes or, after "!", leaves out files, as ripgrep's `--glob`. */
  glob: string | undefined;
  /** What to print. */
  mode: OutputMode;
  /** Lines of context before a match. */
  before: number;
  /** Lines of context after a match. */
  after: number;
  /** Whether to print line numbers. */
  lineNumbers: boolean;
  /** Whether upper and lower case are the same. */
  ignoreCase: boolean;
  /** Whether a match may span lines. */
  multiline: boolean;
}

/** One search, the same for both engines. */
export interface Query extends SearchOptions {
  /** The real path of the file or folder to search. */
  root: string;
  /** Whether `root` is a file: it is searched whatever the rules say. */
  isFile: boolean;
  /** The working folder's real path, which globs with a slash are relative to. */
  cwd: string;
  /** The globs of the file type, if one was asked for. */
  type: { name: string; globs: readonly string[] } | undefined;
  /** The path as it is shown, for the real path of a file. */
  show(path: string): string;
}

/** What a search has found, as lines to print. */
export interface Results {
  /** Takes one line; `isCut` where it was too long to be kept whole. */
  add(line: string, isCut?: boolean): void;
}

/**
 * The glob as it is to be matched against paths relative to the working
 * folder: when the root lies outside, a glob with a slash is meant from the root.
 */
export function globBase(query: Query): string {
  const within = query.root === query.cwd ||
    query.root.startsWith(query.cwd.endsWith("/") ? query.cwd : query.cwd + "/");
  return within ? query.cwd : query.root;
}
