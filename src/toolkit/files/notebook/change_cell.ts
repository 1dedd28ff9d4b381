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

/** The form in which a notebook writes its cells. */
export interface CellForm {
  /** The layout of its list of cells. */
  readonly cells: JsonLayout;
  /** The blanks that indent each level. */
  readonly unit: string;
  /** The colon after a name, with the blanks after it. */
  readonly colon: string;
  /** True if characters beyond ASCII are escaped. */
  readonly asciiOnly: boolean;
}

/** The form of a notebook with the given text; `cells` is its member at the index `at`. */
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

/** The new content of a cell. */
interface CellContent {
  /** The JSON of each required member, except the text. */
  readonly members: Readonly<Record<string, string>>;
  readonly source: string;
  /** The names of members to remove. */
  readonly without?: readonly string[];
}

/**
 * Gives a cell, which must be an object, new members and a new text. Its other members stay as they
 * are written.
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

/** A new cell, written in the form of the cell `like` if that is given. */
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
    layout: old.startsWith('"')
      ? undefined
      : containerLayout(list, nestedLayout(layout, form.unit)),
    asciiOnly: form.asciiOnly,
  });
  return Object.entries({ ...wanted.members, source }).reduce(
    (result, [name, value]) => withMember(result, { name, value, layout, colon: form.colon }),
    cell,
  );
}

/** A new member keeps the alphabetical order that Jupyter writes; otherwise it goes to the end. */
function withMember(
  cell: JsonPieces,
  { name, value, layout, colon }: {
    name: string;
    value: string;
    layout: JsonLayout;
    colon: string;
  },
): JsonPieces {
  const names = cell.items.map(memberName);
  const old = names.lastIndexOf(name);
  if (old >= 0) return replaceValue(cell, { at: old, value });
  const isSorted = names.every((each, at) => at === 0 || names[at - 1]! <= each);
  const next = isSorted ? names.findIndex((each) => each > name) : -1;
  const at = next < 0 ? names.length : next;
  return insertItem(cell, { at, label: `${JSON.stringify(name)}${colon}`, value, layout });
}

/** A cell's text as one string, or as a list of lines with this layout. */
function sourceJson(
  source: string,
  { layout, asciiOnly }: { layout: JsonLayout | undefined; asciiOnly: boolean },
): string {
  if (layout === undefined) return stringJson(source, asciiOnly);
  const lines = source.split(/(?<=\n)/).filter((line) => line !== "");
  if (lines.length === 0) return "[]";
  const values = lines.map((line) => stringJson(line, asciiOnly));
  return `[${layout.head}${values.join(layout.between)}${layout.tail}]`;
}

/** Returns whether a JSON text escapes every character beyond ASCII, and has at least one. */
function isAsciiOnly(json: string): boolean {
  // An unbounded count would overflow the stack of the regular expression.
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
