import { CallError } from "../../../base/errors.ts";
import { retryableStatus } from "../../../base/retryable.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ToolContext } from "../../../runner/registry/tool_context.ts";
import { visibleLines } from "../../../base/text/escape_controls.ts";
import { type FetchedPage, fetchPage, type Redirect } from "./fetch_page.ts";
import { answeredPage, redirectText, shownPage } from "./page_answer.ts";
import type { PageQuestion, ShownPage } from "./page_answer.ts";
import { hasPageModel } from "./page_needs.ts";
import { pageText } from "./page_text.ts";
import type { Json } from "../../../runner/registry/services.ts";

/** The most of an error's page that is shown, in characters. */
const MAX_ERROR_TEXT = 1000;

/** The longest time for fetching and reading a page, in milliseconds. */
const MAX_PAGE_MS = 30_000;

/**
 * The result for a page and a prompt: the answer of the model that the settings name, else the page's
 * text, or a message on a redirect to another host. Throws for an HTTP error, with the status and the
 * start of its text, and for an offset after the end of the text.
 */
export async function webPage(
  ctx: PageContext,
  { url, ...question }: PageQuestion & { url: URL },
): Promise<PageAnswer> {
  const kept = await orNothing(ctx.store.get(keyOf(url), { shared: true }));
  const page = kept as ShownPage | undefined ?? await newPage(ctx, url);
  if ("to" in page) {
    const text = redirectText(page, question.prompt);
    return { text, url: page.from, code: page.status, bytes: 0 };
  }
  const settings = await ctx.settings.values();
  const text = hasPageModel(settings)
    ? await answeredPage(ctx, page, { ...question, settings })
    : shownPage(page, question);
  return { text, url: page.url, code: page.status ?? 200, bytes: page.size };
}

/** The text that a model reads of a page, and the page's metadata. */
interface PageAnswer {
  text: string;
  /** The final URL of the page, or the URL that redirects. */
  url: string;
  /** The HTTP status. */
  code: number;
  /** The size of the page, in bytes. */
  bytes: number;
}

/** The part of a tool's context that fetching a page needs. */
type PageContext = Pick<ToolContext, "fetch" | "settings" | "signal" | "store">;

async function newPage(ctx: PageContext, url: URL): Promise<ShownPage | Redirect> {
  const limit = AbortSignal.timeout(MAX_PAGE_MS);
  const signal = AbortSignal.any([ctx.signal, limit]);
  try {
    return await readPage({ ...ctx, signal }, url);
  } catch (error) {
    if (!limit.aborted || ctx.signal.aborted) throw error;
    const own = error === limit.reason ? `Cannot fetch ${quote(url.href)} in time` : undefined;
    throw new CallError("timeout", own ?? (error as Error).message, { timeoutMs: MAX_PAGE_MS });
  }
}

async function readPage(ctx: PageContext, url: URL): Promise<ShownPage | Redirect> {
  const found = await fetchPage(ctx, url);
  if ("to" in found) return found;
  const { status, type, bytes } = found;
  if (status >= 400) throw await httpError(found, ctx.signal);
  const { text, title = "", notes: told } = await pageText(found, ctx.signal);
  const notes = status === 200 ? told : [`The server responded with status ${status}`, ...told];
  const page = { url: found.url, status, type, size: bytes.length, title, text, notes };
  if (text.length <= MAX_KEPT) {
    const options = { shared: true, ttlMs: KEPT_MS };
    await orNothing(ctx.store.set(keyOf(url), page satisfies Json, options));
  }
  return page;
}

async function httpError(page: FetchedPage, signal: AbortSignal): Promise<Error> {
  const { status, url, retryAfterMs } = page;
  const text = await pageText(page, signal).then((page) => page.text, () => "");
  const whole = visibleLines(text).trim();
  const start = whole.length > MAX_ERROR_TEXT ? `${whole.slice(0, MAX_ERROR_TEXT)}…` : whole;
  const said = start === "" ? "" : `:\n${start}`;
  return new Error(`The server answered ${status} for ${quote(url)}${said}`, {
    cause: { status, url, ...retryableStatus(status, retryAfterMs) },
  });
}

/** How long a page is cached, in milliseconds. */
const KEPT_MS = 15 * 60_000;

/** The longest text that is cached, in characters; it is read in many calls. */
const MAX_KEPT = 4_000_000;

/** Ignores a missing store: the page is then fetched again. */
async function orNothing<T>(kept: Promise<T>): Promise<T | undefined> {
  try {
    return await kept;
  } catch (error) {
    if (error instanceof CallError && error.code === "unavailable") return undefined;
    throw error;
  }
}

function keyOf({ href }: URL): string {
  return `page ${href}`;
}
