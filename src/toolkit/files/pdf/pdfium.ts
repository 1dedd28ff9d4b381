import code from "@hyzyla/pdfium/pdfium.wasm" with { type: "bytes" };
import { NamedError } from "../../../base/errors.ts";

const MEMORY_LIMIT = 512 * 1024 * 1024;
const PAGE_BYTES = 64 * 1024;

/** The result of a missing system function: ENOSYS in this C library. */
const REFUSED = -52;

/** The reason why PDFium cannot read a document or a part of it, as the end of a message. */
export class PdfFault extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "PdfFault";
}

/** The functions of PDFium that are used. An address is a number; 0 is the null pointer. */
export interface Pdfium {
  /** All memory that PDFium can reach. */
  readonly memory: WebAssembly.Memory;
  /** Allocates memory. */
  malloc(bytes: number): number;
  /** Frees memory. */
  free(address: number): void;
  /** Opens the document at an address in memory, which must not be freed. */
  FPDF_LoadMemDocument64(address: number, bytes: number, password: number): number;
  /** The reason why the document was not opened: 4 means that it needs a password. */
  FPDF_GetLastError(): number;
  /** The number of pages. */
  FPDF_GetPageCount(document: number): number;
  /** Opens a page, counted from 0. */
  FPDF_LoadPage(document: number, index: number): number;
  /** Closes a page. */
  FPDF_ClosePage(page: number): void;
  /** Finds the text of a page. */
  FPDFText_LoadPage(page: number): number;
  /** Frees the text of a page. */
  FPDFText_ClosePage(text: number): void;
  /** The number of characters of a page's text. */
  FPDFText_CountChars(text: number): number;
  /** Writes characters in UTF-16, a zero after them; returns how many units that are. */
  FPDFText_GetText(text: number, start: number, count: number, address: number): number;
}

/** The other exports of the module, for its start and its C library. */
interface Exports extends Pdfium {
  __indirect_function_table: WebAssembly.Table;
  __wasm_call_ctors(): void;
  FPDF_InitLibrary(): void;
  emscripten_stack_get_current(): number;
  _emscripten_stack_restore(stack: number): void;
  setThrew(threw: number, value: number): void;
}

/**
 * Starts PDFium, which is compiled to WebAssembly. It can use only the clock and up to 512 MiB of
 * memory, and no files. After a function has thrown a {@link PdfFault} or an error of WebAssembly,
 * PDFium must not be used any more.
 */
export function startPdfium(): Pdfium {
  const module = new WebAssembly.Module(code);
  const given: Record<string, CallableFunction> = {
    _abort_js: () => {
      throw new PdfFault("it is damaged in a way that PDFium does not survive");
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
  const instance = new WebAssembly.Instance(module, imports);
  const pdfium = instance.exports as unknown as Exports;
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
