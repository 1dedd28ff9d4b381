import type { LineEdit } from "./edit_lines.ts";
import { quotePath } from "../../../base/text/quote.ts";

/** A change of a file, by its text or by its lines, as the arguments of a call say it. */
export interface CodeEdit {
  /** The action. */
  action: "replace" | "insert" | "delete";
  /** The file. */
  path: string;
  /** The text to replace. */
  old_string?: string;
  /** The new text or lines. */
  new_string?: string;
  /** True to replace every occurrence of the text. */
  replace_all?: boolean;
  /** The first line, counted from 1. */
  start_line?: number;
  /** The last line; the first line by default. */
  end_line?: number;
}

/**
 * Checks what a schema cannot express. Throws when an action lacks an argument or has one too many.
 */
export function checkCodeEdit(edit: CodeEdit): void {
  const why = faultOf(edit);
  if (why !== undefined) throw new Error(`Cannot edit ${quotePath(edit.path)}: ${why}`);
}

function faultOf(edit: CodeEdit): string | undefined {
  const { action, old_string, new_string, replace_all, start_line, end_line } = edit;
  const isByText = old_string !== undefined;
  if (action !== "replace" && (isByText || replace_all !== undefined)) {
    return `old_string and replace_all are for replace, not ${action}`;
  }
  if (action === "delete" && new_string !== undefined) return "delete takes no new_string";
  if (action !== "delete" && new_string === undefined) return `${action} needs a new_string`;
  if (action === "insert" && end_line !== undefined) return "insert takes no end_line";
  if (isByText) {
    if (start_line !== undefined || end_line !== undefined) {
      return "replace takes either old_string or lines";
    }
    return old_string === new_string ? "old_string and new_string are equal" : undefined;
  }
  if (replace_all !== undefined) return "replace_all needs an old_string";
  if (start_line === undefined) {
    return `${action} needs ${action === "replace" ? "old_string or " : ""}start_line`;
  }
  return end_line !== undefined && end_line < start_line
    ? `end_line ${end_line} is before start_line ${start_line}`
    : undefined;
}

/** The lines that a checked edit by lines changes. */
export function linesOfEdit(
  { action, new_string: text, start_line: first = 1, end_line = first }: CodeEdit,
): LineEdit {
  return { first, last: action === "insert" ? first - 1 : end_line, text };
}
