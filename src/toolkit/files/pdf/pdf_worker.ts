/** The module that a Worker starts with, which reads one PDF document and has no permission. */

import { PdfDocument, type PdfPageText } from "./pdf_document.ts";
import { PdfFault } from "./pdfium.ts";

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
