/** What to print of the files that match. */
export type OutputMode = "files_with_matches" | "content" | "count";

/** What a caller says of a search, and both engines take as it is. */
export interface SearchOptions {
  /** A regular expression in the syntax of ripgrep (Rust). */
  pattern: string;
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
  /** Whether a match may span lines, and `.` matches line ends. */
  multiline: boolean;
  /** Whether to print only the matches of each line, one match a line; in the mode `content`. */
  onlyMatching: boolean;
}

/** One search, the same for both engines. */
export interface Query extends SearchOptions {
  /** The real path of the file or folder to search. */
  root: string;
  /** Whether `root` is a file: it is searched whatever the rules say. */
  isFile: boolean;
  /** Each takes or, after "!", leaves out files, as ripgrep's `--glob`; the last that matches wins. */
  globs: readonly string[];
  /** The working folder's real path, which globs with a slash are relative to. */
  cwd: string;
  /** The globs of the file type, if one was asked for. */
  type: { name: string; globs: readonly string[] } | undefined;
  /** The path as it is shown, for the real path of a file. */
  show(path: string): string;
}

/** A file that matches. */
export interface MatchingFile {
  /** Its real path. */
  path: string;
  /** Its path as it is shown. */
  shown: string;
  /** How many lines match, or across lines how many matches there are; in the mode `count`. */
  count?: number;
  /** When it was changed last, in milliseconds since 1970, where that is known already. */
  modified?: number;
}

/** Takes what a search has found. */
export interface Results {
  /**
   * Takes one line of output, or `--` between groups of lines. `isCut` says that the line was too
   * long to be kept whole.
   */
  line(line: string, isCut?: boolean): void;
  /** Takes one file, in the modes `files_with_matches` and `count`. */
  file(file: MatchingFile): void;
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
