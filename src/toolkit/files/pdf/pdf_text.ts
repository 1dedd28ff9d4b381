import { plural } from "../../../base/text/amounts.ts";
import type { PdfOrder, PdfPageText, PdfReply } from "./pdf_worker.ts";

/** A tool's own limit is 30 s. */
const LIMIT_MS = 25_000;

/** A page of a PDF document. */
export interface PdfPage {
  /** Its number, from 1. */
  number: number;
  /** The number of pages of the document. */
  of: number;
  /** Its text, or `undefined` for a page that is damaged. */
  content: PdfPageText | undefined;
}

/** The pages to read, counted from 1, and the limits. */
interface PdfOptions {
  /** The beginning of error messages, such as `Cannot read "/x.pdf"`. */
  attempt: string;
  first: number;
  /** The last page; pages beyond the end of the document are ignored. */
  last: number;
  signal: AbortSignal;
  /** The time limit for the whole document, in milliseconds; default: 25,000. */
  limitMs?: number;
}

/**
 * The pages of a PDF document, one after another. A Worker without permissions reads them, with 512
 * MiB of memory and within `limitMs`. The Worker ends at most two seconds after the iteration.
 * Throws when the document is damaged, needs a password, has fewer than `first` pages or exceeds
 * the limits; the error's `cause` has the known number of pages. Throws the signal's reason when it
 * is aborted.
 */
export async function* pdfPages(
  bytes: Uint8Array,
  { attempt, first, last, signal, limitMs = LIMIT_MS }: PdfOptions,
): AsyncGenerator<PdfPage, void, void> {
  using thread = startThread(signal, limitMs);
  const opened = await thread.ask({ open: bytes });
  if ("fault" in opened) throw new Error(`${attempt}: ${opened.fault}`);
  const of = "pages" in opened ? opened.pages : 0;
  if (first > of) {
    throw new Error(`${attempt} from page ${first}: the PDF has ${plural(of, "page")}`, {
      cause: { pages: of },
    });
  }
  for (let number = first; number <= Math.min(last, of); number++) {
    const said = await thread.ask({ page: number });
    if ("fault" in said) {
      throw new Error(`${attempt} from page ${number} of ${of} on: ${said.fault}`, {
        cause: { page: number, pages: of },
      });
    }
    yield { number, of, content: "page" in said ? said.page : undefined };
  }
}

/** Starts the Worker that reads a document; disposing of it ends the Worker. */
function startThread(signal: AbortSignal, limitMs: number) {
  const worker = new Worker(new URL("./pdf_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  const end = Promise.withResolvers<PdfReply>();
  const stop = () => end.reject(signal.reason);
  const late = { fault: `it takes more than ${limitMs / 1000} s to read` };
  const timer = setTimeout(() => end.resolve(late), limitMs);
  worker.onerror = (event) => {
    event.preventDefault();
    end.resolve({ fault: `the thread that reads it ended: ${event.message}` });
  };
  // Nothing awaits `end` between two orders: avoid an unhandled rejection.
  end.promise.catch(() => {});
  signal.addEventListener("abort", stop);
  return {
    /** Sends an order and waits for the reply. Throws the signal's reason. */
    async ask(order: PdfOrder): Promise<PdfReply> {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<PdfReply>();
      worker.onmessage = ({ data }) => resolve(data);
      worker.postMessage(order);
      return await Promise.race([promise, end.promise]);
    },
    [Symbol.dispose](): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      worker.terminate();
    },
  };
}
