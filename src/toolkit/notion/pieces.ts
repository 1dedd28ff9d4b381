import { type Annotation, MAX_CHARACTERS, MAX_ELEMENTS, type RichText } from "./block.ts";

/** How many characters the text of one block has at most, so that a request holds any block. */
const MAX_TEXT = 100_000;

/** A text as pieces that are short enough; no character is torn in two. */
export function textPieces(
  text: string,
  { annotations, link }: { annotations: readonly Annotation[]; link?: string | undefined },
): RichText[] {
  const look = Object.fromEntries(annotations.map((each) => [each, true as const]));
  return cut(text, MAX_CHARACTERS).map((content) => ({
    type: "text",
    text: { content, ...(link !== undefined && { link: { url: link } }) },
    ...(annotations.length > 0 && { annotations: look }),
  }));
}

/** Pieces in groups, each of which one block takes; one group at least. */
export function piecesByBlock(pieces: readonly RichText[]): RichText[][] {
  const groups: RichText[][] = [[]];
  let length = 0;
  for (const piece of pieces) {
    length += piece.text.content.length;
    if (groups.at(-1)!.length === MAX_ELEMENTS || length > MAX_TEXT) {
      groups.push([]);
      length = piece.text.content.length;
    }
    groups.at(-1)!.push(piece);
  }
  return groups;
}

function cut(text: string, most: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + most);
    const isTorn = end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!);
    if (isTorn) end--;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}
