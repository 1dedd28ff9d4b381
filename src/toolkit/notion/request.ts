import { CallError } from "../../base/errors.ts";
import { plural } from "../../base/text/amounts.ts";
import { isObject } from "../../base/json/is_object.ts";
import { delay } from "@std/async/delay";
import { retryAfter } from "../provider/retry_after.ts";
import { serverMessage } from "../provider/server_message.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { readBody } from "../web/fetch/read_body.ts";
import { redactKey } from "../../base/text/redact.ts";
import type { NotionSetup } from "./setup.ts";

/** The version of the API that the requests are written for. */
const VERSION = "2025-09-03";

/** The longest answer that is read, in bytes. */
const MAX_BYTES = 20 * 1024 * 1024;

/** How much of the server's own words is told, in characters. */
const MAX_WORDS = 400;

/** How long a request that came too soon waits at most before it is sent again, in milliseconds. */
const MAX_WAIT = 20_000;

/** How often one request is sent at most. */
const MAX_TRIES = 4;

/** What one request says. */
export interface NotionRequest {
  /** The method. */
  method: "POST" | "PATCH";
  /** The path after the base URL. */
  path: string;
  /** What is sent. */
  body: unknown;
}

/**
 * Sends a request to the API and returns the object it is answered with. One that came too soon
 * is sent again when the API says so, within limits. Throws with what to do about any other
 * answer; the key is in none of it.
 */
export async function notionRequest(
  ctx: Pick<ToolContext, "fetch" | "signal">,
  { method, path, body }: NotionRequest,
  setup: NotionSetup,
): Promise<Record<string, unknown>> {
  const { base, key } = setup;
  const headers = {
    accept: "application/json",
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "notion-version": VERSION,
  };
  try {
    for (let tries = 1;; tries++) {
      const url = `${base}${path}`;
      const response = await ctx.fetch(url, { method, headers, body: JSON.stringify(body) });
      const { bytes } = await readBody(response, MAX_BYTES);
      const text = redactKey(new TextDecoder().decode(bytes), key);
      if (response.status === 200) return parsed(text, base);
      const waitMs = waitOf(response) ?? Infinity;
      if (waitMs > MAX_WAIT || tries === MAX_TRIES) throw failure(response, { text, setup });
      await delay(waitMs, { signal: ctx.signal });
    }
  } catch (error) {
    const message = redactKey((error as Error).message, key);
    if (error instanceof CallError) throw new CallError(error.code, message, error.details);
    // The reason of an aborted call has a name that the engine knows it by.
    throw ctx.signal.aborted ? error : new Error(message);
  }
}

function parsed(text: string, base: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new Error(`what Notion at ${quote(base)} answers is no JSON object`);
}

/** How long to wait until the API takes the request that it did not take; else undefined. */
function waitOf({ status, headers }: Response): number | undefined {
  return status === 429 || status === 529 ? retryAfter(headers.get("retry-after")) : undefined;
}

function failure(
  { status, headers }: Response,
  { text, setup: { base, variable } }: { text: string; setup: NotionSetup },
): CallError {
  const words = text.startsWith("<") ? "" : serverMessage(text).trim();
  const said = words === "" ? "" : `: ${quote(words, MAX_WORDS)}`;
  const advice = adviceOf(status, { headers, variable });
  const message = `Notion at ${quote(base)} answered ${status}${said}` +
    (advice === undefined ? "" : `; ${advice}`);
  return new CallError("tool_failed", message, { status });
}

function adviceOf(
  status: number,
  { headers, variable }: { headers: Headers; variable: string },
): string | undefined {
  if (status === 401) return `the key in the environment variable ${quote(variable)} is not valid`;
  if (status === 403) {
    return "the connection may not add content there: give it that capability in Notion";
  }
  if (status === 404) {
    return "there is no such page or database, or it is not shared with the connection: add the " +
      "connection to it in Notion; an id of a database is given after database:";
  }
  if (status === 409) return "it was changed at the same time: try again";
  if (status === 429 || status === 529) {
    const ms = retryAfter(headers.get("retry-after"));
    const when = ms === undefined ? "later" : `in ${plural(Math.ceil(ms / 1000), "second")}`;
    return `it takes no more requests at the moment: try again ${when}`;
  }
  if (status >= 300 && status < 400) {
    const place = quote(headers.get("location") ?? "");
    return `it redirects to ${place}; set "notion.endpoint" to where it is`;
  }
  return status >= 500 ? "it has a fault of its own: try again later" : undefined;
}
