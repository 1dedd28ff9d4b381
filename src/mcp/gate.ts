import {
  hostHeaderValidationResponse,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { httpError } from "./http_error.ts";
import { LOOPBACK } from "./loopback.ts";

/** Where the server listens, and what a client has to show. */
export interface Gate {
  /** The host that it listens on, as it was given. */
  hostname: string;
  /** The token that each request has to carry, if one is set. */
  token?: string;
}

/**
 * The refusal of a request that a page in somebody's browser may have sent, or that does
 * not carry the token: 403. Nothing for any other.
 *
 * @see https://modelcontextprotocol.io/specification, "Transports", "Security Warning"
 */
export async function refusal(request: Request, gate: Gate): Promise<Response | undefined> {
  const names = [...new Set([...LOOPBACK, gate.hostname])];
  // Who can listen everywhere has a token, which no page knows.
  const anyHost = gate.hostname === "0.0.0.0" || gate.hostname === "::";
  const refused = (anyHost ? undefined : hostHeaderValidationResponse(request, names)) ??
    originValidationResponse(request, names);
  if (refused !== undefined) return refused;
  if (gate.token === undefined) return undefined;
  const given = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  if (await isSame(given, gate.token)) return undefined;
  return httpError(403, "The bearer token is missing or wrong", { "www-authenticate": "Bearer" });
}

/** Compares in a time that tells nothing of where two texts differ. */
async function isSame(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([a, b].map(digest));
  return first!.every((byte, index) => byte === second![index]);
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
