import { byteSize, plural, thousands } from "../../../base/text/amounts.ts";
import { cannot } from "../../../base/fs/system_error.ts";
import type { ByteSource } from "../read/byte_source.ts";
import { MAX_PAGES, pageRange } from "./page_range.ts";
import { type PdfPage, pdfPages } from "./pdf_text.ts";

const FILE_LIMIT = 64 * 1024 * 1024;
const TEXT_BYTES = 49 * 1024;
const WHOLE_PAGES = 10;
const DAMAGED = "[this page is damaged and cannot be read]";
const NO_TEXT = "[no text: this page may be a scan]";

/**
 * Closes the file, and returns the text of a PDF document page by page, each under a line such as
 * `[Page 3 of 12]`, in at most 50 KiB. A note says how to continue when there is more. `pages` is one
 * page or a range such as `1-5`. Throws when the document cannot be read, when it lacks the first
 * page, and when it has more than ten pages and `pages` is `undefined`.
 */
export async function pdfWindow(source: ByteSource, pages: string | undefined): Promise<string> {
  const attempt = cannot(source.target);
  const { first, last } = pages === undefined ? { first: 1, last: WHOLE_PAGES } : pageRange(pages);
  const advice = `a PDF of more than ${byteSize(FILE_LIMIT)} is not read; split it first`;
  const bytes = await source.readAll(FILE_LIMIT, advice);
  // A thread that takes too long for a page is ended, and would leave the file open.
  source[Symbol.dispose]();
  const parts: string[] = [];
  let left = TEXT_BYTES;
  let shown: PdfPage | undefined;
  let isScan = true;
  let isFull = false;
  const options = { attempt, first, last, signal: source.signal };
  for await (const page of pdfPages(bytes, options)) {
    if (pages === undefined && page.of > WHOLE_PAGES) {
      const why = `the PDF has ${plural(page.of, "page")}; give pages, such as ` +
        `1-${Math.min(page.of, MAX_PAGES)}, of which a call shows ${MAX_PAGES} at most`;
      throw new Error(`${attempt} as a whole: ${why}`, { cause: { pages: page.of } });
    }
    const part = fitting(page, { left, isFirst: shown === undefined });
    isFull = part === undefined;
    if (part === undefined) break;
    parts.push(part);
    left -= sizeOf(part);
    shown = page;
    isScan &&= page.content?.text.trim() === "";
  }
  return [...parts, ...notes({ shown: shown!, isScan, isFull })].join("\n");
}

/** The text of a page, or `undefined` when more than `left` bytes. The first page is cut instead. */
function fitting(
  page: PdfPage,
  { left, isFirst }: { left: number; isFirst: boolean },
): string | undefined {
  const head = `[Page ${thousands(page.number)} of ${thousands(page.of)}]\n`;
  const { text: whole, more } = page.content ?? { text: DAMAGED, more: 0 };
  const text = whole.trimEnd() || NO_TEXT;
  const part = `${head}${text}\n`;
  if (sizeOf(part) <= left && more === 0) return part;
  if (!isFirst) return undefined;
  const kept = new TextEncoder().encodeInto(text, new Uint8Array(left - head.length)).read;
  const cut = plural(text.length - kept + more, "character");
  return `${head}${text.slice(0, kept)} [... ${cut} cut]\n` +
    "[a call returns at most 50 KiB of a page; use pdftotext with Bash for all of it]\n";
}

/** The notes below the pages. */
function notes(
  { shown, isScan, isFull }: { shown: PdfPage; isScan: boolean; isFull: boolean },
): string[] {
  const found: string[] = [];
  if (isScan) {
    found.push(
      "[None of these pages contains text: the PDF may be a scan, which Read cannot show]",
    );
  }
  if (shown.number < shown.of) {
    const next = shown.number + 1;
    const last = Math.min(shown.of, shown.number + MAX_PAGES);
    const why = isFull ? "; 50 KiB is the maximum per call" : "";
    found.push(
      `[Shown up to page ${thousands(shown.number)} of ${thousands(shown.of)}${why}. To ` +
        `continue: pages ${next === last ? next : `${next}-${last}`}]`,
    );
  }
  return found;
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length + 1;
}
