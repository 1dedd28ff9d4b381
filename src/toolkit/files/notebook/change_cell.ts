import {
  containerLayout,
  indentUnit,
  insertItem,
  joinJson,
  type JsonLayout,
  type JsonPieces,
  memberName,
  nestedLayout,
  removeItems,
  replaceValue,
  splitJson,
} from "./json_pieces.ts";

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
  const outer = containerLayout(notebook, { head: "", between: ", ", tail: "" });
  const unit = indentUnit(outer);
  const { label } = notebook.items[at]!;
  return {
    cells: containerLayout(cells, nestedLayout(outer, unit)),
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
    (at) => wanted.without?.includes(memberName(cell.items[at]!)) ?? false,
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
  const layout = containerLayout(like, nestedLayout(form.cells, form.unit));
  const old = like?.items.findLast((item) => memberName(item) === "source")?.value ?? "[]";
  const list = old.startsWith("[") ? splitJson(old) : undefined;
  const source = sourceJson(wanted.source, {
    asLines: !old.startsWith('"'),
    asciiOnly: form.asciiOnly,
    layout: containerLayout(list, nestedLayout(layout, form.unit)),
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
  const names = cell.items.map(memberName);
  const old = names.lastIndexOf(name);
  if (old >= 0) return replaceValue(cell, { at: old, value });
  const sorted = names.every((each, at) => at === 0 || names[at - 1]! <= each);
  const next = sorted ? names.findIndex((each) => each > name) : -1;
  const at = next < 0 ? names.length : next;
  return insertItem(cell, { at, label: `${JSON.stringify(name)}${colon}`, value, layout });
}

/** How a notebook writes the texts of its cells. */
export interface SourceForm {
  /** Whether as a list of lines rather than as one string. */
  readonly asLines: boolean;
  /** Whether characters beyond ASCII are escaped. */
  readonly asciiOnly: boolean;
  /** The layout of a list of lines. */
  readonly layout: JsonLayout;
}

/** A cell's text as the JSON of the notebook has it. */
export function sourceJson(source: string, { asLines, asciiOnly, layout }: SourceForm): string {
  if (!asLines) return stringJson(source, asciiOnly);
  const { head, between, tail } = layout;
  const lines = source.split(/(?<=\n)/).filter((line) => line !== "");
  if (lines.length === 0) return "[]";
  const values = lines.map((line) => stringJson(line, asciiOnly));
  return `[${head}${values.join(between)}${tail}]`;
}

/** Whether a JSON text has no character beyond ASCII but escapes of such ones. */
export function isAsciiOnly(json: string): boolean {
  // A count without a bound would overflow the stack of the regular expression.
  // deno-lint-ignore no-control-regex
  return !/[^\x00-\x7f]/.test(json) && /(?<!\\)(?:\\\\){0,999}\\u(?!00[0-7])/.test(json);
}

function stringJson(text: string, asciiOnly: boolean): string {
  const json = JSON.stringify(text);
  if (!asciiOnly) return json;
  return json.replace(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
