import { OAuthError } from "@modelcontextprotocol/client";
import { CallError } from "../../../base/errors.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote } from "../../../base/text/quote.ts";
import { redactor } from "../../../base/text/redact.ts";

/** The most characters of a foreign message that are shown. */
const MAX_SHOWN = 500;

/** The library repeats a whole response, which may have a token, after these words. */
const WHOLE_RESPONSE = /(Invalid OAuth error response)?.{0,2000}?Raw body: .*$/s;

/** The codes that say that the client or its refresh token is not valid any more (RFC 6749). */
const ENDED = ["invalid_grant", "invalid_client", "unauthorized_client"];

/** Whether an authorization server refuses a client or a refresh token for good. */
export function isEnded(error: unknown): boolean {
  return error instanceof OAuthError && ENDED.includes(error.code);
}

/** Describes an error of the OAuth flow in one line, without secrets. */
export function oauthReason(error: unknown, secrets: readonly string[]): string {
  const { message } = error as Error;
  const code = error instanceof OAuthError && /^[\w.:/-]{1,80}$/.test(error.code) ? error.code : "";
  const text = message.replace(WHOLE_RESPONSE, "the response is not an OAuth error");
  const words = code === "" || text.includes(code) ? text : `${code}: ${text}`;
  const shown = escapeControls(redactor(secrets)(words)).replace(/\s+/g, " ").trim();
  return (shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown).replace(/\.$/, "");
}

/** Creates the error of a server whose tokens are missing or not valid any more. */
export function needsLogin(server: string, why: string, login: string): CallError {
  const message = `Cannot use the MCP server ${
    quote(server)
  }: ${why}; run ${login}, or set "headers"`;
  return new CallError("unavailable", message, { server, login });
}
