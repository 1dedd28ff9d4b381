import { plural } from "../../base/text/amounts.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import type { Newest } from "./newest.ts";
import type { Skipped } from "./skipped.ts";
import { entryPath } from "./walk.ts";
import { partialResult } from "../../base/async/interruption.ts";

/** The arguments of a Glob call. */
export interface GlobRequest {
  /** The glob. */
  pattern: string;
  /** The folder; default: the working folder. */
  path: string | undefined;
}

/** The glob of a call, relative to the folder that is searched. */
export interface RelativeGlob {
  /** The glob. */
  glob: string;
  /** True if it has no wildcard, so that it is a plain path. */
  isPlain: boolean;
}

/** The folder that is searched. */
export interface SearchedFolder {
  /** Its real path. */
  real: string;
  /** Its absolute path as it was given, which results begin with. */
  shown: string;
}

/** The results so far. */
export interface GlobFindings {
  /** The matching files. */
  newest: Newest;
  /** The paths that could not be read. */
  skipped: Skipped;
  /** The number of matching files that ignore rules leave out. */
  ignored: number;
  /** The ignored folders that could contain a match, relative to the folder. */
  passed: string[];
  /** The number of matching files whose name is not UTF-8. */
  notUtf8: number;
}

/** The files of a glob. */
export interface GlobResult {
  /** For a model: their paths, and notes on them. */
  text: string;
  /** For a program, named as in the published output of Glob. */
  data: {
    /** The number of paths. */
    numFiles: number;
    /** The paths. */
    filenames: string[];
    /** True if there are more files than paths. */
    truncated: boolean;
    /** The number of matching files. */
    totalMatches: number;
    /** True if that is their exact number. */
    countIsComplete: boolean;
  };
}

/** The most ignored folders that a hint names. */
const MAX_NAMED = 3;

/** The paths that are shown, and notes on them. */
export function listResult({ newest, skipped, notUtf8 }: GlobFindings): GlobResult {
  const filenames = newest.list().map(({ path }) => path);
  const odd = notUtf8 === 0
    ? []
    : [`[${plural(notUtf8, "file name")} cannot be opened: not UTF-8, shown with \uFFFD]`];
  return {
    text: [names(newest), ...odd, ...skipped.notes()].join("\n\n"),
    data: {
      ...{ numFiles: filenames.length, filenames, totalMatches: newest.total },
      ...{ truncated: newest.total > filenames.length, countIsComplete: true },
    },
  };
}

/** The result if nothing was found, with hints. */
export function emptyResult(
  request: GlobRequest,
  done: { glob: RelativeGlob; folder: SearchedFolder; listed: GlobFindings },
): GlobResult {
  const { glob, folder, listed } = done;
  const hints = [
    ...ignoredHint(listed, glob.glob),
    ...syntaxHint(request.pattern, { glob, folder }),
  ].map((hint) => ` ${hint}.`);
  const none = `No files match "${request.pattern}" in "${folder.shown}"`;
  const said = hints.length === 0 ? none : `${none}.${hints.join("")}`;
  return {
    text: [said, ...listed.skipped.notes()].join("\n\n"),
    data: {
      ...{ numFiles: 0, filenames: [], totalMatches: 0, truncated: false, countIsComplete: true },
    },
  };
}

/** Hints on files and folders that ignore rules left out; folders that the glob names come first. */
function ignoredHint({ ignored, passed }: GlobFindings, glob: string): string[] {
  const hints: string[] = [];
  if (ignored > 0) {
    const files = ignored === 1 ? "1 matching file is" : `${ignored} matching files are`;
    hints.push(
      `${files} ignored; begin the pattern with the directory's path to list ignored files`,
    );
  }
  if (passed.length === 0) return hints;
  const parts = new Set(glob.split(/[/{},]/));
  const isMeant = (path: string) => parts.has(path.slice(path.lastIndexOf("/") + 1));
  const names = passed.toSorted((a, b) => Number(isMeant(b)) - Number(isMeant(a)));
  const shown = names.slice(0, MAX_NAMED).map((name) => `"${name}"`).join(", ");
  const rest = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return [
    ...hints,
    `Ignored directories were not searched: ${shown}${rest}`,
    `To search one, begin the pattern with its path, such as "${names[0]}/**"`,
  ];
}

/**
 * Hints for a pattern with syntax that globs do not have, and for one that names a folder or matches
 * only one level.
 */
function syntaxHint(
  pattern: string,
  { glob, folder }: { glob: RelativeGlob; folder: SearchedFolder },
): string[] {
  const plain = glob.glob.replace(/\\.|\[[!^]?\]?[^\]]*\]/g, "");
  const extended = /[@+!?*]\(/.exec(plain)?.[0];
  if (extended !== undefined) {
    return [`"${extended}…)" is not supported and matches literally; for alternatives use {a,b}`];
  }
  const range = /\{[^{},]*\.\.[^{},]*\}/.exec(plain)?.[0];
  if (range !== undefined) {
    return [`"${range}" is not supported and matches literally; use {1,2,3} or [1-3]`];
  }
  if (isNamedFolder(glob, folder)) {
    return [`"${pattern}" is a directory; for the files in it use "${glob.glob}/**"`];
  }
  return glob.glob.includes("/") ? [] : [`For every depth use "**/${glob.glob}"`];
}

function isNamedFolder(glob: RelativeGlob, folder: SearchedFolder): boolean {
  if (!glob.isPlain) return false;
  try {
    return Deno.lstatSync(entryPath(folder.real, glob.glob)).isDirectory;
  } catch {
    return false;
  }
}

/** The names that are shown, and the number of the others. */
function names(newest: Newest): string {
  const paths = newest.list().map((file) => file.path);
  const rest = newest.total - paths.length;
  const lines = paths.join("\n");
  if (rest === 0) return lines;
  return `${lines}\n\n[The ${paths.length} newest of ${newest.total} files; ${rest} more: ` +
    `narrow the pattern or the path to see them]`;
}

/** The error for a call that was aborted, with the results so far. */
export function interrupted(
  request: GlobRequest,
  folder: SearchedFolder,
  { ctx, listed: { newest } }: { ctx: ToolContext; listed: GlobFindings },
): Error {
  return partialResult(`Cannot finish looking for "${request.pattern}" in "${folder.shown}"`, {
    signal: ctx.signal,
    advice: "narrow the pattern or the path",
    total: newest.total,
    text: () => names(newest),
  });
}
