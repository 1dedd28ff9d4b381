import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from "@modelcontextprotocol/client";
import { CallError, type FailureCode } from "../../../base/errors.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { pointerOf } from "../../../base/json/json_pointer.ts";
import { parseJson } from "../../../base/json/parse_json.ts";
import { retryable } from "../../../base/retryable.ts";
import { quote } from "../../../base/text/quote.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { loginCommand } from "../oauth/login_command.ts";
import { markLostSession } from "./lost_session.ts";
import type { Redactor } from "../../../base/text/redact.ts";
import { unreadableAnswer } from "./unreadable_answers.ts";

/** The most characters of a server's message that are quoted. */
const MAX_QUOTED = 4_000;

/** The beginnings that the SDK puts before the reason. */
const PREFIX = /^(MCP error -?\d+: |Version negotiation (probe )?failed: (Fetch failed: )?)/i;

/** The HTTP status of a request in a session that the server does not know any more. */
const LOST_SESSION = 404;

/** The HTTP statuses of requests that the server has not begun to process. */
const NOT_BEGUN = [429, 503];

/** The runtime's messages for an address that cannot be reached. */
const UNREACHED = /\b(tcp connect error|connection refused|connection reset)\b/i;

const INVALID_PARAMS = -32602;

/** The action that failed. */
export interface Attempt {
  /** The server's name. */
  server: string;
  /** The action, worded to follow "Cannot". */
  action: string;
  /** Removes the secrets of the server. */
  redact: Redactor;
  /** The time since the action began, in milliseconds. */
  waitedMs: number;
  /** True if the action was a call of a tool, whose arguments the server can refuse. */
  isCall?: boolean;
  /** True if the action was to connect to an address, before any request. */
  isConnecting?: boolean;
  /** True if the request was one of a session, which the server can forget. */
  hasSession?: boolean;
  /** Describes how the server's program ended; empty for other servers and running programs. */
  exitReason(): Promise<string>;
}

/**
 * Converts an error of the SDK: to `tool_failed` or `invalid_arguments` if the server answered with
 * an error, otherwise to `unavailable`.
 */
export async function connectionError(error: unknown, attempt: Attempt): Promise<CallError> {
  if (error instanceof CallError) return error;
  const { server, action, redact, waitedMs, isCall } = attempt;
  const begin = `Cannot ${action}: the MCP server ${quote(server)}`;
  const failWith = (code: FailureCode, end: string) =>
    new CallError(code, `${begin} ${end}`, { server });
  if (error instanceof ProtocolError) {
    const line = unreadableAnswer(error.data);
    if (line !== undefined) {
      const why = escapeControls(redact(error.message)).replace(PREFIX, "");
      return failWith("tool_failed", `answers with what is no JSON-RPC message: ${line} (${why})`);
    }
    const code = isCall && error.code === INVALID_PARAMS ? "invalid_arguments" : "tool_failed";
    return failWith(code, `answers with error ${error.code}: ${reasonOf(error, redact)}`);
  }
  if (error instanceof SdkHttpError && error.status !== undefined) {
    if (/ 401 after re-authentication$/.test(error.message)) {
      const login = loginCommand(server, {});
      const words = `rejects a token that was just renewed; run ${login}`;
      return new CallError("unavailable", `${begin} ${words}`, { server, login });
    }
    const words = `${httpWords(error.status)}: ${reasonOf(error, redact)}`;
    const failure = failWith("unavailable", words);
    if (error.status === LOST_SESSION && attempt.hasSession) return markLostSession(failure);
    return NOT_BEGUN.includes(error.status) ? markRetryable(failure) : failure;
  }
  if (error instanceof InsufficientScopeError) {
    const scope = error.requiredScope ?? "";
    const login = loginCommand(server, { ...(scope !== "" && { scope }) });
    const words = `needs the scope ${quote(scope)}; run ${login}, or set "scope" under "oauth"`;
    return new CallError("unavailable", `${begin} ${words}`, { server, login, scope });
  }
  const isClosed = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed ||
    /closed during the server\/discover probe|Not connected$/.test((error as Error).message);
  if (isClosed) {
    return failWith("unavailable", `closed the connection${await attempt.exitReason()}`);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    const words = `did not respond within ${waitedMs} ms${await attempt.exitReason()}`;
    return failWith("unavailable", words);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return failWith("tool_failed", `answers with an invalid result: ${faultsIn(error.message)}`);
  }
  const fault = unreadableMessage(error, redact);
  if (fault !== undefined) {
    return failWith("tool_failed", `answers with what is no JSON-RPC message: ${fault}`);
  }
  const words = reasonOf(error, redact);
  const failure = failWith("unavailable", `cannot be used: ${words}${await attempt.exitReason()}`);
  return attempt.isConnecting && UNREACHED.test(words) ? markRetryable(failure) : failure;
}

function markRetryable({ code, message, details }: CallError): CallError {
  return new CallError(code, message, { ...details, ...retryable() });
}

function httpWords(status: number): string {
  const access = status === 401 || status === 403;
  return `answers with HTTP ${status}${
    access ? ', which requires authentication; set "headers"' : ""
  }`;
}

/** Why the SDK could not read a message of a server at an address, if the error says that. */
export function unreadableMessage(error: unknown, redact: Redactor): string | undefined {
  if (error instanceof SyntaxError) return reasonOf(error, redact);
  const { name, message } = error as Error;
  return /^\$?ZodError$/.test(name) ? redact(faultsIn(message)) : undefined;
}

/** The most faults of a result that are named. */
const MAX_FAULTS = 3;

/** The faults in the message of the package's checker, which ends with its findings as JSON. */
function faultsIn(message: string): string {
  const findings = parseJson(message.slice(message.indexOf("[")));
  if (!Array.isArray(findings)) return escapeControls(message.slice(0, MAX_QUOTED));
  const faults = findings.filter(isObject).map(({ path, message }) => {
    const place = Array.isArray(path) ? pointerOf(path.map(String)) : "";
    const shown = quote(place || "/", 100);
    // For an entry of another type than MCP's the checker only says "Invalid input".
    return /^\/content\/\d+$/.test(place)
      ? `${shown} has a type or fields that MCP does not define for content`
      : `${shown} is not as MCP defines it (${quote(String(message), 100)})`;
  });
  const rest = faults.length - MAX_FAULTS;
  return faults.slice(0, MAX_FAULTS).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}

function reasonOf(error: unknown, redact: Redactor): string {
  const { message, cause } = error as Error;
  const why = cause instanceof Error && !message.includes(cause.message)
    ? `${message}: ${cause.message}`
    : message;
  const text = redact(why.replace(PREFIX, ""));
  const cut = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  return escapeControls(cut).trim().replace(/\.$/, "");
}
