import { indentUnit, layoutOf, nestedLayout } from "./json_layout.ts";
import {
  insertItem,
  joinJson,
  type JsonLayout,
  type JsonPieces,
  nameOf,
  removeItems,
  replaceValue,
  splitJson,
} from "./json_pieces.ts";
import { isAsciiOnly, sourceJson } from "./notebook_source.ts";

/** How a notebook writes its cells. */
export interface CellForm {
  /** How its list of cells is laid out. */
  readonly cells: JsonLayout;
  /** The blanks by which each level goes to the right. */
  readonly unit: string;
  /** The colon after a name, with the blanks after it. */
  readonly colon: string;
  /** Whether characters beyond ASCII are escaped. */
  readonly asciiOnly: boolean;
}

/** The form of a notebook with the given text, of which `cells` is the member at place `at`. */
export function cellForm(
  text: string,
  { notebook, at, cells }: { notebook: JsonPieces; at: number; cells: JsonPieces },
): CellForm {
  const outer = layoutOf(notebook, { head: "", between: ", ", tail: "" });
  const unit = indentUnit(outer);
  const { label } = notebook.items[at]!;
  return {
    cells: layoutOf(cells, nestedLayout(outer, unit)),
    unit,
    colon: label.slice(label.lastIndexOf(":")),
    asciiOnly: isAsciiOnly(text),
  };
}

/** What a cell is to hold. */
export interface CellContent {
  /** The JSON of each member that is to be there, besides its text. */
  readonly members: Readonly<Record<string, string>>;
  /** Its text. */
  readonly source: string;
  /** The names of members that are not to be there. */
  readonly without?: readonly string[];
}

/**
 * Gives a cell, which must be an object, other members and another text; what
 * else it has stays as it is written.
 */
export function changedCell(
  json: string,
  { wanted, form }: { wanted: CellContent; form: CellForm },
): string {
  const cell = splitJson(json);
  const kept = removeItems(
    cell,
    (at) => wanted.without?.includes(nameOf(cell.items[at]!)) ?? false,
  );
  return joinJson(withMembers(kept, { wanted, form, like: cell }));
}

/** A new cell, written as the cell `like` is, if there is one. */
export function newCell(
  like: string | undefined,
  options: { wanted: CellContent; form: CellForm },
): string {
  const model = like?.startsWith("{") ? splitJson(like) : undefined;
  return joinJson(withMembers(splitJson("{}"), { ...options, like: model }));
}

function withMembers(
  cell: JsonPieces,
  { wanted, form, like }: { wanted: CellContent; form: CellForm; like: JsonPieces | undefined },
): JsonPieces {
  const layout = layoutOf(like, nestedLayout(form.cells, form.unit));
  const old = like?.items.findLast((item) => nameOf(item) === "source")?.value ?? "[]";
  const list = old.startsWith("[") ? splitJson(old) : undefined;
  const source = sourceJson(wanted.source, {
    asLines: !old.startsWith('"'),
    asciiOnly: form.asciiOnly,
    layout: layoutOf(list, nestedLayout(layout, form.unit)),
  });
  let result = cell;
  for (const [name, value] of Object.entries({ ...wanted.members, source })) {
    result = withMember(result, { name, value, layout, colon: form.colon });
  }
  return result;
}

/** A new member goes where the alphabet puts it, as in all that Jupyter writes, or to the end. */
function withMember(
  cell: JsonPieces,
  options: { name: string; value: string; layout: JsonLayout; colon: string },
): JsonPieces {
  const { name, value, layout, colon } = options;
  const names = cell.items.map(nameOf);
  const old = names.lastIndexOf(name);
  if (old >= 0) return replaceValue(cell, { at: old, value });
  const sorted = names.every((each, at) => at === 0 || names[at - 1]! <= each);
  const next = sorted ? names.findIndex((each) => each > name) : -1;
  const at = next < 0 ? names.length : next;
  return insertItem(cell, { at, label: `${JSON.stringify(name)}${colon}`, value, layout });
}
