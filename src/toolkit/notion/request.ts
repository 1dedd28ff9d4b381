import { retryAfter } from "../../base/retryable.ts";
import { withRetries } from "../../base/async/retry.ts";
import { CallError } from "../../base/errors.ts";
import { plural } from "../../base/text/amounts.ts";
import { isObject } from "../../base/json/is_object.ts";
import { parseJson } from "../../base/json/parse_json.ts";
import { serverMessage } from "../provider/error_response.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { readBody } from "../web/fetch/read_body.ts";
import { redactKey } from "../../base/text/redact.ts";
import type { NotionSetup } from "./setup.ts";

/** The version of the API that the requests are written for. */
const VERSION = "2025-09-03";

/** The longest response, in bytes. */
const MAX_BYTES = 20 * 1024 * 1024;

/** The longest message of the server that is shown, in characters. */
const MAX_WORDS = 400;

/** The longest wait before a retry, in milliseconds. */
const MAX_WAIT_MS = 20_000;

/** The most times that one request is sent. */
const MAX_TRIES = 4;

/**
 * Sends a request to the API, whose `body` becomes JSON, and returns the object in its response. A
 * request over the rate limit is retried when the API says so, within limits. Throws for any other
 * response, with advice. The key is removed from results and errors.
 */
export async function sendNotionRequest(
  ctx: Pick<ToolContext, "fetch" | "signal">,
  { method, path, body }: { method: "POST" | "PATCH"; path: string; body: unknown },
  setup: NotionSetup,
): Promise<Record<string, unknown>> {
  const { base, key } = setup;
  const headers = {
    accept: "application/json",
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "notion-version": VERSION,
  };
  let waitMs: number | undefined;
  const attempt = async () => {
    waitMs = undefined;
    const request = { method, headers, body: JSON.stringify(body) };
    const response = await ctx.fetch(`${base}${path}`, request);
    const { bytes } = await readBody(response, MAX_BYTES);
    const text = redactKey(new TextDecoder().decode(bytes), key);
    if (response.status === 200) {
      const answer = parseJson(text);
      if (isObject(answer)) return answer;
      throw new Error(`what Notion at ${quote(base)} returned is not a JSON object`);
    }
    if (isOverLimit(response)) waitMs = retryAfter(response.headers.get("retry-after"));
    throw failure(response, { text, setup });
  };
  const pauseAfter = (error: unknown, tries: number) => {
    if (waitMs === undefined || waitMs > MAX_WAIT_MS || tries === MAX_TRIES) throw error;
    return waitMs;
  };
  try {
    return await withRetries(attempt, { pauseAfter, signal: ctx.signal });
  } catch (error) {
    const message = redactKey((error as Error).message, key);
    if (error instanceof CallError) throw new CallError(error.code, message, error.details);
    // The runner knows the reason of an aborted call by its name.
    throw ctx.signal.aborted ? error : new Error(message);
  }
}

/** Returns whether a response says that there were too many requests. */
function isOverLimit({ status }: Response): boolean {
  return status === 429 || status === 529;
}

function failure(
  response: Response,
  { text, setup: { base, variable } }: { text: string; setup: NotionSetup },
): CallError {
  const { status } = response;
  const words = text.startsWith("<") ? "" : serverMessage(text).trim();
  const said = words === "" ? "" : `: ${quote(words, MAX_WORDS)}`;
  const advice = adviceOf(response, variable);
  const message = `Notion at ${quote(base)} answered ${status}${said}` +
    (advice === undefined ? "" : `; ${advice}`);
  return new CallError("tool_failed", message, { status });
}

function adviceOf(response: Response, variable: string): string | undefined {
  const { status, headers } = response;
  if (status === 401) return `the key in the environment variable ${quote(variable)} is not valid`;
  if (status === 403) {
    return "the connection may not add content there: give it that capability in Notion";
  }
  if (status === 404) {
    return "no such page or database, or it is not shared with the connection: add the " +
      "connection to it in Notion; an id of a database is given after database:";
  }
  if (status === 409) return "it was changed at the same time: try again";
  if (isOverLimit(response)) {
    const ms = retryAfter(headers.get("retry-after"));
    const when = ms === undefined ? "later" : `in ${plural(Math.ceil(ms / 1000), "second")}`;
    return `it takes no more requests at the moment: try again ${when}`;
  }
  if (status >= 300 && status < 400) {
    const place = quote(headers.get("location") ?? "");
    return `it redirects to ${place}; set "notion.endpoint" to where it is`;
  }
  return status >= 500 ? "the service failed: try again later" : undefined;
}
