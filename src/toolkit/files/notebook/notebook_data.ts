import { isObject } from "../../../base/json/is_object.ts";
import type { NotebookChange } from "./change_notebook.ts";

/** The data of NotebookEdit's change: `NotebookEditOutput`. */
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

/** The language that the metadata names; notebooks without one are Python's. */
function languageOf(notebook: Record<string, unknown> | undefined): string {
  const metadata = isObject(notebook?.["metadata"]) ? notebook["metadata"] : {};
  const places: [string, string][] = [["kernelspec", "language"], ["language_info", "name"]];
  for (const [place, key] of places) {
    const info = metadata[place];
    if (isObject(info) && typeof info[key] === "string") return info[key];
  }
  return "python";
}
