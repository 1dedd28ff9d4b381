/** The module that a Worker starts with, which lays one page out and has no permission. */

import { type Layout, layOutPage } from "./layout.ts";
import { TooDeep } from "./page_document.ts";

/** The message to the Worker: the HTML of a page to lay out, and its URL. */
export type LayoutOrder = { html: string; url: string };

/** The reply: the page as Markdown, or the start of a sentence why it cannot be laid out. */
export type LayoutReply = Layout | { unfit: string };

/** An earlier message for a long page: the whole page as Markdown. */
export type WholeLayout = { whole: Layout };

/** The part of a Worker's global scope that is used here. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<LayoutOrder>) => void) | null;
  postMessage(message: LayoutReply | WholeLayout): void;
}

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = ({ data }) => scope.postMessage(reply(data));

function reply({ html, url }: LayoutOrder): LayoutReply {
  try {
    return layOutPage(html, url, (whole) => scope.postMessage({ whole }));
  } catch (error) {
    if (error instanceof TooDeep) return { unfit: error.message };
    return { unfit: `It cannot be rendered (${(error as Error).message})` };
  }
}
