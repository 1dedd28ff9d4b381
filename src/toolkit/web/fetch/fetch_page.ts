import { CallError } from "../../../base/errors.ts";
import { byteSize } from "../../../base/text/amounts.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ToolContext } from "../../../runner/registry/tool_context.ts";
import { neededHost } from "../../../base/host.ts";
import { retryableStatus, retryAfter } from "../../../base/retryable.ts";
import { decodeText } from "./decode_text.ts";
import { pageUrl } from "./page_url.ts";
import { readBody } from "./read_body.ts";
import { interruptionOf } from "../../../base/async/interruption.ts";

/** The largest page, in bytes after decompression. */
export const MAX_PAGE_BYTES = 10 * 1024 * 1024;

/** The most redirects that are followed. */
const MAX_REDIRECTS = 20;

/** A page from a server. */
export interface FetchedPage {
  /** The final URL. */
  url: string;
  /** The HTTP status. */
  status: number;
  /** The Content-Type. */
  type: string;
  /** Its first {@link MAX_PAGE_BYTES} bytes. */
  bytes: Uint8Array<ArrayBuffer>;
  /** True if there was more. */
  isCut: boolean;
  /** The wait that the server asks for, in milliseconds. */
  retryAfterMs?: number;
}

/** A redirect to another host, which only the caller may follow. */
export interface Redirect {
  /** The URL that redirects. */
  from: string;
  /** The HTTP status. */
  status: number;
  /** The target of the redirect. */
  to: string;
}

/**
 * Fetches a page. Follows up to twenty redirects to the same host and port, and returns a redirect to
 * another host. Throws a readable error if there is no page, also for a redirect to another scheme.
 * `accept` overrides the header for pages to read.
 */
export async function fetchPage(
  ctx: Pick<ToolContext, "fetch" | "signal">,
  start: URL,
  { accept = ACCEPT }: { accept?: string } = {},
): Promise<FetchedPage | Redirect> {
  const { signal } = ctx;
  let url = start;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await ctx.fetch(url.href, { headers: { accept }, signal });
    const { status } = response;
    const location = response.headers.get("location");
    if (![301, 302, 303, 307, 308].includes(status) || !location?.trim()) {
      const retryAfterMs = retryAfter(response.headers.get("retry-after"));
      return {
        ...{ url: url.href, status, ...await bodyOf(response, { url, signal }) },
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      };
    }
    await response.body?.cancel();
    const next = redirected(location, { from: url, status });
    // Do not follow a redirect from https to http.
    const isOpener = url.protocol === "https:" && next.protocol === "http:";
    if (isOpener || neededHost(next) !== neededHost(start)) {
      return { from: url.href, status, to: next.href };
    }
    url = next;
  }
  throw new Error(
    `Cannot fetch ${quote(start.href)}: it redirects more than ${MAX_REDIRECTS} times, ` +
      `the last time to ${quote(url.href)}`,
  );
}

const ACCEPT =
  "text/html, text/plain;q=0.9, application/json;q=0.9, application/pdf;q=0.8, */*;q=0.5";

function redirected(location: string, { from, status }: { from: URL; status: number }): URL {
  try {
    return pageUrl(location, from);
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`Cannot follow the redirect (${status}) of ${quote(from.href)}: ${why}`);
  }
}

async function bodyOf(
  response: Response,
  { url, signal }: { url: URL; signal: AbortSignal },
): Promise<Pick<FetchedPage, "type" | "bytes" | "isCut">> {
  const type = (response.headers.get("content-type") ?? "").slice(0, 200);
  let length = 0;
  try {
    const onProgress = (sofar: number) => void (length = sofar);
    return { type, ...await readBody(response, MAX_PAGE_BYTES, onProgress) };
  } catch (error) {
    // The status of an error is useful also without its body.
    if (!signal.aborted && response.status >= 400) {
      return { type, bytes: new Uint8Array(), isCut: false };
    }
    const why = !signal.aborted
      ? (error as Error).message
      : interruptionOf(signal) === "timeout"
      ? "the time limit passed"
      : "the call was cancelled";
    throw new Error(`Cannot fetch ${quote(url.href)}: ${why}; ${byteSize(length)} was received`, {
      ...(error instanceof CallError && { cause: error.details }),
    });
  }
}

/**
 * Fetches a text of at most 10 MiB with the media types of `accept`. `isCut` is true if it was longer.
 * Throws for an HTTP error, and for a redirect to another host, with its target.
 */
export async function fetchText(
  ctx: Pick<ToolContext, "fetch" | "signal">,
  url: URL,
  { accept }: { accept: string },
): Promise<Pick<FetchedPage, "url" | "isCut"> & { text: string }> {
  const { url: from, isCut, bytes, type } = await fetchDocument(ctx, url, { accept });
  return { url: from, text: decodeText(bytes, type), isCut };
}

/** Fetches a document like `fetchText`, and returns its bytes. */
export async function fetchDocument(
  ctx: Pick<ToolContext, "fetch" | "signal">,
  url: URL,
  { accept }: { accept: string },
): Promise<FetchedPage> {
  const page = await fetchPage(ctx, url, { accept });
  if ("to" in page) {
    const { from, status, to } = page;
    throw new Error(
      `${quote(from)} redirects (${status}) to another host: call again with url ${quote(to)}`,
      { cause: { status, url: from, redirect: to } },
    );
  }
  const { status, retryAfterMs } = page;
  if (status < 200 || status > 299) {
    throw new Error(`The server answered ${status} for ${quote(page.url)}`, {
      cause: { status, url: page.url, ...retryableStatus(status, retryAfterMs) },
    });
  }
  return page;
}

/** The line of a result for a truncated text. */
export const CUT_NOTE = `[There was more than ${byteSize(MAX_PAGE_BYTES)}: the rest was not read]`;
