import { truncate } from "../../base/text/truncate.ts";

/** The most elements of an array in the API: children of a block, pieces of a text. */
export const MAX_ELEMENTS = 100;

/** The most characters of a piece of text, or of a URL. */
export const MAX_PIECE = 2_000;

/** A piece of text with uniform formatting, in the form of the API. */
export interface RichText {
  /** The only type that is used. */
  type: "text";
  /** The text and its link. */
  text: { content: string; link?: { url: string } };
  /** Its formatting. */
  annotations?: Readonly<Partial<Record<Annotation, true>>>;
}

/** A kind of formatting. */
export type Annotation = "bold" | "italic" | "strikethrough" | "code";

/** A block in the form of the API, except that its children are beside its body. */
export interface Block {
  /** Its type, such as `paragraph`. */
  type: string;
  /** The object under the name of the type in the API, without children. */
  body: Readonly<Record<string, unknown>>;
  /** The blocks in it. */
  children: readonly Block[];
}

/** The parts of a document that Notion cannot show, with the number of each. */
export type Notes = Map<string, number>;

/** Counts one more part that is not shown. */
export function addNote(notes: Notes, what: string): void {
  notes.set(what, (notes.get(what) ?? 0) + 1);
}

/** The notes as texts. */
export function notesText(notes: Notes): string[] {
  return [...notes].map(([what, count]) => count === 1 ? what : `${what} (${count} times)`);
}

/** The most characters in one block, so that any block fits into a request. */
const MAX_TEXT = 100_000;

/** Splits a text into pieces within the limit of the API, never inside a surrogate pair. */
export function splitText(
  text: string,
  { annotations, link }: { annotations: readonly Annotation[]; link?: string | undefined },
): RichText[] {
  const look = Object.fromEntries(annotations.map((each) => [each, true as const]));
  return cut(text, MAX_PIECE).map((content) => ({
    type: "text",
    text: { content, ...(link !== undefined && { link: { url: link } }) },
    ...(annotations.length > 0 && { annotations: look }),
  }));
}

/** Groups pieces so that each group fits into one block. Returns at least one group. */
export function groupPieces(pieces: readonly RichText[]): RichText[][] {
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
  for (let at = 0; at < text.length; at += parts.at(-1)!.length) {
    parts.push(truncate(text.slice(at), most));
  }
  return parts;
}
