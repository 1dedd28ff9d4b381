import { createScanner } from "jsonc-parser";

/** An element of a JSON array or a member of an object, in its own spelling. */
interface JsonItem {
  /** The blanks before it, and the comma of every item except the first. */
  readonly lead: string;
  /** A member's name, its colon and the blanks after it; empty in an array. */
  readonly label: string;
  readonly value: string;
}

/** The text of a JSON array or object in pieces that {@link joinJson} joins to the same text. */
export interface JsonPieces {
  /** The text up to and including the opening bracket. */
  readonly open: string;
  /** The items between the brackets. */
  readonly items: readonly JsonItem[];
  /** The blanks before the closing bracket. */
  readonly tail: string;
  /** The closing bracket, and the text after it. */
  readonly close: string;
}

/** The layout of an array or object: the text before, between and after its items. */
export interface JsonLayout {
  /** The text before the first item. */
  readonly head: string;
  /** The text between two items, with the comma. */
  readonly between: string;
  /** The text after the last item. */
  readonly tail: string;
}

/** Splits the text of an array or object, which must be valid JSON of any depth. */
export function splitJson(text: string): JsonPieces {
  const scanner = createScanner(text, true);
  scanner.scan();
  const open = scanner.getTokenOffset() + 1;
  const items: JsonItem[] = [];
  let start: number | undefined;
  let value: number | undefined;
  let [depth, done, end] = [1, open, open];
  for (;;) {
    scanner.scan();
    const at = scanner.getTokenOffset();
    const token = text[at];
    const closes = token === "]" || token === "}";
    if (depth === 1 && (closes || token === ",")) {
      if (start !== undefined) {
        const label = text.slice(start, value);
        items.push({ lead: text.slice(done, start), label, value: text.slice(value, end) });
        done = end;
      }
      if (closes) break;
      start = value = undefined;
    } else {
      if (token === undefined) throw new Error("The text is no whole JSON array or object");
      start ??= at;
      if (depth === 1 && token === ":") value = undefined;
      else value ??= at;
      if (closes) depth--;
      else if (token === "[" || token === "{") depth++;
      end = at + scanner.getTokenLength();
    }
  }
  const at = scanner.getTokenOffset();
  return { open: text.slice(0, open), items, tail: text.slice(done, at), close: text.slice(at) };
}

/** The text that the pieces make. */
export function joinJson({ open, items, tail, close }: JsonPieces): string {
  const parts = items.flatMap(({ lead, label, value }) => [lead, label, value]);
  return [open, ...parts, tail, close].join("");
}

/** The name of an object's member. */
export function memberName({ label }: JsonItem): string {
  return JSON.parse(label.slice(0, label.lastIndexOf(":")));
}

/** Inserts an item at an index; the others keep their text. */
export function insertItem(
  pieces: JsonPieces,
  options: { at: number; label?: string; value: string; layout: JsonLayout },
): JsonPieces {
  const { at, label = "", value, layout } = options;
  const first = pieces.items[0];
  const items = pieces.items.toSpliced(at, 0, { lead: layout.between, label, value });
  if (at > 0) return { ...pieces, items };
  items[0] = { lead: first?.lead ?? layout.head, label, value };
  if (!first) return { ...pieces, items, tail: layout.tail };
  items[1] = { ...first, lead: layout.between };
  return { ...pieces, items };
}

/** Replaces the value of one item. */
export function replaceValue(
  pieces: JsonPieces,
  { at, value }: { at: number; value: string },
): JsonPieces {
  return { ...pieces, items: pieces.items.with(at, { ...pieces.items[at]!, value }) };
}

/** Removes the items whose index `isOut` accepts; the others keep their text. */
export function removeItems(pieces: JsonPieces, isOut: (at: number) => boolean): JsonPieces {
  const items = pieces.items.filter((_, at) => !isOut(at));
  const [first, ...rest] = items;
  if (!first) return { ...pieces, items, tail: "" };
  return { ...pieces, items: [{ ...first, lead: pieces.items[0]!.lead }, ...rest] };
}

/** The layout of an array or object; `fallback` if it has no items. */
export function containerLayout(pieces: JsonPieces | undefined, fallback: JsonLayout): JsonLayout {
  const [first, second] = pieces?.items ?? [];
  if (!pieces || !first) return fallback;
  const head = first.lead;
  const inline = isInline(fallback) ? fallback.between : ", ";
  const between = second?.lead ?? (head === "" ? inline : `,${head}`);
  return { head, between, tail: pieces.tail };
}

/** The layout of an array or object inside one of the given layout, indented by `unit`. */
export function nestedLayout(outer: JsonLayout, unit: string): JsonLayout {
  const blanks = outer.between.replace(",", "");
  if (isInline(outer)) return { head: "", between: outer.between, tail: "" };
  return { head: blanks + unit, between: `,${blanks}${unit}`, tail: blanks };
}

/** The blanks that indent each level of a document, by its outermost layout. */
export function indentUnit({ head }: JsonLayout): string {
  return /\n([ \t]+)$/.exec(head)?.[1] ?? " ";
}

function isInline({ between }: JsonLayout): boolean {
  return !between.includes("\n");
}
