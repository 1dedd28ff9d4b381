import { createScanner } from "jsonc-parser";

/** An element of a JSON array or a member of an object, in its own spelling. */
interface JsonItem {
  /** The blanks before it, and the comma of every item except the first. */
  lead: string;
  /** A member's name, its colon and the blanks after it; empty in an array. */
  label: string;
  value: string;
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

/** The text of a JSON array or object in pieces. A change of one leaves the others as written. */
export class JsonPieces {
  /** The items between the brackets. */
  readonly items: JsonItem[] = [];
  #open: string;
  #tail: string;
  #close: string;

  /** Splits a text, which must be valid JSON of any depth. */
  constructor(text: string) {
    const scanner = createScanner(text, true);
    scanner.scan();
    const open = scanner.getTokenOffset() + 1;
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
          this.items.push({ lead: text.slice(done, start), label, value: text.slice(value, end) });
          done = end;
        }
        if (closes) break;
        start = value = undefined;
      } else {
        if (token === undefined) throw new Error("The text is not a complete JSON array or object");
        start ??= at;
        if (depth === 1 && token === ":") value = undefined;
        else value ??= at;
        if (closes) depth--;
        else if (token === "[" || token === "{") depth++;
        end = at + scanner.getTokenLength();
      }
    }
    const at = scanner.getTokenOffset();
    this.#open = text.slice(0, open);
    this.#tail = text.slice(done, at);
    this.#close = text.slice(at);
  }

  /** The names of an object's members. */
  get names(): string[] {
    return this.items.map(({ label }) => JSON.parse(label.slice(0, label.lastIndexOf(":"))));
  }

  /** Inserts an item at an index. */
  insert(at: number, item: { label?: string; value: string; layout: JsonLayout }): void {
    const { label = "", value, layout } = item;
    const [first] = this.items;
    const lead = at > 0 ? layout.between : first?.lead ?? layout.head;
    this.items.splice(at, 0, { lead, label, value });
    if (first === undefined) this.#tail = layout.tail;
    else if (at === 0) first.lead = layout.between;
  }

  /** Removes the item at an index. */
  remove(at: number): void {
    const [{ lead } = { lead: "" }] = this.items;
    this.items.splice(at, 1);
    const [first] = this.items;
    if (first === undefined) this.#tail = "";
    else first.lead = lead;
  }

  /** The layout; `fallback` if there are no items. */
  layout(fallback: JsonLayout): JsonLayout {
    const [first, second] = this.items;
    if (first === undefined) return fallback;
    const head = first.lead;
    const inline = isInline(fallback) ? fallback.between : ", ";
    const between = second?.lead ?? (head === "" ? inline : `,${head}`);
    return { head, between, tail: this.#tail };
  }

  /** The text that the pieces make. */
  toString(): string {
    const parts = this.items.flatMap(({ lead, label, value }) => [lead, label, value]);
    return [this.#open, ...parts, this.#tail, this.#close].join("");
  }
}

/** The layout of an array or object inside one of the given layout, indented by `unit`. */
export function nestedLayout(outer: JsonLayout, unit: string): JsonLayout {
  const blanks = outer.between.replace(",", "");
  if (isInline(outer)) return { head: "", between: outer.between, tail: "" };
  return { head: blanks + unit, between: `,${blanks}${unit}`, tail: blanks };
}

function isInline({ between }: JsonLayout): boolean {
  return !between.includes("\n");
}
