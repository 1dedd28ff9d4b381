import { CallError } from "../call_error.ts";
import { amount } from "../files/amounts.ts";
import { retryAfter } from "../provider/retry_after.ts";
import { serverMessage } from "../provider/server_message.ts";
import { quote } from "../quote.ts";
import type { SearchSetup } from "./search_setup.ts";

/** How much of a server's own words is told, in characters. */
const MOST_WORDS = 300;

/** The failure that an answer of a provider with another status than 200 is. */
export function searchFailure(
  { status, headers }: Response,
  { text, setup: { provider, base }, variable }: {
    text: string;
    setup: SearchSetup;
    variable: string;
  },
): CallError {
  const words = text.startsWith("<") ? "" : serverMessage(text).trim();
  const said = words === "" ? "" : `: ${quote(words, MOST_WORDS)}`;
  const advice = status === 429
    ? againAt(headers)
    : status === 401
    ? `the key in the environment variable ${quote(variable)} is not valid there`
    : status >= 300 && status < 400
    ? `it redirects to ${
      quote(headers.get("location") ?? "")
    }; set "search.endpoint" to where it is`
    : provider.advice?.[status];
  return new CallError(
    "tool_failed",
    `Cannot search the web: ${provider.title} at ${quote(base)} answered ${status}${said}` +
      (advice === undefined ? "" : `; ${advice}`),
    { status },
  );
}

/** When a provider takes requests again, by the headers that it may send. */
function againAt(headers: Headers): string {
  const waitMs = retryAfter(headers.get("retry-after"));
  const seconds = waitMs === undefined ? resetOf(headers) : Math.ceil(waitMs / 1000);
  if (!Number.isFinite(seconds)) return "too many requests were sent; try again later";
  return `too many requests were sent; try again in ${amount(Math.max(1, seconds), "second")}`;
}

/** The longest wait among those windows of time in which nothing is left. */
function resetOf(headers: Headers): number {
  const numbers = (name: string) =>
    (headers.get(name) ?? "").split(",").filter((each) => each.trim() !== "").map(Number);
  const [resets, left] = [numbers("x-ratelimit-reset"), numbers("x-ratelimit-remaining")];
  const spent = resets.filter((_, at) => left[at] === 0);
  return spent.length > 0 ? Math.max(...spent) : resets[0] ?? NaN;
}
