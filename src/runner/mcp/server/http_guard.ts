import { hostHeaderValidationResponse } from "@modelcontextprotocol/server";
import { LOOPBACK, withBrackets } from "../../../base/host.ts";

/** The host that the server listens on, and the requests that it accepts. */
export interface GuardOptions {
  /** The host, as the user gave it. */
  hostname: string;
  /** The token that each request has to carry, if one is set. */
  token?: string;
  /** The origins of web pages that may be clients, besides the server's own. */
  origins?: readonly string[];
}

/** The header fields of a response that a web page may read. */
const EXPOSED = "mcp-session-id, mcp-protocol-version, www-authenticate";

/** The time that a browser may cache the answer to a preflight, in seconds. */
const MAX_AGE = "600";

/** Creates the HTTP response that refuses a request, with a JSON-RPC error that says why. */
export function httpError(status: number, message: string, headers: HeadersInit = {}): Response {
  const error = { code: status === 400 ? -32600 : -32000, message };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status, headers });
}

/**
 * Returns a response with status 403 if a web page in a browser may have sent the request: if its
 * `Host` or `Origin` is foreign. An origin is foreign unless it has the server's scheme, host and
 * port, or a flag names it. Returns `undefined` for any other request.
 *
 * @see https://modelcontextprotocol.io/specification, "Transports", "Security Warning"
 */
export function rejectForbidden(
  request: Request,
  { hostname, origins = [] }: GuardOptions,
  port: number,
): Response | undefined {
  const names = [...new Set([...LOOPBACK, withBrackets(hostname)])];
  // A server that listens on every address always has a token, which no web page knows.
  const isAnyHost = hostname === "0.0.0.0" || hostname === "::";
  const rejected = isAnyHost ? undefined : hostHeaderValidationResponse(request, names);
  if (rejected !== undefined) return rejected;
  const origin = request.headers.get("origin");
  if (origin === null || origins.includes(origin)) return undefined;
  if (names.some((name) => new URL(`http://${name}:${port}`).origin === origin)) return undefined;
  return httpError(403, "The page's origin is not allowed; allow it with --origin=ORIGIN");
}

/** Returns a response with status 401 if the token is missing or wrong, otherwise `undefined`. */
export function rejectUnauthorised(
  request: Request,
  { token }: GuardOptions,
): Response | undefined {
  if (token === undefined) return undefined;
  const given = /^Bearer +(\S.*)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (given === undefined) return unauthorised("The bearer token is missing", 'realm="toolcall"');
  if (isSame(given, token)) return undefined;
  const what = "The bearer token is wrong";
  return unauthorised(what, `realm="toolcall", error="invalid_token", error_description="${what}"`);
}

/** @see https://www.rfc-editor.org/rfc/rfc6750#section-3 */
function unauthorised(message: string, challenge: string): Response {
  return httpError(401, message, { "www-authenticate": `Bearer ${challenge}` });
}

/** Compares in a time that depends only on the length of `given`, so it tells nothing of `secret`. */
function isSame(given: string, secret: string): boolean {
  let difference = given.length ^ secret.length;
  for (let at = 0; at < given.length; at++) {
    difference |= given.charCodeAt(at) ^ secret.charCodeAt(at % secret.length);
  }
  return difference === 0;
}

/**
 * Returns the response to a preflight request, by which a browser asks whether a web page may send
 * a request. A preflight carries no token. Returns `undefined` for any other request.
 *
 * @see https://fetch.spec.whatwg.org/#cors-preflight-request
 */
export function preflightResponse({ method, headers }: Request): Response | undefined {
  if (method !== "OPTIONS" || !headers.has("origin")) return undefined;
  if (!headers.has("access-control-request-method")) return undefined;
  const asked = headers.get("access-control-request-headers");
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST, DELETE",
      ...(asked !== null && { "access-control-allow-headers": asked }),
      "access-control-max-age": MAX_AGE,
    },
  });
}

/** Lets web pages of the request's origin read the response. The origin must not be foreign. */
export function withCorsHeaders(response: Response, { headers }: Request): Response {
  const origin = headers.get("origin");
  if (origin === null) return response;
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", EXPOSED);
  response.headers.append("vary", "origin");
  return response;
}
