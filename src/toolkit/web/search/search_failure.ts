import { CallError } from "../../../base/errors.ts";
import { plural } from "../../../base/text/amounts.ts";
import { retryableStatus } from "../../../base/retryable.ts";
import { retryAfter, serverMessage } from "../../provider/error_response.ts";
import { quote } from "../../../base/text/quote.ts";
import type { SearchSetup } from "./search_setup.ts";

/** How much of a server's own words is told, in characters. */
const MAX_WORDS = 300;

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
  const said = words === "" ? "" : `: ${quote(words, MAX_WORDS)}`;
  const waitMs = retryAfter(headers.get("retry-after")) ?? resetOf(headers);
  const advice = status === 429
    ? againAfter(waitMs)
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
    { status, ...retryableStatus(status, waitMs) },
  );
}

/** When a provider takes requests again. */
function againAfter(waitMs: number | undefined): string {
  if (waitMs === undefined) return "too many requests were sent; try again later";
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return `too many requests were sent; try again in ${plural(seconds, "second")}`;
}

/**
 * The longest wait among those windows of time in which nothing is left, in milliseconds, by the
 * headers that some send.
 */
function resetOf(headers: Headers): number | undefined {
  const numbers = (name: string) =>
    (headers.get(name) ?? "").split(",").filter((each) => each.trim() !== "").map(Number);
  const [resets, left] = [numbers("x-ratelimit-reset"), numbers("x-ratelimit-remaining")];
  const spent = resets.filter((_, at) => left[at] === 0);
  const seconds = spent.length > 0 ? Math.max(...spent) : resets[0] ?? NaN;
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
