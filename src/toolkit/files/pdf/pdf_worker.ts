/** The module of a Worker that reads one PDF document and has no permissions. */

import { PdfFault, type Pdfium, startPdfium } from "./pdfium.ts";

/** An order to the Worker: to open a document, once, and then to return one of its pages. */
export type PdfOrder = { open: Uint8Array } | { page: number };

/** The Worker's reply: the number of pages, the text of a page, or the reason why it failed. */
export type PdfReply =
  | { pages: number }
  | { page: PdfPageText | undefined }
  | { fault: string };

/** The part of a Worker's global scope that is used here. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<PdfOrder>) => void) | null;
  postMessage(message: PdfReply): void;
}

const scope = globalThis as unknown as WorkerScope;
let pdf: PdfDocument | undefined;

scope.onmessage = ({ data }) => scope.postMessage(reply(data));

function reply(order: PdfOrder): PdfReply {
  try {
    if ("page" in order) return { page: pdf?.page(order.page) };
    pdf = new PdfDocument(order.open);
    return { pages: pdf.pages };
  } catch (error) {
    if (error instanceof PdfFault) return { fault: error.message };
    return { fault: `it is damaged in a way that PDFium does not survive (${error})` };
  }
}

/** The largest part of the text of one page that is read, in characters. */
const MAX_CHARACTERS = 1_000_000;

const NEEDS_PASSWORD = 4;
const UNKNOWN_ENCRYPTION = 5;

/** The text of a page. */
export interface PdfPageText {
  /** The text, with LF line ends; an unknown character is U+FFFD. */
  text: string;
  /** The number of characters beyond the first million, which are left out. */
  more: number;
}

/** A PDF document in memory. It must not be used any more after one of its methods has thrown. */
export class PdfDocument {
  /** The number of pages by its own account. */
  readonly pages: number;
  #pdfium: Pdfium;
  #document: number;

  /** Opens a document that needs no password. Throws {@link PdfFault} with the reason. */
  constructor(bytes: Uint8Array) {
    const pdfium = startPdfium();
    const address = pdfium.malloc(bytes.length);
    new Uint8Array(pdfium.memory.buffer).set(bytes, address);
    this.#pdfium = pdfium;
    this.#document = pdfium.FPDF_LoadMemDocument64(address, bytes.length, 0);
    if (this.#document === 0) throw new PdfFault(reasonOf(pdfium.FPDF_GetLastError()));
    this.pages = pdfium.FPDF_GetPageCount(this.#document);
  }

  /**
   * The text of a page, counted from 1, or `undefined` for a damaged or missing page. Throws when
   * PDFium fails.
   */
  page(number: number): PdfPageText | undefined {
    const pdfium = this.#pdfium;
    const page = pdfium.FPDF_LoadPage(this.#document, number - 1);
    if (page === 0) return undefined;
    const text = pdfium.FPDFText_LoadPage(page);
    const found = text === 0 ? undefined : this.#text(text);
    if (text !== 0) pdfium.FPDFText_ClosePage(text);
    pdfium.FPDF_ClosePage(page);
    return found;
  }

  #text(text: number): PdfPageText {
    const pdfium = this.#pdfium;
    const count = Math.max(0, pdfium.FPDFText_CountChars(text));
    const taken = Math.min(count, MAX_CHARACTERS);
    // A character may be a surrogate pair, and PDFium appends a zero of two bytes.
    const address = pdfium.malloc(taken * 4 + 2);
    const units = pdfium.FPDFText_GetText(text, 0, taken, address);
    const bytes = new Uint8Array(pdfium.memory.buffer, address, Math.max(0, units - 1) * 2);
    const raw = new TextDecoder("utf-16le", { ignoreBOM: true }).decode(bytes);
    pdfium.free(address);
    return { text: plain(raw), more: count - taken };
  }
}

function reasonOf(code: number): string {
  if (code === NEEDS_PASSWORD) {
    return "it is encrypted and opens with a password only; " +
      "make a copy without one first, for example with qpdf --decrypt";
  }
  if (code === UNKNOWN_ENCRYPTION) {
    return "it is encrypted in a way that needs the program it was made for";
  }
  return "it is damaged, or no PDF document but for its first bytes";
}

/** PDFium ends lines with CRLF, writes U+FFFE for a hyphen at a line's end, and keeps odd codes. */
function plain(raw: string): string {
  // deno-lint-ignore no-control-regex
  const unknown = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
  return raw.replaceAll("\r\n", "\n").replaceAll("\ufffe", "-\n").replace(unknown, "\ufffd");
}
