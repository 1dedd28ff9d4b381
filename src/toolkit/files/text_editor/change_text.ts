/** The changes of the vendors' editors: a unique text is replaced, or lines are inserted. */

import { editByPlan } from "../edit/edit_file.ts";
import { refuseConflict } from "../edit/encoding_conflict.ts";
import {
  applyEdit,
  type EditPlan,
  lineEnds,
  linesOf,
  planEdit,
  withLineEnds,
} from "../edit/edit_plan.ts";
import { mistakeHint } from "../edit/mistake_hint.ts";
import { nearestReport } from "../edit/no_match_error.ts";
import type { CallFile } from "../call_file.ts";
import { type NumberedLines, snippetOf } from "./numbered_lines.ts";

const NEWLINE = 10;

/** The texts of the errors, which differ between the vendor's tools. */
export interface ChangeErrors {
  /** The error for a text that the file has more than once, at these lines. */
  many(oldText: string, lines: readonly number[]): string;
  /** The error for a line after which nothing can be inserted. */
  noLine(line: number, lines: number): string;
}

/** A change that was made. */
export interface TextChange {
  /** The file before. */
  before: Uint8Array;
  /** The file afterwards. */
  after: Uint8Array<ArrayBuffer>;
  /** The lines around the change. */
  snippet: NumberedLines;
}

/** A file to change, and the texts of the errors. */
interface ChangeOptions {
  errors: ChangeErrors;
  signal: AbortSignal;
}

/**
 * Replaces `oldText` by `newText`. The file must have it exactly once. Line ends of the file are
 * kept. Throws a readable error otherwise, and then the file is unchanged.
 */
export async function replaceText(
  target: CallFile,
  { oldText, newText, errors, signal }: ChangeOptions & { oldText: string; newText: string },
): Promise<TextChange> {
  if (oldText === "") {
    throw new Error("No replacement was performed: old_str is empty; give the text to replace");
  }
  return await changeText(target, signal, (before) => {
    const plan = planEdit(before, { oldText, newText, all: false });
    if (plan.count === 1) {
      refuseConflict(before, { text: newText, noun: "new_str", target });
      return plan;
    }
    if (plan.count === 0) throw new Error(notFound(before, { oldText, newText }, target.given));
    throw new Error(errors.many(oldText, [...new Set(linesOf(before, plan.places))]), {
      cause: { count: plan.count },
    });
  });
}

/** Inserts lines after a line; 0 is the start of the file. Throws as {@link replaceText}. */
export async function insertText(
  target: CallFile,
  { line, text, errors, signal }: ChangeOptions & { line: number; text: string },
): Promise<TextChange> {
  return await changeText(target, signal, (before): EditPlan => {
    const starts = lineStarts(before);
    if (line < 0 || line > starts.length) throw new Error(errors.noLine(line, starts.length));
    refuseConflict(before, { text, noun: "the new text", target });
    const at = starts[line];
    const inserted = at === undefined ? `\n${text}` : `${text}\n`;
    const replacement = new TextEncoder().encode(withLineEnds(inserted, lineEnds(before)));
    const needle = new Uint8Array();
    return { needle, replacement, count: 1, places: [at ?? before.length] };
  });
}

async function changeText(
  target: CallFile,
  signal: AbortSignal,
  planOf: (before: Uint8Array<ArrayBuffer>) => EditPlan,
): Promise<TextChange> {
  const edited = await editByPlan(target, { planOf, editor: "the editor", signal });
  const { before, plan } = edited;
  const after = applyEdit(before, plan);
  const start = plan.places[0]!;
  // The newline that ends inserted lines belongs to the last of them.
  const isWhole = plan.needle.length === 0 && plan.replacement.at(-1) === NEWLINE;
  const end = start + plan.replacement.length - (isWhole ? 1 : 0);
  return { before, after, snippet: snippetOf(after, { start, end }) };
}

/** The offsets at which the lines begin. A text without a newline has one line. */
function lineStarts(bytes: Uint8Array): number[] {
  const starts = [0];
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}

/** The documented error for a text that the file does not have, with the most similar lines. */
function notFound(
  bytes: Uint8Array<ArrayBuffer>,
  texts: { oldText: string; newText: string },
  path: string,
): string {
  const { oldText } = texts;
  const hint = mistakeHint(bytes, { ...texts, noun: "old_str" });
  const message =
    `No replacement was performed, old_str \`${oldText}\` did not appear verbatim in ${path}${hint}.`;
  const { report, nearest } = nearestReport(bytes, { oldText, noun: "old_str" });
  if (nearest === undefined) return message;
  return `${message} ${report.charAt(0).toUpperCase()}${report.slice(1)}`;
}
