import type { ToolContext } from "../../runner/registry/tool_context.ts";

/** The output for matching files. */
export type OutputMode = "files_with_matches" | "content" | "count";

/** The options of a search that ripgrep gets unchanged. */
export interface SearchOptions {
  /** A regular expression in the syntax of ripgrep (Rust). */
  pattern: string;
  /** The output. */
  mode: OutputMode;
  /** Lines of context before a match. */
  before: number;
  /** Lines of context after a match. */
  after: number;
  /** True to print line numbers. */
  lineNumbers: boolean;
  /** True to ignore letter case. */
  ignoreCase: boolean;
  /** True if a match may span lines, and `.` matches line ends. */
  multiline: boolean;
  /** True to print only the matches, one per line; in the mode `content`. */
  onlyMatching: boolean;
}

/** A search. */
export interface Query extends SearchOptions {
  /** The real path of the file or directory to search. */
  root: string;
  /** True if `root` is a file, which is searched even if rules exclude it. */
  isFile: boolean;
  /**
   * Globs that include or, after "!", exclude files, as in ripgrep's `--glob`; the last match wins.
   */
  globs: readonly string[];
  /** The working directory's real path, which globs with a slash are relative to. */
  cwd: string;
  /** The name of the file type, if one was asked for. */
  type: string | undefined;
  /** Returns the path to show for the real path of a file. */
  show(path: string): string;
}

/** A file that matches. */
export interface MatchingFile {
  /** Its real path. */
  path: string;
  /** Its path in the output. */
  shown: string;
  /** The number of matching lines, or of matches in a multiline search; in the mode `count`. */
  count?: number;
}

/** The receiver of a search's results. */
export interface Results {
  /**
   * Takes one line of output, or `--` between groups of lines. `isCut` is true if the line was
   * truncated.
   */
  line(line: string, isCut?: boolean): void;
  /** Takes one file, in the modes `files_with_matches` and `count`. */
  file(file: MatchingFile): void;
  /** Whether the text of the next line is shown. Otherwise the line is only counted. */
  readonly showsNextLine: boolean;
}

/**
 * The directory to which globs with a slash are relative: the working directory, or the root if it
 * lies outside the working directory.
 */
export function globBase({ root, cwd }: Pick<Query, "root" | "cwd">): string {
  const within = root === cwd || root.startsWith(cwd.endsWith("/") ? cwd : cwd + "/");
  return within ? cwd : root;
}

/** Whether ripgrep prints the column of the first match in each matching line. */
export function hasColumns({ mode, onlyMatching }: Query): boolean {
  return mode === "content" && !onlyMatching;
}

/** The part of a call's context that a search needs. */
export type SearchContext = Pick<
  ToolContext,
  | "cwd"
  | "closedPaths"
  | "isSandboxOld"
  | "kernelClosesPaths"
  | "mayRead"
  | "signal"
  | "startHelper"
>;
