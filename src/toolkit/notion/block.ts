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
