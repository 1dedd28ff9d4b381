import { selectClientAuthMethod } from "@modelcontextprotocol/client";
import { boundedFetch } from "../bounded_fetch.ts";
import { oauthReason } from "./oauth_error.ts";
import type { TokenStore } from "./token_store.ts";

/** The time that the authorization server has to end a token, in milliseconds. */
const END_MS = 10_000;

/**
 * Ends the tokens of a record at the authorization server (RFC 7009), if it offers that at the
 * origin of its token endpoint. Resolves to the reason if that failed. Never rejects.
 */
export async function endTokens(store: TokenStore, id: string): Promise<string | undefined> {
  const secrets: string[] = [];
  try {
    const record = await store.read(id, "toolcall mcp logout again");
    if (record === undefined) return undefined;
    const { revocationEndpoint, tokenEndpoint, clientId, authMethods, authMethod } = record;
    const { accessToken, refreshToken, clientSecret } = record.secrets;
    secrets.push(...Object.values(record.secrets));
    const token = refreshToken ?? accessToken;
    if (revocationEndpoint === undefined || token === undefined) return undefined;
    const url = new URL(revocationEndpoint);
    if (url.origin !== new URL(tokenEndpoint).origin) return undefined;
    const headers = new Headers({ accept: "application/json" });
    const body = new URLSearchParams({ token });
    const client = {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
    };
    if (selectClientAuthMethod(client, authMethods) === "client_secret_basic") {
      headers.set("authorization", `Basic ${btoa(`${clientId}:${clientSecret}`)}`);
    } else {
      body.set("client_id", clientId);
      if (clientSecret !== undefined) body.set("client_secret", clientSecret);
    }
    const response = await boundedFetch(url, {
      ...{ method: "POST", headers, body, redirect: "manual" },
      signal: AbortSignal.timeout(END_MS),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `it answers with HTTP ${response.status}`;
  } catch (error) {
    return oauthReason(error, secrets);
  }
}
