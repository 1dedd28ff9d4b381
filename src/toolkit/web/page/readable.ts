import { answerOfThread } from "../../../base/async/answer_of_thread.ts";
import { thousands } from "../../../base/text/amounts.ts";
import { plainText, startTags, titleText } from "./html_scan.ts";
import type { LayoutOrder, LayoutReply, WholeLayout } from "./layout_worker.ts";
import type { PageText } from "../fetch/page.ts";

/** How long HTML may be to be laid out, in characters: that takes a second for about two million. */
const MAX_LAID_OUT = 3_000_000;

/** How many elements it may have: what lays text out takes more than in proportion to them. */
const MAX_ELEMENTS = 50_000;

/** How long the layout may take, in milliseconds; a page has 30 s in all. */
const MAX_LAYOUT_MS = 10_000;

/** What HTML is laid out with. */
export interface ReadableOptions {
  /** Where the page was, for its links. */
  url: string;
  /** Aborted when the call has to end. */
  signal: AbortSignal;
}

/**
 * A page as Markdown: the part that is there to be read, else its whole body. It is laid out in a
 * thread of its own that has no permission and ten seconds. If the part to read is not found by
 * then, a long page comes whole. A page that is too long, has too many elements, is nested too deep
 * or takes longer comes as its bare text, and says so. Throws the signal's reason when it is
 * aborted.
 */
export async function readable(html: string, options: ReadableOptions): Promise<PageText> {
  const reply = unfit(html) ?? await laidOut(html, options);
  if ("text" in reply && reply.text !== "") return { notes: [], ...reply };
  const text = plainText(html);
  const title = titleText(html);
  const why = "text" in reply ? "Its layout shows nothing" : reply.unfit;
  const notes = text === "" ? [] : [`${why}, so this is its bare text without layout`];
  return { text, notes, ...(title !== "" && { title }) };
}

function unfit(html: string): LayoutReply | undefined {
  if (html.length > MAX_LAID_OUT) {
    return { unfit: `It is ${thousands(html.length)} characters of HTML` };
  }
  const elements = startTags(html);
  return elements > MAX_ELEMENTS ? { unfit: `It has ${thousands(elements)} elements` } : undefined;
}

/** What the thread answers, which ends with that, in time or with the signal. */
async function laidOut(html: string, { url, signal }: ReadableOptions): Promise<LayoutReply> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./layout_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  let late: LayoutReply = { unfit: `It takes more than ${MAX_LAYOUT_MS / 1000} s to lay out` };
  return await answerOfThread<LayoutReply | WholeLayout, LayoutReply>(worker, {
    ...{ order: { html, url } satisfies LayoutOrder, signal, limitMs: MAX_LAYOUT_MS },
    take: (message) => {
      if (!("whole" in message)) return message;
      late = message.whole;
      return undefined;
    },
    late: () => late,
    failed: (message) => ({ unfit: `It cannot be laid out (${message})` }),
  });
}
