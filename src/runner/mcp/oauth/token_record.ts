/** The tokens of one server, as they are kept. */

import type { AuthorizationServerMetadata, OAuthTokens } from "@modelcontextprotocol/client";
import { isObject } from "../../../base/json/is_object.ts";
import type { OAuthGrant } from "./oauth_config.ts";
import type { RemoteConfig } from "./remote_config.ts";

/** The version of the file format. Files with another version are ignored. */
export const FORM = 1;

/** A token is renewed this long before its end at most, in milliseconds. */
const MAX_EARLY_MS = 30_000;

/** The part of a record that must never be shown. */
export interface TokenSecrets {
  /** The token of the requests. */
  accessToken?: string;
  /** The token that gets a new one. */
  refreshToken?: string;
  /** The client's secret, if the authorization server gave it one. */
  clientSecret?: string;
}

/** The facts about a server after a login or the first token. */
export interface TokenInfo {
  /** The server's name in the configuration. */
  server: string;
  /** The server's address, without its query. */
  url: string;
  /** How the first token was got. */
  grant: OAuthGrant;
  /** The authorization server, as its metadata name it. */
  issuer: string;
  /** The endpoints that the user agreed to. Later calls use only these. */
  tokenEndpoint: string;
  /** The endpoint that ends tokens. */
  revocationEndpoint?: string;
  /** The ways in which the token endpoint recognises a client. */
  authMethods: string[];
  /** The resource indicator of the tokens (RFC 8707). */
  resource?: string;
  /** The granted scopes. */
  scope?: string;
  /** The client's identifier. */
  clientId: string;
  /** How the client identifies itself, if the authorization server has determined it. */
  authMethod?: string;
  /** Whether there is an access token. */
  hasToken: boolean;
  /** Whether there is a refresh token. */
  canRefresh: boolean;
  /** The time when a call renews the access token, in milliseconds since 1970. */
  renewAt?: number;
  /** The time when the access token ends, in milliseconds since 1970. */
  expiresAt?: number;
}

/** The whole record of a server. */
export type TokenRecord = Omit<TokenInfo, "hasToken" | "canRefresh"> & { secrets: TokenSecrets };

/** A file of the store without its secrets. */
export type StoredInfo = TokenInfo & { isEncrypted: boolean; path: string };

/** The content of a file. With a keyring it has `sealed`, otherwise `secrets`. */
export type StoredFile = TokenInfo & { secrets?: TokenSecrets; sealed?: string };

/** The file name of a server's record: a hash, because names and addresses are long. */
export async function tokenId({ name, place: { url, oauth } }: RemoteConfig): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([name, url, oauth?.source ?? ""]));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Whether a value is the content of a file of this version. */
export function isStored(value: unknown): value is StoredFile {
  if (!isObject(value)) return false;
  const { form, server, url, issuer, tokenEndpoint, clientId, authMethods } = value;
  return form === FORM && Array.isArray(authMethods) &&
    [server, url, issuer, tokenEndpoint, clientId].every((each) => typeof each === "string");
}

/** The metadata of the authorization server, as far as requests for tokens need it. */
export function serverMetadata(
  { issuer, tokenEndpoint, authMethods }: Pick<
    TokenInfo,
    "issuer" | "tokenEndpoint" | "authMethods"
  >,
): AuthorizationServerMetadata {
  return {
    issuer,
    token_endpoint: tokenEndpoint,
    authorization_endpoint: tokenEndpoint,
    response_types_supported: ["code"],
    token_endpoint_auth_methods_supported: authMethods,
  };
}

/** The record with new tokens. An old refresh token stays if there is no new one. */
export function withTokens(
  { expiresAt: _, renewAt: __, ...record }: TokenRecord,
  { access_token, refresh_token, expires_in, scope }: OAuthTokens,
): TokenRecord {
  const now = Date.now();
  const lifeMs = expires_in === undefined ? undefined : Number(expires_in) * 1_000;
  return {
    ...record,
    ...(scope !== undefined && { scope }),
    ...(lifeMs !== undefined && {
      expiresAt: now + lifeMs,
      renewAt: now + Math.max(lifeMs - MAX_EARLY_MS, lifeMs * 0.9),
    }),
    secrets: {
      ...record.secrets,
      accessToken: access_token,
      ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    },
  };
}
