import { type ArgumentProblem, problemIf } from "../../../base/argument_problem.ts";
import { plural } from "../../../base/text/amounts.ts";
import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";
import type { CallFile } from "../call_file.ts";
import { editByPlan, type Edited } from "./edit_file.ts";
import { refuseConflict } from "./encoding_conflict.ts";
import { type EditPlan, lineEndNote, lineEnds, withLineEnds } from "./edit_plan.ts";

const NEWLINE = 10;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** A change of a file, by its text or by its lines, as the arguments of a call say it. */
interface CodeEdit {
  action: "replace" | "insert" | "delete";
  path: string;
  old_string?: string;
  new_string?: string;
  replace_all?: boolean;
  /** The first line, counted from 1; an insertion goes before it. */
  start_line?: number;
  /** The last line; the first line by default. */
  end_line?: number;
}

/** The problems that a schema cannot express: an action lacks an argument, or has one too many. */
export function codeEditProblems(edit: CodeEdit): ArgumentProblem[] {
  const { action, old_string, new_string, replace_all, start_line, end_line } = edit;
  const isByText = old_string !== undefined;
  const isReplace = action === "replace";
  const only = `old_string and replace_all are only for replace, not ${action}`;
  const hasLines = start_line !== undefined || end_line !== undefined;
  return [
    ...problemIf(!isReplace && isByText, "/old_string", only),
    ...problemIf(!isReplace && replace_all !== undefined, "/replace_all", only),
    ...problemIf(
      action === "delete" && new_string !== undefined,
      "/new_string",
      "delete takes no new_string",
    ),
    ...problemIf(
      action !== "delete" && new_string === undefined,
      "/new_string",
      `${action} needs a new_string`,
    ),
    ...problemIf(
      action === "insert" && end_line !== undefined,
      "/end_line",
      "insert takes no end_line",
    ),
    ...problemIf(
      isReplace && isByText && hasLines,
      start_line === undefined ? "/end_line" : "/start_line",
      "replace takes either old_string or lines",
    ),
    ...problemIf(
      isReplace && isByText && old_string === new_string,
      "/new_string",
      "old_string and new_string are equal",
    ),
    ...problemIf(
      isReplace && !isByText && replace_all !== undefined,
      "/replace_all",
      "replace_all needs an old_string",
    ),
    ...problemIf(
      !isByText && start_line === undefined,
      "/start_line",
      `${action} needs ${isReplace ? "old_string or " : ""}start_line`,
    ),
    ...problemIf(
      start_line !== undefined && end_line !== undefined && end_line < start_line,
      "/end_line",
      `end_line ${end_line} is before start_line ${start_line}`,
    ),
  ];
}

/**
 * Replaces lines in a file of up to 64 MiB, which is written as a whole and under the lock that all
 * edits take. The edit must be checked. The file keeps its kind of line ends, its byte order mark,
 * and stays without a last newline if it had none. Throws a readable error when the file is missing
 * or binary, or does not have these lines; then the file is as it was.
 */
export function editLines(
  target: CallFile,
  { edit, signal }: { edit: CodeEdit; signal: AbortSignal },
): Promise<Edited> {
  const planOf = (before: Uint8Array) => planLines(before, { edit, target });
  return editByPlan(target, { planOf, editor: "an edit", signal });
}

function planLines(
  bytes: Uint8Array,
  { edit, target }: { edit: CodeEdit; target: FileTarget },
): EditPlan {
  const { action, new_string: text, start_line: first = 1, end_line = first } = edit;
  const isInsertion = action === "insert";
  const last = isInsertion ? first - 1 : end_line;
  const hasMark = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte);
  const starts = lineStarts(bytes, { from: hasMark ? BYTE_ORDER_MARK.length : 0, most: last + 1 });
  const begin = starts.at[first - 1] ??
    (isInsertion && first === starts.count + 1 ? bytes.length : undefined);
  if (begin === undefined || last > starts.count) {
    const wanted = isInsertion ? `no line ${first} to insert before` : `no line ${last}`;
    const more = isInsertion ? `; line ${starts.count + 1} is its end` : "";
    throw new Error(`${cannot(target)}: it has ${plural(starts.count, "line")}, ${wanted}${more}`, {
      cause: { lines: starts.count },
    });
  }
  refuseConflict(bytes, { text: text ?? "", target });
  const end = isInsertion ? begin : starts.at[last] ?? bytes.length;
  const lines = linesText(bytes, { begin, end, text, isEmpty: starts.count === 0 });
  return {
    needle: bytes.subarray(begin, end),
    replacement: new TextEncoder().encode(lines),
    count: 1,
    places: [begin],
    ...lineEndNote(text ?? "", lineEnds(bytes)),
  };
}

/** The text that replaces the bytes from `begin` to `end`, with the line ends that it needs. */
function linesText(
  bytes: Uint8Array,
  { begin, end, text, isEmpty }: {
    begin: number;
    end: number;
    text: string | undefined;
    isEmpty: boolean;
  },
): string {
  if (text === undefined) return "";
  const ends = lineEnds(bytes);
  const lineEnd = ends === "CRLF" ? "\r\n" : "\n";
  const own = withLineEnds(text.replace(/\r?\n$/, ""), ends);
  const isOpen = !isEmpty && bytes.at(-1) !== NEWLINE && end === bytes.length;
  if (!isOpen) return own + lineEnd;
  return begin === bytes.length ? lineEnd + own : own;
}

/** The places where the first lines begin, and the number of all lines. */
function lineStarts(
  bytes: Uint8Array,
  { from, most }: { from: number; most: number },
): { at: number[]; count: number } {
  const at: number[] = [];
  let count = 0;
  for (let start = from; start < bytes.length;) {
    if (count++ < most) at.push(start);
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline < 0) break;
    start = newline + 1;
  }
  return { at, count };
}
