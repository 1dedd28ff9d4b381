import type { JsonLayout, JsonPieces } from "./json_pieces.ts";

/** The layout that a container has; where it tells nothing, that of `fallback`. */
export function layoutOf(pieces: JsonPieces | undefined, fallback: JsonLayout): JsonLayout {
  const [first, second] = pieces?.items ?? [];
  if (!pieces || !first) return fallback;
  const head = first.lead;
  const inline = isInline(fallback) ? fallback.between : ", ";
  const between = second?.lead ?? (head === "" ? inline : `,${head}`);
  return { head, between, tail: pieces.tail };
}

/** The layout of a container in one of the given layout, `unit` further to the right. */
export function nestedLayout(outer: JsonLayout, unit: string): JsonLayout {
  const blanks = outer.between.replace(",", "");
  if (isInline(outer)) return { head: "", between: outer.between, tail: "" };
  return { head: blanks + unit, between: `,${blanks}${unit}`, tail: blanks };
}

/** The blanks by which a document goes to the right, as its outermost layout tells. */
export function indentUnit({ head }: JsonLayout): string {
  return /\n([ \t]+)$/.exec(head)?.[1] ?? " ";
}

function isInline({ between }: JsonLayout): boolean {
  return !between.includes("\n");
}
