import { byteSize } from "../../../base/text/amounts.ts";
import { quotePath } from "../../../base/text/quote.ts";
import { cannot } from "../../../base/fs/system_error.ts";
import { decodeUtf8 } from "../../../base/text/utf8.ts";
import type { CallFile } from "../call_file.ts";
import { changeFile } from "../edit/change_file.ts";
import { editDiff } from "../edit/edit_diff.ts";
import { type ChangedNotebook, changeNotebook, type NotebookChange } from "./change_notebook.ts";
import { fieldsOf, NOTEBOOK_LIMIT } from "./notebook_document.ts";

const BOM = "\ufeff";

/** An edit of a notebook that was made. */
interface EditedNotebook {
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
 * Changes one cell of a notebook of up to 32 MiB, under the lock that all edits take. Returns what
 * was done. Throws a readable error, and then the file is as it was.
 */
export async function editNotebook(
  target: CallFile,
  { change, signal }: { change: NotebookChange; signal: AbortSignal },
): Promise<EditedNotebook> {
  const advice = `NotebookEdit takes notebooks of up to ${byteSize(NOTEBOOK_LIMIT)}`;
  const changedBytes = (given: Uint8Array) => {
    const original = decodeUtf8(given);
    if (original === undefined) {
      throw new Error(`${cannot(target)}: a notebook must be valid UTF-8, and this file is not`);
    }
    const bom = original.startsWith(BOM) ? BOM : "";
    const { text, ...changed } = changeNotebook(original.slice(bom.length), { change, target });
    const updated = bom + text;
    const bytes = new TextEncoder().encode(updated);
    if (bytes.length <= NOTEBOOK_LIMIT) return { ...changed, original, updated, bytes };
    throw new Error(`${cannot(target)}: it would have ${byteSize(bytes.length)}, and ${advice}`);
  };
  const options = { limit: NOTEBOOK_LIMIT, advice, signal, change: changedBytes };
  const changed = await changeFile(target, options);
  return { ...changed, report: `Edited ${quotePath(target.given)}: ${reportOf(changed)}` };
}

function reportOf({ done, before, after }: Omit<ChangedNotebook, "text">): string {
  if (before === undefined) return done;
  if (before === after) return `${done}; its text is unchanged`;
  // Cells seldom end in a newline. An added newline on both sides keeps that out of the diff.
  const [old, now] = [before, after].map((text) =>
    new TextEncoder().encode(text ? `${text}\n` : "")
  );
  const diff = editDiff(old!, { needle: old!, replacement: now!, count: 1, places: [0] });
  return diff === "" ? done : `${done}\n${diff}`;
}

/** The data of an edit, in the published type `NotebookEditOutput`. */
export function notebookData(
  path: string,
  change: NotebookChange,
  { original, updated, before }: EditedNotebook,
): Record<string, unknown> {
  const [old, now] = [original, updated].map((text) =>
    fieldsOf(JSON.parse(text.startsWith(BOM) ? text.slice(BOM.length) : text))
  );
  const { mode, cell, type, source } = change;
  const position = Number(/^Cell (\d+)$/.exec(cell ?? "")?.[1]);
  const [found] = [old!, now!].flatMap(({ cells }) =>
    Array.isArray(cells) ? cells.filter((each, at) => each.id === cell || at + 1 === position) : []
  );
  return {
    new_source: source,
    ...(mode !== "insert" && before !== undefined && { old_source: before }),
    ...(cell !== undefined && { cell_id: cell }),
    cell_type: type ?? (found?.cell_type === "markdown" ? "markdown" : "code"),
    language: languageOf(now!),
    edit_mode: mode,
    notebook_path: path,
    original_file: original,
    updated_file: updated,
  };
}

/** The language that the metadata names; Python by default. */
function languageOf(notebook: Readonly<Record<string, unknown>>): string {
  const { kernelspec, language_info } = fieldsOf(notebook.metadata);
  const names = [fieldsOf(kernelspec).language, fieldsOf(language_info).name];
  return names.find((name) => typeof name === "string") ?? "python";
}
