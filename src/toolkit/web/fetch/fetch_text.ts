import { byteSize } from "../../../base/text/amounts.ts";
import { retryableStatus } from "../../../base/retryable.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ToolContext } from "../../../runner/registry/tool_context.ts";
import { decodeText } from "./decode_text.ts";
import { type FetchedPage, fetchPage, MAX_PAGE_BYTES } from "./fetch_page.ts";

/**
 * Fetches a text of at most 10 MiB with the media types of `accept`. `isCut` is true if it was longer.
 * Throws for an HTTP error, and for a redirect to another host, with its target.
 */
export async function fetchText(
  ctx: Pick<ToolContext, "fetch" | "signal">,
  url: URL,
  { accept }: { accept: string },
): Promise<Pick<FetchedPage, "url" | "isCut"> & { text: string }> {
  const page = await fetchPage(ctx, url, { accept });
  if ("to" in page) {
    const { from, status, to } = page;
    throw new Error(
      `${quote(from)} redirects (${status}) to another host: call again with url ${quote(to)}`,
      { cause: { status, url: from, redirect: to } },
    );
  }
  const { status, bytes, type, isCut, retryAfterMs } = page;
  if (status < 200 || status > 299) {
    throw new Error(`The server answered ${status} for ${quote(page.url)}`, {
      cause: { status, url: page.url, ...retryableStatus(status, retryAfterMs) },
    });
  }
  return { url: page.url, text: decodeText(bytes, type), isCut };
}

/** The line of a result for a truncated text. */
export const CUT_NOTE = `[There was more than ${byteSize(MAX_PAGE_BYTES)}: the rest was not read]`;
