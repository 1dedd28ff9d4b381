import markdownIt from "markdown-it";

const markdown = markdownIt({ html: true });

/** A token of markdown-it. */
export type MarkdownToken = ReturnType<typeof markdown.parse>[number];

/** A part of a document: its first token, and the parts or the inline tokens of the text in it. */
export type Part = { token: MarkdownToken; parts: Part[]; inline: readonly MarkdownToken[] };

/** The deepest nesting. The parser silently drops deeper content. */
const MAX_DEPTH = 95;

/** Parses Markdown: CommonMark with tables and strikethrough. Throws if it is nested too deep. */
export function readMarkdown(text: string): Part[] {
  const root: Part[] = [];
  const open: Part[][] = [root];
  for (const token of markdown.parse(text, {})) {
    if (token.level > MAX_DEPTH) {
      throw new Error("Cannot publish lists and quotes nested more than 45 levels deep");
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
