import { requestFromWorker } from "../../../base/async/worker_request.ts";
import { thousands } from "../../../base/text/amounts.ts";
import { bareText, countStartTags, titleText } from "./html_scan.ts";
import type { LayoutOrder, LayoutReply, WholeLayout } from "./layout_worker.ts";
import type { Layout } from "./layout.ts";

/** The longest HTML that is laid out, in characters: two million take about a second. */
const MAX_LAID_OUT = 3_000_000;

/** The most elements: the time for layout grows faster than their number. */
const MAX_ELEMENTS = 50_000;

/** The longest time for layout, in milliseconds; a page has 30 s in all. */
const MAX_LAYOUT_MS = 10_000;

/** The URL of a page, for its links, and the signal of the call. */
type LayoutOptions = { url: string; signal: AbortSignal };

/** The text of a page, for a model, and its title, if it has one. */
export interface ReadablePage extends Layout {
  /** Notes for the model, such as on truncation. */
  notes: string[];
}

/**
 * Converts the page at `url` to Markdown: its main text, else its whole body. A Worker without
 * permissions does this in at most ten seconds. If it has not found the main text of a long page by
 * then, the whole page is returned. A page that is too long, has too many elements, is nested too
 * deep or takes longer is returned as plain text with a note. Throws the signal's reason when the
 * signal is aborted.
 */
export async function readablePage(html: string, options: LayoutOptions): Promise<ReadablePage> {
  const reply = unfit(html) ?? await laidOut(html, options);
  if ("text" in reply && reply.text !== "") return { notes: [], ...reply };
  const text = bareText(html);
  const title = titleText(html);
  const why = "text" in reply ? "Its layout is empty" : reply.unfit;
  const notes = text === "" ? [] : [`${why}, so this is its plain text without layout`];
  return { text, notes, ...(title !== "" && { title }) };
}

function unfit(html: string): LayoutReply | undefined {
  if (html.length > MAX_LAID_OUT) {
    return { unfit: `It is ${thousands(html.length)} characters of HTML` };
  }
  const elements = countStartTags(html);
  return elements > MAX_ELEMENTS ? { unfit: `It has ${thousands(elements)} elements` } : undefined;
}

/** The reply of the Worker, which ends with its reply, its time limit or the signal. */
async function laidOut(html: string, { url, signal }: LayoutOptions): Promise<LayoutReply> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./layout_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  let late: LayoutReply = { unfit: `It takes more than ${MAX_LAYOUT_MS / 1000} s to render` };
  return await requestFromWorker<LayoutReply | WholeLayout, LayoutReply>(worker, {
    ...{ message: { html, url } satisfies LayoutOrder, signal, timeoutMs: MAX_LAYOUT_MS },
    replyOf: (message) => {
      if (!("whole" in message)) return message;
      late = message.whole;
      return undefined;
    },
    timedOut: () => late,
    failed: (message) => ({ unfit: `It cannot be rendered (${message})` }),
  });
}
