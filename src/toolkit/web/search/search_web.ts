import { CallError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json/parse_json.ts";
import { providerKey } from "../../provider/provider_settings.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ToolContext } from "../../../runner/registry/tool_context.ts";
import { redactKey } from "../../../base/text/redact.ts";
import { readBody } from "../fetch/read_body.ts";
import { RESULT_COUNT } from "./search_provider.ts";
import type { SearchAnswer, SearchHit, SearchQuery } from "./search_provider.ts";
import { type SearchSetup, searchSetup } from "./search_setup.ts";
import { canonicalHost, webUrl } from "../../../base/host.ts";
import { plural } from "../../../base/text/amounts.ts";
import { retryableStatus, retryAfter } from "../../../base/retryable.ts";
import { serverMessage } from "../../provider/error_response.ts";

/** The longest answer that is read, in bytes. */
const MAX_BYTES = 5 * 1024 * 1024;

/**
 * The results of a search by the provider that the settings name, as text and data. Throws
 * `unavailable` when none is set or its key is missing, and a readable error when it does
 * not answer as it should. The key is in none of it.
 */
export async function searchWeb(
  ctx: Pick<ToolContext, "fetch" | "settings">,
  search: SearchQuery,
): Promise<{ text: string; shown: SearchHit[] }> {
  const settings = await ctx.settings.values();
  const { provider, base } = searchSetup(settings);
  const variable = String(settings["search.key_variable"] ?? "");
  const key = await providerKey(ctx, "search.key_variable");
  if (key === "" && provider.needsKey) {
    const fix = `set the environment variable ${variable} to the key, or the setting ` +
      '"search.key_variable" to the name of another';
    throw new CallError(
      "unavailable",
      `Cannot search the web: ${provider.title} needs a key; ${fix}`,
    );
  }
  try {
    const { url, request } = provider.request(search, { base, key });
    const response = await ctx.fetch(url, request);
    const { bytes } = await readBody(response, MAX_BYTES);
    // Before a part of it is cut off.
    const answer = redactKey(new TextDecoder().decode(bytes), key);
    if (response.status !== 200) {
      throw searchFailure(response, { answer, provider, base, variable });
    }
    const json = parseJson(answer);
    if (json === undefined) {
      const fault = `what ${provider.title} at ${quote(base)} returned is not JSON`;
      throw new CallError("tool_failed", `Cannot search the web: ${fault}`);
    }
    const { text, shown } = searchText(provider.answer(json), { search, title: provider.title });
    return { text: redactKey(text, key), shown };
  } catch (error) {
    const message = redactKey((error as Error).message, key);
    if (!(error instanceof CallError)) throw new Error(message);
    throw new CallError(error.code, message, error.details);
  }
}

/** The longest message of a server that is shown, in characters. */
const MAX_WORDS = 300;

/** The error for a response with another status than 200. */
function searchFailure(
  { status, headers }: Response,
  { answer, provider, base, variable }: SearchSetup & { answer: string; variable: string },
): CallError {
  const words = answer.startsWith("<") ? "" : serverMessage(answer).trim();
  const said = words === "" ? "" : `: ${quote(words, MAX_WORDS)}`;
  const location = headers.get("location") ?? "";
  const waitMs = retryAfter(headers.get("retry-after")) ?? resetOf(headers);
  const advice = status === 429
    ? againAfter(waitMs)
    : status === 401
    ? `the key in the environment variable ${quote(variable)} is not valid there`
    : status >= 300 && status < 400
    ? `it redirects to ${quote(location)}; set "search.endpoint" to where it is`
    : provider.advice?.[status];
  return new CallError(
    "tool_failed",
    `Cannot search the web: ${provider.title} at ${quote(base)} answered ${status}${said}` +
      (advice === undefined ? "" : `; ${advice}`),
    { status, ...retryableStatus(status, waitMs) },
  );
}

/** Advice on when to send the next request. */
function againAfter(waitMs: number | undefined): string {
  if (waitMs === undefined) return "too many requests were sent; try again later";
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return `too many requests were sent; try again in ${plural(seconds, "second")}`;
}

/**
 * The wait in milliseconds by the rate limit headers of some providers: the longest among the windows
 * without requests left.
 */
function resetOf(headers: Headers): number | undefined {
  const numbers = (name: string) =>
    (headers.get(name) ?? "").split(",").filter((each) => each.trim() !== "").map(Number);
  const [resets, left] = [numbers("x-ratelimit-reset"), numbers("x-ratelimit-remaining")];
  const spent = resets.filter((_, at) => left[at] === 0);
  const seconds = spent.length > 0 ? Math.max(...spent) : resets[0] ?? NaN;
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

/** The longest snippet, in characters. */
const MAX_SNIPPET = 500;
/** The longest title, age or note, in characters. */
const MAX_TITLE = 300;
/** The longest URL, in characters. */
const MAX_URL = 2_000;

/** The results of a search on the requested domains, as numbered text and as data. */
function searchText(
  { hits, notes = [] }: SearchAnswer,
  { search, title }: { search: SearchQuery; title: string },
): { text: string; shown: SearchHit[] } {
  const pages = hits.filter(({ url }) => hostOf(url) !== undefined);
  const { allowed, blocked } = search;
  const own = pages.filter(({ url }) => {
    const host = hostOf(url)!;
    return (allowed.length === 0 || isOf(host, allowed)) && !isOf(host, blocked);
  });
  const shown = own.slice(0, RESULT_COUNT);
  const head = `${title} has ${own.length === 0 ? "nothing" : plural(own.length, "result")} ` +
    `for ${quote(search.query, 1000)}${domainsOf(search)}`;
  const other = pages.length - own.length;
  const text = [
    head,
    ...shown.map((hit, index) => hitText(hit, index + 1)),
    ...(own.length > shown.length ? [`[${own.length - shown.length} more are not shown]`] : []),
    ...(other > 0 ? [`[${plural(other, "result")} omitted: from other domains]`] : []),
    ...notes.map((note) => `[${upTo(cleaned(note), MAX_TITLE)}]`),
  ].join("\n\n");
  return { text, shown };
}

/** Returns whether a host is one of the domains or their subdomains. */
function isOf(host: string, domains: readonly string[]): boolean {
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

/** The host of a page on the web; `undefined` for any other URL. */
function hostOf(url: string): string | undefined {
  try {
    const page = webUrl(url);
    return page && canonicalHost(page.hostname);
  } catch {
    return undefined;
  }
}

function domainsOf({ allowed, blocked }: SearchQuery): string {
  if (allowed.length > 0) return ` on ${allowed.join(", ")}`;
  return blocked.length > 0 ? ` without ${blocked.join(", ")}` : "";
}

function hitText({ title, url, snippet, age = "" }: SearchHit, number: number): string {
  const text = cleaned(snippet);
  const short = upTo(text, MAX_SNIPPET);
  return [
    `${number}. ${upTo(cleaned(title), MAX_TITLE) || "(no title)"}`,
    upTo(cleaned(new URL(url).href), MAX_URL),
    ...(age === "" ? [] : [upTo(cleaned(age), MAX_TITLE)]),
    ...(short === "" ? [] : [short]),
  ].join("\n   ");
}

function upTo(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}

/** A string on one line, without what could move a cursor, hide or turn around what follows. */
function cleaned(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\p{Cc}\p{Cf}]/gu, "").trim();
}
