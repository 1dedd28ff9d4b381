import { byteSize } from "../../../base/text/amounts.ts";
import { changeFile } from "../edit/change_file.ts";
import { type ChangedNotebook, changeNotebook, type NotebookChange } from "./change_notebook.ts";
import { NOTEBOOK_LIMIT } from "./notebook_cell.ts";
import { editDiff } from "../edit/edit_diff.ts";
import { quotePath } from "../../../base/text/quote.ts";
import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { decodeUtf8 } from "../../../base/text/utf8.ts";
import type { CallFile } from "../call_file.ts";

const BOM = "\ufeff";

/** An edit of a notebook that was made. */
export interface EditedNotebook {
  /** A description of the edit, with a diff of the cell's text if the cell had one before. */
  report: string;
  /** The notebook's whole text before. */
  original: string;
  /** The notebook's whole text afterwards. */
  updated: string;
  /** The cell's text before, if the cell existed. */
  before?: string;
}

/**
 * Changes one cell of a notebook of up to 32 MiB, under the lock that all edits
 * take. Returns what was done. Throws a readable error, and then the file is as it was.
 */
export async function editNotebook(
  target: CallFile,
  { change, signal }: { change: NotebookChange; signal: AbortSignal },
): Promise<EditedNotebook> {
  const changed = await changeFile(target, {
    limit: NOTEBOOK_LIMIT,
    advice: limitText(),
    signal,
    change: (before) => changedBytes(before, { change, target }),
  });
  return { ...changed, report: reportOf(target, changed) };
}

function reportOf(target: FileTarget, { done, before, after }: ChangedNotebook): string {
  const line = `Edited ${quotePath(target.given)}: ${done}`;
  if (before === undefined) return line;
  if (before === after) return `${line}; its text is the same as before`;
  const diff = sourceDiff(before, after ?? "");
  return diff === "" ? line : `${line}\n${diff}`;
}

function changedBytes(
  bytes: Uint8Array,
  { change, target }: { change: NotebookChange; target: FileTarget },
) {
  const whole = decodeUtf8(bytes);
  if (whole === undefined) {
    throw new Error(`${cannot(target)}: it is not valid UTF-8, which a notebook has to be`);
  }
  const bom = whole.startsWith(BOM) ? BOM : "";
  const changed = changeNotebook(whole.slice(bom.length), { change, target });
  const updated = bom + changed.text;
  const result = {
    ...{ ...changed, original: whole, updated },
    bytes: new TextEncoder().encode(updated),
  };
  if (result.bytes.length > NOTEBOOK_LIMIT) {
    const size = byteSize(result.bytes.length);
    throw new Error(`${cannot(target)}: it would have ${size}, and ${limitText()}`);
  }
  return result;
}

function limitText(): string {
  return `NotebookEdit takes notebooks of up to ${byteSize(NOTEBOOK_LIMIT)}`;
}

/** Cells seldom end in a newline. An added newline on both sides keeps that out of the diff. */
function sourceDiff(before: string, after: string): string {
  const [old, now] = [before, after].map((text) =>
    new TextEncoder().encode(text === "" ? "" : `${text}\n`)
  );
  return editDiff(old!, { needle: old!, replacement: now!, count: 1, places: [0] });
}

/** The data of an edit, in the published type `NotebookEditOutput`. */
export function notebookData(
  path: string,
  change: NotebookChange,
  { original, updated, before }: {
    original: string;
    updated: string;
    before?: string | undefined;
  },
): Record<string, unknown> {
  const [old, now] = [original, updated].map(parsed);
  const { mode, cell, type, source } = change;
  const position = Number(/^Cell (\d+)$/.exec(cell ?? "")?.[1]);
  const found = [old, now].flatMap((notebook) => {
    const cells = notebook?.["cells"];
    return Array.isArray(cells)
      ? cells.filter((each, at) => each.id === cell || at + 1 === position)
      : [];
  });
  return {
    new_source: source,
    ...(mode !== "insert" && before !== undefined && { old_source: before }),
    ...(cell !== undefined && { cell_id: cell }),
    cell_type: type ?? (found[0]?.cell_type === "markdown" ? "markdown" : "code"),
    language: languageOf(now),
    edit_mode: mode,
    notebook_path: path,
    original_file: original,
    updated_file: updated,
  };
}

function parsed(text: string): Record<string, unknown> | undefined {
  const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
  return isObject(value) ? value : undefined;
}

/** The language that the metadata names; Python by default. */
function languageOf(notebook: Record<string, unknown> | undefined): string {
  const metadata = isObject(notebook?.["metadata"]) ? notebook["metadata"] : {};
  const places: [string, string][] = [["kernelspec", "language"], ["language_info", "name"]];
  for (const [place, key] of places) {
    const info = metadata[place];
    if (isObject(info) && typeof info[key] === "string") return info[key];
  }
  return "python";
}
