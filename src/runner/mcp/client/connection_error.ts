import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { CallError } from "../../../base/errors.ts";
import { retryable } from "../../../base/retryable.ts";
import { quote } from "../../../base/text/quote.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { Redactor } from "../../../base/text/redact.ts";

/** The longest part of a server's words that a message quotes, in characters. */
const LONGEST = 4_000;

/** What the library says before the reason. */
const PREFIX = /^(MCP error -?\d+: |Version negotiation (probe )?failed: (Fetch failed: )?)/i;

/** The HTTP statuses by which a server refuses a request that it has not begun on. */
const NOT_BEGUN = [429, 503];

/** What the runtime says of an address to which no connection comes about. */
const UNREACHED = /\b(tcp connect error|connection refused|connection reset)\b/i;

const INVALID_PARAMS = -32602;

/** What an error came of. */
export interface Attempt {
  /** The server's name. */
  server: string;
  /** What was attempted, as it stands after "Cannot". */
  action: string;
  /** Takes secrets out of what is said. */
  mask: Redactor;
  /** How long it was waited for, in milliseconds. */
  waitedMs: number;
  /** Whether the arguments of a tool were sent, which the server may refuse. */
  isCall?: boolean;
  /** Whether it is an address that was to be reached, and nothing was asked yet. */
  isConnecting?: boolean;
  /** How the server's program ended, if it is one and has. */
  epitaph(): Promise<string>;
}

/**
 * The failure that an error of the protocol's library is: `tool_failed` or
 * `invalid_arguments` for an answer that is an error, else `unavailable`.
 */
export async function connectionError(error: unknown, attempt: Attempt): Promise<CallError> {
  if (error instanceof CallError) return error;
  const { server, action, mask, waitedMs, isCall } = attempt;
  const begin = `Cannot ${action}: the MCP server ${quote(server)}`;
  const of = (code: "unavailable" | "tool_failed" | "invalid_arguments", end: string) =>
    new CallError(code, `${begin} ${end}`, { server });
  if (error instanceof ProtocolError) {
    const code = isCall && error.code === INVALID_PARAMS ? "invalid_arguments" : "tool_failed";
    return of(code, `answers with error ${error.code}: ${said(error, mask)}`);
  }
  if (error instanceof SdkHttpError && error.status !== undefined) {
    const words = `${httpWords(error.status)}: ${said(error, mask)}`;
    const failure = of("unavailable", words);
    return NOT_BEGUN.includes(error.status) ? marked(failure) : failure;
  }
  const isClosed = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed ||
    /closed during the server\/discover probe|Not connected$/.test((error as Error).message);
  if (isClosed) return of("unavailable", `ended the connection${await attempt.epitaph()}`);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return of("unavailable", `gave no answer within ${waitedMs} ms${await attempt.epitaph()}`);
  }
  const words = said(error, mask);
  const failure = of("unavailable", `cannot be used: ${words}${await attempt.epitaph()}`);
  return attempt.isConnecting && UNREACHED.test(words) ? marked(failure) : failure;
}

/** A failure that may pass. */
function marked({ code, message, details }: CallError): CallError {
  return new CallError(code, message, { ...details, ...retryable() });
}

function httpWords(status: number): string {
  const access = status === 401 || status === 403;
  return `answers with HTTP ${status}${access ? ', which asks for a right; set "headers"' : ""}`;
}

function said(error: unknown, mask: Redactor): string {
  const { message, cause } = error as Error;
  const why = cause instanceof Error && !message.includes(cause.message)
    ? `${message}: ${cause.message}`
    : message;
  const text = mask(why.replace(PREFIX, ""));
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return escapeControls(cut).trim().replace(/\.$/, "");
}
