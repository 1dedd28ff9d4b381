import { byteSize } from "../../../base/text/amounts.ts";
import { fileKind } from "../../files/read/file_kind.ts";
import { quote } from "../../../base/text/quote.ts";
import { decodeText } from "./decode_text.ts";
import { type FetchedPage, MAX_PAGE_BYTES } from "./fetch_page.ts";
import { type ReadablePage, readablePage } from "../page/readable.ts";

/** The media types of text besides `text/…`. */
const TEXTUAL =
  /[/+](json|xml|yaml|toml|javascript|ecmascript|x-ndjson|ndjson|x-sh|graphql|sql|rtf|x-yaml)$/;

/**
 * The text of a page: HTML as Markdown, PDF as the text of its pages; JSON, XML and plain text stay
 * unchanged. Throws for any other type, with its size, and for a damaged page.
 */
export async function pageText(page: FetchedPage, signal: AbortSignal): Promise<ReadablePage> {
  const { bytes, isCut, type } = page;
  const notes = isCut ? [`Only the first ${byteSize(MAX_PAGE_BYTES)} of the page were read`] : [];
  const media = type.split(";")[0]!.trim().toLowerCase();
  const kind = fileKind(bytes);
  if (media === "application/pdf" || kind.is === "pdf") return await pdfText(page, signal);
  const isText = media.startsWith("text/") || media.includes("html") || TEXTUAL.test(media);
  // A text in another charset may look binary. UTF-16 and UTF-32, known by their mark, have NUL bytes.
  const isWide = kind.is === "binary" && kind.name.startsWith("UTF-");
  const isSo = kind.is === "text" ? isText || !media : isText && (isWide || !bytes.includes(0));
  const name = kind.is === "text" ? "text" : kind.name;
  if (!isSo) throw notText(page, isText || media === "" ? name : quote(media));
  const text = decodeText(bytes, type);
  if (!/html/.test(media) && !(media === "" && /^\s*<(!doctype html|html)\b/i.test(text))) {
    return { text, notes };
  }
  const made = await readablePage(text, { url: page.url, signal });
  return { ...made, notes: [...notes, ...made.notes] };
}

async function pdfText(page: FetchedPage, signal: AbortSignal): Promise<ReadablePage> {
  const attempt = `Cannot read ${quote(page.url)}`;
  if (page.isCut) throw new Error(`${attempt}: a PDF of more than ${byteSize(MAX_PAGE_BYTES)}`);
  const { pdfPages } = await import("../../files/pdf/pdf_text.ts");
  const parts: string[] = [];
  const options = { attempt, first: 1, last: Infinity, signal };
  for await (const { number, of, content } of pdfPages(page.bytes, options)) {
    const text = content?.text ?? "[this page is damaged and cannot be read]";
    parts.push(`[Page ${number} of ${of}]\n${text.trim() || "[no text: this page may be a scan]"}`);
  }
  return { text: parts.join("\n\n"), notes: [] };
}

function notText({ url, bytes, isCut }: FetchedPage, type: string): Error {
  const size = isCut ? `more than ${byteSize(bytes.length)}` : byteSize(bytes.length);
  return new Error(
    `Cannot show ${quote(url)}: it is ${type} (${size}); shown are HTML, text, JSON, XML and PDF`,
  );
}
