import { isObject } from "../../../base/json/is_object.ts";
import { fieldsOf, joinedText } from "./notebook_document.ts";

/** A cell in the form of format 4. */
export interface NotebookCell {
  /** Its content, which is not checked. */
  content: unknown;
  /** The place of the original in the file's JSON, as `.cells[3]`. */
  place: string;
}

/** The oldest format that has worksheets. */
const WITH_WORKSHEETS = 2;

/** The media types of the results of formats 2 and 3. */
const MEDIA_TYPES = new Map([
  ...[["text", "text/plain"], ["html", "text/html"], ["latex", "text/latex"]] as const,
  ...[["png", "image/png"], ["jpeg", "image/jpeg"], ["svg", "image/svg+xml"]] as const,
  ...[["javascript", "application/javascript"], ["json", "application/json"]] as const,
]);

/** The cells of a notebook of formats 2 to 4. Returns `undefined` for any other value. */
export function notebookCells(notebook: unknown): NotebookCell[] | undefined {
  const { nbformat, cells, worksheets = [] } = fieldsOf(notebook);
  if (nbformat === 4) {
    if (!Array.isArray(cells)) return undefined;
    return cells.map((content, at) => ({ content, place: `.cells[${at}]` }));
  }
  if (typeof nbformat !== "number" || nbformat < WITH_WORKSHEETS || nbformat > 3) return undefined;
  if (!Array.isArray(worksheets)) return undefined;
  // Format 2 has lines without their ends.
  const joint = nbformat === 2 ? "\n" : "";
  return worksheets.flatMap((sheet, number) => {
    const { cells = [] } = fieldsOf(sheet);
    return (Array.isArray(cells) ? cells : []).map((cell, at) => ({
      content: currentCell(fieldsOf(cell), joint),
      place: `.worksheets[${number}].cells[${at}]`,
    }));
  });
}

function currentCell(cell: Readonly<Record<string, unknown>>, joint: string): unknown {
  const { cell_type: type, source, input, level, outputs, prompt_number: count } = cell;
  const text = lines(source ?? input, joint);
  if (type === "heading") {
    const marks = "#".repeat(typeof level === "number" ? Math.min(Math.max(level, 1), 6) : 1);
    return { cell_type: "markdown", source: `${marks} ${text}` };
  }
  if (type !== "code") return { cell_type: type === "html" ? "markdown" : type, source: text };
  return {
    cell_type: type,
    source: text,
    execution_count: count,
    outputs: (Array.isArray(outputs) ? outputs : [])
      .map((output) => currentOutput(fieldsOf(output), joint)),
  };
}

function currentOutput(output: Readonly<Record<string, unknown>>, joint: string): unknown {
  const { output_type: type, stream = "stdout", text } = output;
  if (type === "stream") return { output_type: type, name: stream, text: lines(text, joint) };
  if (type === "pyerr") return { ...output, output_type: "error" };
  const data = [...MEDIA_TYPES].filter(([key]) => Object.hasOwn(output, key))
    .map(([key, media]) => {
      const value = output[key];
      return [media, isObject(value) ? value : lines(value, joint)];
    });
  return { output_type: "display_data", data: Object.fromEntries(data) };
}

function lines(value: unknown, joint: string): string {
  return Array.isArray(value) ? value.map(joinedText).join(joint) : joinedText(value);
}
