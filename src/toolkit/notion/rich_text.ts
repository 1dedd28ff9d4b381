/** How many elements an array of the API holds at most: children of a block, pieces of a text. */
export const MAX_ELEMENTS = 100;

/** How many characters the text of a piece, or a URL, has at most. */
export const MAX_CHARACTERS = 2_000;

/** A piece of a text with one kind of formatting, as the API takes it. */
export interface RichText {
  /** The only type that is written. */
  type: "text";
  /** The text, and where it leads. */
  text: { content: string; link?: { url: string } };
  /** How it looks. */
  annotations?: Readonly<Partial<Record<Annotation, true>>>;
}

/** How a piece of text looks. */
export type Annotation = "bold" | "italic" | "strikethrough" | "code";

/** A block as the API takes it, but with its children beside what it says. */
export interface Block {
  /** Its type, such as `paragraph`. */
  type: string;
  /** What the API takes under the name of the type, without children. */
  body: Readonly<Record<string, unknown>>;
  /** The blocks in it. */
  children: readonly Block[];
}

/** What a document says that Notion does not show, each told once, with how often it was. */
export type Notes = Map<string, number>;

/** Notes one more time that something is not shown. */
export function note(notes: Notes, what: string): void {
  notes.set(what, (notes.get(what) ?? 0) + 1);
}

/** The notes in words. */
export function notesText(notes: Notes): string[] {
  return [...notes].map(([what, count]) => count === 1 ? what : `${what} (${count} times)`);
}

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
