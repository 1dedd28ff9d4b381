import { quote } from "../../base/text/quote.ts";
import {
  addNote,
  type Block,
  groupPieces,
  type Notes,
  type RichText,
  splitText,
} from "./rich_text.ts";
import { convertInline, convertInlineText, type InlineContent } from "./inline.ts";
import { notionLanguage } from "./languages.ts";
import { type MarkdownToken, type Part, readMarkdown } from "./markdown.ts";

/** The blocks of a Markdown document. Adds a note for each part that Notion cannot show. */
export function convertMarkdown(text: string, notes: Notes): Block[] {
  const front = /^---\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[0] ?? "";
  if (front !== "") addNote(notes, "the front matter is omitted");
  return readMarkdown(text.slice(front.length)).flatMap((part) => blocksOf(part, notes));
}

function blocksOf(part: Part, notes: Notes): Block[] {
  const { token, parts } = part;
  switch (token.type) {
    case "heading_open":
      return heading(part, notes);
    case "paragraph_open":
      return textBlocks("paragraph", textOf(part, notes));
    case "bullet_list_open":
    case "ordered_list_open":
      return list(part, notes);
    case "blockquote_open":
      return [withText("quote", { parts, notes })];
    case "fence":
    case "code_block":
      return code(token, notes);
    case "table_open":
      return [tableBlock(part, notes)];
    case "hr":
      return [{ type: "divider", body: {}, children: [] }];
    case "html_block":
      return html(token.content, notes);
    default:
      return textBlocks("paragraph", [splitText(token.content, { annotations: [] })]);
  }
}

/** The text of a paragraph or a heading. */
function textOf({ parts }: Part, notes: Notes): InlineContent[] {
  return parts.flatMap(({ inline }) => convertInline(inline, notes));
}

/** Blocks of a type for a text, with its images as blocks between them. */
function textBlocks(
  type: string,
  inline: readonly InlineContent[],
  body: Block["body"] = {},
): Block[] {
  return inline.flatMap((part) => {
    if (!Array.isArray(part)) return [part];
    return groupPieces(trimmed(part)).filter((group) => group.length > 0)
      .map((rich_text) => ({ type, body: { rich_text, ...body }, children: [] }));
  });
}

/** Pieces without the blanks at both ends, which were next to an image. */
function trimmed(pieces: readonly RichText[]): RichText[] {
  const all = pieces.map((each) => ({ ...each, text: { ...each.text } }));
  const [first, last] = [all.at(0), all.at(-1)];
  if (first !== undefined) first.text.content = first.text.content.trimStart();
  if (last !== undefined) last.text.content = last.text.content.trimEnd();
  return all.filter(({ text }) => text.content !== "");
}

function heading(part: Part, notes: Notes): Block[] {
  const level = Number(part.token.tag.slice(1));
  if (level > 3) {
    addNote(notes, `a heading of level ${level} becomes level 3, the lowest in Notion`);
  }
  const blocks = textBlocks(`heading_${Math.min(level, 3)}`, textOf(part, notes));
  // The rest of a text that is too long for one heading becomes a paragraph.
  return blocks.map((each, at) =>
    at > 0 && each.type !== "image" ? { ...each, type: "paragraph" } : each
  );
}

function list({ token, parts }: Part, notes: Notes): Block[] {
  const isOrdered = token.type === "ordered_list_open";
  const start = Number(token.attrGet("start") ?? 1);
  if (isOrdered && start !== 1) addNote(notes, `a list that starts at ${start} starts at 1`);
  return parts.map((item) => {
    const checked = isOrdered ? undefined : taskOf(item);
    const { parts } = item;
    if (checked !== undefined) return withText("to_do", { parts, notes, body: { checked } });
    return withText(isOrdered ? "numbered_list_item" : "bulleted_list_item", { parts, notes });
  });
}

/** Removes the checkbox of a task and returns whether it is checked; undefined for other items. */
function taskOf(item: Part): boolean | undefined {
  const text = item.parts[0]?.parts[0]?.inline[0];
  const box = item.parts[0]?.token.type === "paragraph_open" && text?.type === "text"
    ? /^\[([ xX])\](?: +|$)/.exec(text.content)
    : null;
  if (box === null) return undefined;
  text!.content = text!.content.slice(box[0].length);
  return box[1] !== " ";
}

/** A block with the first paragraph as its text and the other parts as its children. */
function withText(
  type: string,
  { parts, notes, body = {} }: { parts: readonly Part[]; notes: Notes; body?: Block["body"] },
): Block {
  const [first, ...others] = parts;
  const hasText = first?.token.type === "paragraph_open";
  const [own, ...more] = hasText ? textBlocks("paragraph", textOf(first, notes)) : [];
  const isText = own?.type === "paragraph";
  const inner = (hasText ? others : parts).flatMap((part) => blocksOf(part, notes));
  const children = [...(own !== undefined && !isText ? [own] : []), ...more, ...inner];
  return { type, body: { rich_text: isText ? own.body["rich_text"] : [], ...body }, children };
}

function code({ content, info }: MarkdownToken, notes: Notes): Block[] {
  const name = info.trim().split(/[\s{,:]/, 1)[0] ?? "";
  const known = name === "" ? "plain text" : notionLanguage(name);
  if (known === undefined) {
    addNote(notes, `code in ${quote(name)} becomes plain text: Notion does not have that language`);
  }
  const language = known ?? "plain text";
  const text = content.replace(/\n$/, "");
  const groups = groupPieces(splitText(text, { annotations: [] }));
  if (groups.length > 1) {
    addNote(notes, `code of ${text.length} characters is in ${groups.length} blocks`);
  }
  return groups.map((rich_text) => ({ type: "code", body: { rich_text, language }, children: [] }));
}

function html(content: string, notes: Notes): Block[] {
  const rest = content.replace(/<!--[\s\S]*?-->/g, "").trim();
  if (rest.length < content.trim().length) addNote(notes, "an HTML comment is omitted");
  if (rest === "") return [];
  addNote(notes, "HTML is kept as text");
  return textBlocks("paragraph", [splitText(rest, { annotations: [] })]);
}

/** A table with its rows as children; the first row is the header. */
function tableBlock({ parts }: Part, notes: Notes): Block {
  const rows = parts.flatMap((section) => section.parts);
  const width = rows[0]?.parts.length ?? 1;
  if (rows[0]?.parts.some(({ token }) => token.attrGet("style"))) {
    addNote(notes, "the alignment of table columns is omitted");
  }
  const children = rows.map(({ parts: cells }) => ({
    type: "table_row",
    body: { cells: cells.map((cell) => cellText(cell, notes)) },
    children: [],
  }));
  return { type: "table", body: { table_width: width, has_column_header: true }, children };
}

/** The text of a cell, without formatting if it has too many pieces. Throws for a text that is too long. */
function cellText({ parts }: Part, notes: Notes): RichText[] {
  const pieces = parts.flatMap(({ inline }) => convertInlineText(inline, notes));
  if (groupPieces(pieces).length === 1) return pieces;
  addNote(notes, "a table's cell with more than 100 changes of formatting has none");
  const plain = splitText(pieces.map(({ text }) => text.content).join(""), { annotations: [] });
  if (groupPieces(plain).length === 1) return plain;
  throw new Error("Cannot publish a table with a cell of more than 100,000 characters: shorten it");
}
