import { byteSize } from "../../../base/text/amounts.ts";
import { changeFile } from "../edit/change_file.ts";
import { type ChangedNotebook, changeNotebook, type NotebookChange } from "./change_notebook.ts";
import { editDiff } from "../edit/edit_diff.ts";
import { quotePath } from "../../../base/text/quote_path.ts";
import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";

/** As much as Read shows as a notebook. */
const NOTEBOOK_LIMIT = 32 * 1024 * 1024;
const BOM = "\ufeff";

/** An edit of a notebook that was made. */
export interface EditedNotebook {
  /** A description of the edit, with a diff of the cell's text if the cell had one before. */
  report: string;
  /** The notebook's whole text before. */
  original: string;
  /** The notebook's whole text afterwards. */
  updated: string;
  /** The cell's text before, where there was a cell. */
  before?: string;
}

/**
 * Changes one cell of a notebook of up to 32 MiB, under the lock that all edits
 * take. Returns what was done, or `undefined` when there is no such file. Throws a readable error,
 * and then the file is as it was.
 */
export async function editNotebook(
  target: FileTarget,
  { change, signal }: { change: NotebookChange; signal: AbortSignal },
): Promise<EditedNotebook | undefined> {
  const changed = await changeFile(target, {
    limit: NOTEBOOK_LIMIT,
    advice: limitText(),
    signal,
    change: (before) => changedBytes(before, { change, target }),
  });
  if (!changed) return undefined;
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
  const whole = decoded(bytes, target);
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

function decoded(bytes: Uint8Array, target: FileTarget): string {
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${cannot(target)}: it is not valid UTF-8, which a notebook has to be`);
  }
}

function limitText(): string {
  return `NotebookEdit takes notebooks of up to ${byteSize(NOTEBOOK_LIMIT)}`;
}

/** Cells seldom end in a newline: one more on both sides keeps the diff from telling so. */
function sourceDiff(before: string, after: string): string {
  const [old, now] = [before, after].map((text) =>
    new TextEncoder().encode(text === "" ? "" : `${text}\n`)
  );
  return editDiff(old!, { needle: old!, replacement: now!, count: 1, places: [0] });
}
