import { quote } from "../../../base/text/quote.ts";
import { type CellForm, cellForm, changedCell } from "./change_cell.ts";
import { JsonPieces } from "./json_pieces.ts";
import {
  cellId,
  fieldsOf,
  findCell,
  joinedText,
  type NotebookDocument,
  parseNotebook,
} from "./notebook_document.ts";
import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";
import { isObject } from "../../../base/json/is_object.ts";

/** A change of one cell of a notebook. */
export interface NotebookChange {
  /** The action. */
  readonly mode: "replace" | "insert" | "delete";
  /** The id of the cell, or its number such as `Cell 3`. A new cell is inserted after it. */
  readonly cell?: string | undefined;
  /** The new type of the cell. */
  readonly type?: "code" | "markdown" | undefined;
  /** Its new text. */
  readonly source: string;
}

/** A change that was made. */
export interface ChangedNotebook {
  /** The notebook's whole text afterwards. */
  readonly text: string;
  /** A description of the change. */
  readonly done: string;
  /** The cell's text before, if the cell existed. */
  readonly before?: string;
  /** The cell's text afterwards, unless it is gone. */
  readonly after?: string;
}

/** The parts of a notebook that a change works on. */
interface Parts extends NotebookDocument {
  readonly list: JsonPieces;
  readonly form: CellForm;
  readonly change: NotebookChange;
  readonly target: FileTarget;
}

/** A change that was made to the list of cells. */
type ChangedList = Omit<ChangedNotebook, "text">;

/**
 * Changes one cell in the text of a notebook of format 4. Every byte outside that cell stays as it
 * is, except for a comma. Throws a readable error when the text is not such a notebook, and when the
 * cell is missing or not named.
 */
export function changeNotebook(
  text: string,
  { change, target }: { change: NotebookChange; target: FileTarget },
): ChangedNotebook {
  const document = parseNotebook(text, target);
  const notebook = new JsonPieces(text);
  const at = notebook.names.lastIndexOf("cells");
  const member = notebook.items[at]!;
  const list = new JsonPieces(member.value);
  const form = cellForm(text, { notebook, at, cells: list });
  const changed = CHANGES[change.mode]({ ...document, list, form, change, target });
  member.value = list.toString();
  return { ...changed, text: notebook.toString() };
}

const CHANGES = { replace: replaceCell, insert: insertCell, delete: deleteCell };

/** The members that a cell of each type must not have. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  code: ["attachments"],
  markdown: ["outputs", "execution_count"],
  raw: ["outputs", "execution_count"],
};
const NOT_RUN = { execution_count: "null", outputs: "[]" };

function replaceCell(parts: Parts): ChangedList {
  const { cells, list, form, change, target } = parts;
  const at = namedCell(parts);
  const fields = cells[at];
  if (!isObject(fields)) throw new Error(`${cannot(target)}: cell ${at + 1} is not an object`);
  const oldType = joinedText(fields.cell_type);
  const type = change.type ?? oldType;
  const without = Object.hasOwn(WITHOUT, type) ? WITHOUT[type]! : [];
  const members = {
    ...(type !== oldType && { cell_type: JSON.stringify(type) }),
    ...(type === "code" && NOT_RUN),
  };
  const wanted = { members, source: change.source, without };
  const item = list.items[at]!;
  item.value = changedCell(item.value, { like: item.value, wanted, form });
  const lost = ["outputs", "attachments"].filter((name) =>
    (without.includes(name) || Object.hasOwn(members, name)) && isFilled(fields[name])
  );
  const done = `replaced ${described(cells[at], at)}` +
    (type === oldType ? "" : `, which is now a ${type} cell`) +
    (lost.length === 0 ? "" : `; its ${lost.join(" and ")} were removed`);
  return { done, before: joinedText(fields.source), after: change.source };
}

function insertCell(parts: Parts): ChangedList {
  const { cells, list, form, change } = parts;
  const at = change.cell === undefined ? 0 : namedCell(parts) + 1;
  const type = change.type ?? "code";
  const id = parts.hasIds ? freshId(cells) : undefined;
  const members = {
    cell_type: JSON.stringify(type),
    ...(id !== undefined && { id: JSON.stringify(id) }),
    metadata: "{}",
    ...(type === "code" && NOT_RUN),
  };
  const like = list.items[at === 0 ? 0 : at - 1]?.value;
  const value = changedCell("{}", { like, wanted: { members, source: change.source }, form });
  list.insert(at, { value, layout: form.cells });
  const where = at === 0 ? "at the beginning" : `after ${described(cells[at - 1], at - 1)}`;
  const done = `inserted ${described({ cell_type: type, id }, at)} ${where}`;
  return { done: done + shifted(cells.slice(at), "up"), after: change.source };
}

function deleteCell(parts: Parts): ChangedList {
  const { cells, list } = parts;
  const at = namedCell(parts);
  list.remove(at);
  return {
    done: `deleted ${described(cells[at], at)}${shifted(cells.slice(at + 1), "down")}`,
    before: joinedText(fieldsOf(cells[at]).source),
  };
}

function namedCell({ cells, change, target }: Parts): number {
  return findCell(cells, { name: change.cell ?? "", target });
}

/** The cell as Read names it. */
function described(cell: unknown, at: number): string {
  const id = cellId(cell);
  const type = joinedText(fieldsOf(cell).cell_type) || "unknown";
  return `cell ${at + 1} (${type}${id === undefined ? "" : `, id ${quote(id)}`})`;
}

/** Cells without an id are named by their number, which has changed. */
function shifted(after: readonly unknown[], direction: "up" | "down"): string {
  if (after.every((cell) => cellId(cell) !== undefined)) return "";
  return `; the number of every following cell went ${direction} by one`;
}

function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** Returns a new id, as long as Jupyter's own. */
function freshId(cells: readonly unknown[]): string {
  const taken = new Set(cells.map(cellId));
  for (;;) {
    const id = crypto.randomUUID().slice(0, 8);
    if (!taken.has(id)) return id;
  }
}
