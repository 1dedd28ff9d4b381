import {
  type AuthorizationServerMetadata,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type OAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/client";
import { CallError } from "../../../base/errors.ts";
import type { OriginGuard } from "./origin_guard.ts";

/** The parts of a server's refusal that say how to get a token. */
export interface Challenge {
  /** The address of the metadata of the protected resource (RFC 9728). */
  resourceMetadataUrl?: URL;
  /** The scopes that the server requires. */
  scope?: string;
}

/** The authorization server of an MCP server, and their metadata as far as they have some. */
export interface Discovery {
  /** The address of the authorization server. */
  authorizationServer: string;
  /** Its metadata (RFC 8414, or OpenID Connect Discovery). */
  metadata: AuthorizationServerMetadata | undefined;
  /** The metadata of the MCP server (RFC 9728). */
  resourceMetadata: OAuthProtectedResourceMetadata | undefined;
}

/**
 * Finds the authorization server: the configured `issuer`, or the one that the metadata of the MCP
 * server name, or its own origin. Throws `unavailable` for an origin that the guard refuses, and
 * the SDK's errors.
 */
export async function discover(
  url: string,
  { guard, challenge: { resourceMetadataUrl }, issuer }: {
    guard: OriginGuard;
    challenge: Challenge;
    issuer: string | undefined;
  },
): Promise<Discovery> {
  const options = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
  // Not every server has this document.
  const resourceMetadata = await discoverOAuthProtectedResourceMetadata(url, options, guard.fetch)
    .catch((error) =>
      error instanceof CallError || error instanceof TypeError ? Promise.reject(error) : undefined
    );
  const authorizationServer = issuer ?? resourceMetadata?.authorization_servers?.[0] ??
    new URL("/", url).href;
  const metadata = await discoverAuthorizationServerMetadata(authorizationServer, {
    fetchFn: guard.fetch,
  });
  return { authorizationServer, metadata, resourceMetadata };
}
