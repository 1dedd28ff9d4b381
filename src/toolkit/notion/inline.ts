import { lookupTable } from "../../base/lookup_table.ts";
import type { MarkdownToken } from "./markdown.ts";
import {
  addNote,
  type Annotation,
  type Block,
  MAX_PIECE,
  type Notes,
  type RichText,
  splitText,
} from "./rich_text.ts";
import { quote } from "../../base/text/quote.ts";

/** Converted inline content: a text, or an image, which is a separate block. */
export type InlineContent = RichText[] | Block;

/** Text with uniform formatting. */
type Run = { content: string; annotations: readonly Annotation[]; link: string | undefined };

/** The annotations by the names of Markdown's marks. */
const MARKS = lookupTable<Annotation>({
  strong: "bold",
  em: "italic",
  s: "strikethrough",
});

/** Converts inline tokens to texts and the images between them, in order. */
export function convertInline(tokens: readonly MarkdownToken[], notes: Notes): InlineContent[] {
  const parts: (Run[] | Block)[] = [];
  const marks: Annotation[] = [];
  const links: (string | undefined)[] = [];
  const write = (content: string, more: readonly Annotation[] = []) => {
    if (content === "") return;
    let runs = parts.at(-1);
    if (!Array.isArray(runs)) parts.push(runs = []);
    const run = { content, annotations: [...marks, ...more], link: links.at(-1) };
    const last = runs.at(-1);
    if (last !== undefined && last.link === run.link && sameLook(last, run)) {
      last.content += content;
    } else runs.push(run);
  };
  for (const token of tokens) {
    const [, name = "", side] = /^(.*)_(open|close)$/.exec(token.type) ?? [];
    const mark = MARKS[name];
    if (mark !== undefined && side === "open") marks.push(mark);
    else if (mark !== undefined) marks.splice(marks.lastIndexOf(mark), 1);
    else if (token.type === "link_open") links.push(linkOf(token, notes));
    else if (token.type === "link_close") links.pop();
    else if (token.type === "code_inline") write(token.content, ["code"]);
    else if (token.type === "softbreak") write(" ");
    else if (token.type === "hardbreak") write("\n");
    else if (token.type === "html_inline") writeHtml(token.content, { write, notes });
    else if (token.type === "image") {
      const image = imageOf(token, notes);
      if (image === undefined) write(token.content);
      else parts.push(image);
      if (image !== undefined && links.at(-1) !== undefined) {
        addNote(notes, `the link of an image is omitted: ${quote(links.at(-1)!)}`);
      }
    } else write(token.content);
  }
  return parts.map((part) =>
    Array.isArray(part) ? part.flatMap(({ content, ...look }) => splitText(content, look)) : part
  );
}

function sameLook({ annotations }: Run, other: Run): boolean {
  const [one, two] = [new Set(annotations), new Set(other.annotations)];
  return one.size === two.size && one.isSubsetOf(two);
}

/** Converts inline tokens to text where no image is possible: an image becomes a link to it. */
export function convertInlineText(tokens: readonly MarkdownToken[], notes: Notes): RichText[] {
  return convertInline(tokens, notes).flatMap((part) => {
    if (Array.isArray(part)) return part;
    const { external: { url }, caption } = part.body as {
      external: { url: string };
      caption: RichText[];
    };
    addNote(notes, "an image becomes a link, because Notion allows none in that place");
    const words = caption.map(({ text }) => text.content).join("");
    return splitText(words || url, { annotations: [], link: url });
  });
}

function linkOf(token: MarkdownToken, notes: Notes): string | undefined {
  const target = addressOf(token, { name: "href", form: /^(?:https?:\/\/[^/]|mailto:.)/i, notes });
  if (target.isSound) return target.url;
  const what = `the text of the link to ${quote(target.url)} is there without it`;
  addNote(notes, `${what}: Notion takes whole web and mail addresses`);
  return undefined;
}

function imageOf(token: MarkdownToken, notes: Notes): Block | undefined {
  const { url, isSound } = addressOf(token, { name: "src", form: /^https?:\/\/[^/]/i, notes });
  if (!isSound) {
    const what = `the image ${quote(url)} becomes its alternative text`;
    addNote(notes, `${what}: Notion takes images by web addresses`);
    return undefined;
  }
  const caption = splitText(token.content, { annotations: [] });
  return { type: "image", body: { type: "external", external: { url }, caption }, children: [] };
}

/** The address of a link or an image, and whether Notion takes it. */
function addressOf(
  token: MarkdownToken,
  { name, form, notes }: { name: string; form: RegExp; notes: Notes },
): { url: string; isSound: boolean } {
  if (token.attrGet("title")) addNote(notes, "the title of a link or image is omitted");
  const url = String(token.attrGet(name) ?? "");
  return { url, isSound: form.test(url) && url.length <= MAX_PIECE && URL.canParse(url) };
}

function writeHtml(
  html: string,
  { write, notes }: { write: (content: string) => void; notes: Notes },
): void {
  if (/^<br\s*\/?>$/i.test(html)) return write("\n");
  if (html.startsWith("<!--")) return addNote(notes, "an HTML comment is omitted");
  addNote(notes, "HTML is kept as text");
  write(html);
}
