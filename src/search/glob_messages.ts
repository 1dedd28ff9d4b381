import type { ToolContext } from "../registry/tool_context.ts";
import type { ReadGlob } from "./glob_request.ts";
import type { Newest } from "./newest.ts";
import type { Skipped } from "./skipped.ts";
import { below } from "./walk.ts";

/** What Glob is asked for. */
export interface GlobRequest {
  /** The glob. */
  pattern: string;
  /** The folder as given; the working folder where it is not. */
  path: string | undefined;
}

/** The folder that is looked in. */
export interface Folder {
  /** Its real path. */
  real: string;
  /** Its absolute path as it was given, which results begin with. */
  shown: string;
}

/** What has been found. */
export interface Listed {
  /** The matching files. */
  newest: Newest;
  /** What could not be looked into. */
  skipped: Skipped;
  /** How many files match but are left out by ignore rules. */
  ignored: number;
}

/** The names that are shown, and how many there are besides. */
export function names(newest: Newest): string {
  const paths = newest.list().map((file) => file.path);
  const rest = newest.total - paths.length;
  const lines = paths.join("\n");
  if (rest === 0) return lines;
  return `${lines}\n\n[The ${paths.length} newest of ${newest.total} files; ${rest} more: ` +
    `narrow the pattern or the path to see them]`;
}

/** What is said when nothing was found, with what may help. */
export function nothing(
  request: GlobRequest,
  done: { glob: ReadGlob; folder: Folder; listed: Listed },
): string {
  const { glob, folder, listed } = done;
  const said = [`No files match "${request.pattern}" in "${folder.shown}"`];
  if (listed.ignored > 0) {
    said.push(
      `${listed.ignored} that do are left out by ignore rules; name their folder to see them`,
    );
  }
  if (isNamedFolder(glob, folder)) {
    said.push(`it is a folder: for what it holds use "${glob.glob}/**"`);
  } else if (!glob.glob.includes("/")) said.push(`for every depth use "**/${glob.glob}"`);
  return said.join("; ");
}

function isNamedFolder(glob: ReadGlob, folder: Folder): boolean {
  if (!glob.isPlain) return false;
  try {
    return Deno.lstatSync(below(folder.real, glob.glob)).isDirectory;
  } catch {
    return false;
  }
}

/** The error for a call that was aborted, with what was found until then. */
export function interrupted(
  request: GlobRequest,
  folder: Folder,
  call: { ctx: ToolContext; listed: Listed },
): Error {
  const { newest } = call.listed;
  const why = call.ctx.signal.reason?.name === "TimeoutError"
    ? "the time limit passed; narrow the pattern or the path"
    : "the call was cancelled";
  const partial = newest.total > 0
    ? `Found until then:\n\n${names(newest)}`
    : "Nothing was found until then";
  return new Error(
    `Cannot finish looking for "${request.pattern}" in "${folder.shown}": ${why}. ${partial}`,
    { cause: { found: newest.total } },
  );
}
