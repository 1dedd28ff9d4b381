import { Semaphore } from "../../base/async/semaphore.ts";
import { plural } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { pageUrl } from "../web/fetch/page_url.ts";
import type { LinkReport } from "./file_links.ts";

/** The longest time for one URL, in milliseconds, and the most requests at the same time. */
const [MAX_EACH_MS, MAX_AT_ONCE] = [10_000, 5];

type WebContext = Pick<ToolContext, "fetch" | "signal">;

/** Requests each URL, by HEAD or else by GET, and reports the responses. */
export async function checkWebLinks(
  ctx: WebContext,
  urls: readonly string[],
): Promise<LinkReport> {
  const turns = new Semaphore(MAX_AT_ONCE);
  const ask = async (url: string) => ({ url, ...await asked(ctx, url) });
  const distinct = [...new Set(urls)];
  const found = await Promise.all(distinct.map((url) => turns.run(() => ask(url), ctx.signal)));
  const broken = found.filter((each) => each.broken).length;
  const count = plural(distinct.length, "address").replace(/sss$/, "sses");
  const text = [
    `Checked ${count}: ${broken} broken`,
    ...found.map(({ url, says }) => `${quote(url)}: ${says}`),
  ].join("\n");
  return { text, broken };
}

async function asked(ctx: WebContext, given: string): Promise<{ broken: boolean; says: string }> {
  const limit = AbortSignal.timeout(MAX_EACH_MS);
  const signal = AbortSignal.any([ctx.signal, limit]);
  try {
    const url = pageUrl(given).href;
    let response = await ctx.fetch(url, { method: "HEAD", signal });
    await response.body?.cancel();
    if (response.status >= 400 && response.status !== 404 && response.status !== 410) {
      // Many servers refuse HEAD, with various statuses.
      response = await ctx.fetch(url, { method: "GET", signal });
      await response.body?.cancel();
    }
    const { status } = response;
    const to = response.headers.get("location");
    if (status >= 300 && status < 400 && to !== null) {
      const there = quote(URL.parse(to, url)?.href ?? to);
      return { broken: false, says: `${status}, leads to ${there}` };
    }
    return { broken: status >= 400, says: `${status}${status >= 400 ? ", broken" : ""}` };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    const why = limit.aborted ? `no answer in ${MAX_EACH_MS / 1000} s` : (error as Error).message;
    return { broken: true, says: `broken: ${why}` };
  }
}
