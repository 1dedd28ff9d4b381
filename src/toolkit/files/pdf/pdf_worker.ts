/** The module of a Worker that reads one PDF document and has no permissions. */

import { loadBytes } from "../../../base/load_bytes.ts";

const code = await loadBytes("npm:@hyzyla/pdfium@2.1.13/pdfium.wasm");

/** An order to the Worker: to open a document, once, and then to return one of its pages. */
export type PdfOrder = { open: Uint8Array } | { page: number };

/** The Worker's reply: the number of pages, the text of a page, or the reason why it failed. */
export type PdfReply =
  | { pages: number }
  | { page: PdfPageText | undefined }
  | { fault: string };

/** The text of a page. */
export interface PdfPageText {
  /** The text, with LF line ends; an unknown character is U+FFFD. */
  text: string;
  /** The number of characters beyond the first million, which are left out. */
  more: number;
}

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
    return { fault: `it is damaged and crashes PDFium (${error})` };
  }
}

/** The reason why PDFium cannot read a document or a part of it, as the end of a message. */
class PdfFault extends Error {}

/** The largest part of the text of one page that is read, in characters. */
const MAX_CHARACTERS = 1_000_000;

/** PDFium's codes of failures. */
const [NEEDS_PASSWORD, UNKNOWN_ENCRYPTION] = [4, 5];

/** A PDF document in memory. It must not be used any more after one of its methods has thrown. */
class PdfDocument {
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

  /** The text of a page, counted from 1, or `undefined` for a damaged or missing page. */
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
    return "it is encrypted with a password; create a decrypted copy first, for example with qpdf --decrypt";
  }
  if (code === UNKNOWN_ENCRYPTION) {
    return "its encryption is supported only by the program that created it";
  }
  return "it is damaged, or only its first bytes are those of a PDF";
}

/** PDFium ends lines with CRLF, writes U+FFFE for a hyphen at a line's end, and keeps odd codes. */
function plain(raw: string): string {
  // deno-lint-ignore no-control-regex
  const unknown = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
  return raw.replaceAll("\r\n", "\n").replaceAll("\ufffe", "-\n").replace(unknown, "\ufffd");
}

const MEMORY_LIMIT = 512 * 1024 * 1024;
const PAGE_BYTES = 64 * 1024;

/** The result of a missing system function: ENOSYS in this C library. */
const REFUSED = -52;

/**
 * The functions of PDFium that are used, and those of its C library. A number stands for an
 * address; 0 is the null pointer.
 */
interface Pdfium {
  /** All memory that PDFium can reach. */
  readonly memory: WebAssembly.Memory;
  malloc(bytes: number): number;
  free(address: number): void;
  /** Opens the document at an address in memory, which must not be freed. */
  FPDF_LoadMemDocument64(address: number, bytes: number, password: number): number;
  FPDF_GetLastError(): number;
  FPDF_GetPageCount(document: number): number;
  /** Opens a page, counted from 0. */
  FPDF_LoadPage(document: number, index: number): number;
  FPDF_ClosePage(page: number): void;
  FPDFText_LoadPage(page: number): number;
  FPDFText_ClosePage(text: number): void;
  FPDFText_CountChars(text: number): number;
  /** Writes characters in UTF-16, a zero after them; returns how many units that are. */
  FPDFText_GetText(text: number, start: number, count: number, address: number): number;
  FPDF_InitLibrary(): void;
  readonly __indirect_function_table: WebAssembly.Table;
  __wasm_call_ctors(): void;
  emscripten_stack_get_current(): number;
  _emscripten_stack_restore(stack: number): void;
  setThrew(threw: number, value: number): void;
}

/**
 * Starts PDFium, which is compiled to WebAssembly. It can use only the clock and up to 512 MiB of
 * memory, and no files. After a function has thrown a {@link PdfFault} or an error of WebAssembly,
 * PDFium must not be used any more.
 */
function startPdfium(): Pdfium {
  const module = new WebAssembly.Module(code);
  const given: Record<string, CallableFunction> = {
    _abort_js: () => {
      throw new PdfFault("it is damaged and crashes PDFium");
    },
    // The C library's longjmp: `invoke` catches it.
    _emscripten_throw_longjmp: () => {
      throw Infinity;
    },
    emscripten_date_now: () => Date.now(),
    emscripten_resize_heap: (bytes: number) => grow(pdfium.memory, bytes >>> 0),
  };
  const invoke = (index: number, ...args: number[]): unknown => {
    const stack = pdfium.emscripten_stack_get_current();
    try {
      return pdfium.__indirect_function_table.get(index)!(...args);
    } catch (error) {
      if (error !== Infinity) throw error;
      pdfium._emscripten_stack_restore(stack);
      pdfium.setThrew(1, 0);
      return 0;
    }
  };
  const imports: WebAssembly.Imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    const own = name.startsWith("invoke_") ? invoke : given[name];
    (imports[from] ??= {})[name] = own ?? (() => REFUSED);
  }
  const pdfium = new WebAssembly.Instance(module, imports).exports as unknown as Pdfium;
  pdfium.__wasm_call_ctors();
  pdfium.FPDF_InitLibrary();
  return pdfium;
}

/** Grows the memory to this size; 1 tells the C library that this worked. */
function grow(memory: WebAssembly.Memory, bytes: number): number {
  const limit = `${MEMORY_LIMIT / 2 ** 20} MiB`;
  if (bytes > MEMORY_LIMIT) throw new PdfFault(`it takes more than ${limit} of memory to read`);
  memory.grow(Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES));
  return 1;
}
