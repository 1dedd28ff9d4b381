import { type JsonLayout, JsonPieces, nestedLayout } from "./json_pieces.ts";

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
  const outer = notebook.layout({ head: "", between: ", ", tail: "" });
  const unit = /\n([ \t]+)$/.exec(outer.head)?.[1] ?? " ";
  const { label } = notebook.items[at]!;
  return {
    cells: cells.layout(nestedLayout(outer, unit)),
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
 * Gives a cell, which must be an object, new members and a new text, in the form of the cell `like`
 * if that is an object. Its other members stay as they are written.
 */
export function changedCell(
  json: string,
  { like, wanted, form }: { like: string | undefined; wanted: CellContent; form: CellForm },
): string {
  const cell = new JsonPieces(json);
  const model = new JsonPieces(like?.startsWith("{") ? like : "{}");
  const layout = model.layout(nestedLayout(form.cells, form.unit));
  const old = model.items[model.names.lastIndexOf("source")]?.value ?? "[]";
  const source = sourceJson(wanted.source, { old, form, layout });
  for (const name of wanted.without ?? []) {
    while (cell.names.includes(name)) cell.remove(cell.names.lastIndexOf(name));
  }
  for (const [name, value] of Object.entries({ ...wanted.members, source })) {
    const at = cell.names.lastIndexOf(name);
    if (at >= 0) cell.items[at]!.value = value;
    else {
      const label = `${JSON.stringify(name)}${form.colon}`;
      cell.insert(placeOf(name, cell.names), { label, value, layout });
    }
  }
  return cell.toString();
}

/** A new member keeps the alphabetical order that Jupyter writes; otherwise it goes to the end. */
function placeOf(name: string, names: readonly string[]): number {
  const isSorted = names.every((each, at) => at === 0 || names[at - 1]! <= each);
  const next = isSorted ? names.findIndex((each) => each > name) : -1;
  return next < 0 ? names.length : next;
}

/** A cell's text in the form of the text before: one string, or a list of lines. */
function sourceJson(
  source: string,
  { old, form, layout: outer }: { old: string; form: CellForm; layout: JsonLayout },
): string {
  if (old.startsWith('"')) return stringJson(source, form);
  const lines = source.split(/(?<=\n)/).filter((line) => line !== "");
  if (lines.length === 0) return "[]";
  const list = new JsonPieces(old.startsWith("[") ? old : "[]");
  const { head, between, tail } = list.layout(nestedLayout(outer, form.unit));
  return `[${head}${lines.map((line) => stringJson(line, form)).join(between)}${tail}]`;
}

/** Returns whether a JSON text escapes every character beyond ASCII, and has at least one. */
function isAsciiOnly(json: string): boolean {
  // An unbounded count would overflow the stack of the regular expression.
  // deno-lint-ignore no-control-regex
  return !/[^\x00-\x7f]/.test(json) && /(?<!\\)(?:\\\\){0,999}\\u(?!00[0-7])/.test(json);
}

function stringJson(text: string, { asciiOnly }: CellForm): string {
  const json = JSON.stringify(text);
  if (!asciiOnly) return json;
  return json.replace(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
