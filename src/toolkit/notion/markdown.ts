import markdownIt from "markdown-it";

const markdown = markdownIt({ html: true });

/** A token of markdown-it. */
export type Token = ReturnType<typeof markdown.parse>[number];

/** A part of a document: the token that it begins with, and the parts or inline tokens in it. */
export interface Part {
  /** The first token. */
  token: Token;
  /** The parts between that and its end. */
  parts: Part[];
  /** The tokens of its text. */
  inline: readonly Token[];
}

/** How deep something lies at most; what lies deeper the parser would leave out without a word. */
const MAX_DEPTH = 95;

/** Reads Markdown: CommonMark with tables and struck-out text. Throws for what lies too deep. */
export function readMarkdown(text: string): Part[] {
  const root: Part[] = [];
  const open: Part[][] = [root];
  for (const token of markdown.parse(text, {})) {
    if (token.level > MAX_DEPTH) {
      throw new Error("Cannot publish lists and quotes that lie in more than 45 others");
    }
    if (token.nesting < 0) {
      open.pop();
      continue;
    }
    const part: Part = { token, parts: [], inline: token.children ?? [] };
    open.at(-1)!.push(part);
    if (token.nesting > 0) open.push(part.parts);
  }
  return root;
}
