import { hostHeaderValidationResponse } from "@modelcontextprotocol/server";
import { httpError } from "./http_error.ts";
import { LOOPBACK } from "./loopback.ts";

/** Where the server listens, and what a client has to show. */
export interface Gate {
  /** The host that it listens on, as it was given. */
  hostname: string;
  /** The token that each request has to carry, if one is set. */
  token?: string;
  /** The origins of pages that may be clients, besides those that are served here. */
  origins?: readonly string[];
}

/** The header fields of a response that a page may read. */
const EXPOSED = "mcp-session-id, mcp-protocol-version, www-authenticate";

/** How long a browser may remember the answer to a preflight, in seconds. */
const MAX_AGE = "600";

/**
 * The refusal of a request that a page in somebody's browser may have sent: 403 for a foreign `Host`
 * or `Origin`. An origin is foreign unless its scheme, host and port are those that are served here,
 * or a flag names it. Nothing for any other request.
 *
 * @see https://modelcontextprotocol.io/specification, "Transports", "Security Warning"
 */
export function refuseForeign(
  request: Request,
  { hostname, origins = [] }: Gate,
  port: number,
): Response | undefined {
  const own = hostname.includes(":") ? `[${hostname}]` : hostname;
  const names = [...new Set([...LOOPBACK, own])];
  // Who can listen everywhere has a token, which no page knows.
  const isAnyHost = hostname === "0.0.0.0" || hostname === "::";
  const refused = isAnyHost ? undefined : hostHeaderValidationResponse(request, names);
  if (refused !== undefined) return refused;
  const origin = request.headers.get("origin");
  if (origin === null || origins.includes(origin)) return undefined;
  if (names.some((name) => new URL(`http://${name}:${port}`).origin === origin)) return undefined;
  return httpError(403, "The page's origin is not allowed; allow it with --origin=ORIGIN");
}

/** The refusal of a request without the token: 401. Nothing for any other. */
export async function refuseStranger(
  request: Request,
  { token }: Gate,
): Promise<Response | undefined> {
  if (token === undefined) return undefined;
  const given = /^Bearer +(\S.*)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (given === undefined) return unauthorised("The bearer token is missing", 'realm="toolcall"');
  if (await isSame(given, token)) return undefined;
  const what = "The bearer token is wrong";
  return unauthorised(what, `realm="toolcall", error="invalid_token", error_description="${what}"`);
}

/** @see https://www.rfc-editor.org/rfc/rfc6750#section-3 */
function unauthorised(message: string, challenge: string): Response {
  return httpError(401, message, { "www-authenticate": `Bearer ${challenge}` });
}

/** Compares in a time that tells nothing of where two texts differ, nor of how long one is. */
async function isSame(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([a, b].map(digest));
  return first!.reduce((difference, byte, index) => difference | byte ^ second![index]!, 0) === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/**
 * The answer to a browser that asks whether a page may send a request; it carries no token. Nothing
 * for any other request.
 *
 * @see https://fetch.spec.whatwg.org/#cors-preflight-request
 */
export function preflight({ method, headers }: Request): Response | undefined {
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

/**
 * The response, which a page of the request's origin may read. The request's origin is not foreign.
 */
export function readable(response: Response, { headers }: Request): Response {
  const origin = headers.get("origin");
  if (origin === null) return response;
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", EXPOSED);
  response.headers.append("vary", "origin");
  return response;
}
