import {
  ClientCredentialsProvider,
  fetchToken,
  type OAuthClientProvider,
  resourceUrlFromServerUrl,
  selectResourceURL,
} from "@modelcontextprotocol/client";
import { clientCredentials } from "./client_credentials.ts";
import { type Challenge, discover } from "./discover.ts";
import { OriginGuard, refusal } from "./origin_guard.ts";
import { type RemoteConfig, shownUrl, type TokenSetup } from "./remote_config.ts";
import { serverMetadata, type TokenInfo, type TokenRecord, withTokens } from "./token_record.ts";

/** The endpoint that gives tokens, and what it gives them for. */
type Endpoint = Pick<
  TokenInfo,
  "issuer" | "tokenEndpoint" | "authMethods" | "resource" | "scope" | "revocationEndpoint"
>;

/**
 * Gets a token with the credentials of the configuration (grant `client_credentials`). They go only
 * to the server's own origin, or to the `issuer` and `tokenEndpoint` of the configuration. Throws
 * `unavailable` if metadata name another origin, and the SDK's errors.
 */
export async function requestToken(
  server: RemoteConfig,
  { record, challenge, signal, ...setup }: TokenSetup & {
    record: TokenRecord | undefined;
    challenge: Challenge;
    signal: AbortSignal;
  },
): Promise<TokenRecord> {
  const { name, place: { url, oauth }, secrets } = server;
  const { clientId, issuer, tokenEndpoint } = oauth!;
  const named = [issuer, tokenEndpoint].filter((each) => each !== undefined);
  const guard = new OriginGuard({
    ...{ server: name, url, signal },
    named: named.map((each) => new URL(each).origin),
    ask: (origin) => {
      const why = 'a call goes to no other origin; if that one is right, set it as "issuer" or ' +
        '"tokenEndpoint" under "oauth"';
      return Promise.reject(refusal(name, new URL(origin), why));
    },
  });
  const endpoint: Endpoint = record ?? await findEndpoint(server, { guard, challenge });
  const { clientSecret, addClientAuthentication } = clientCredentials(oauth!, {
    ...setup,
    secrets,
  });
  const provider: OAuthClientProvider = Object.assign(
    new ClientCredentialsProvider({
      clientId: clientId!,
      clientSecret: clientSecret ?? "",
      expectedIssuer: endpoint.issuer,
    }),
    addClientAuthentication && { addClientAuthentication },
  );
  const tokens = await fetchToken(provider, endpoint.issuer, {
    metadata: serverMetadata(endpoint),
    ...(endpoint.resource !== undefined && { resource: endpoint.resource }),
    ...(endpoint.scope !== undefined && { scope: endpoint.scope }),
    fetchFn: guard.fetch,
  });
  const info = { server: name, url: shownUrl(url), grant: oauth!.grant, clientId: clientId! };
  return withTokens({ ...endpoint, ...info, secrets: {} }, tokens);
}

/** Finds the token endpoint by the configuration, or by the metadata of the server. */
async function findEndpoint(
  { place: { url, oauth } }: RemoteConfig,
  { guard, challenge }: { guard: OriginGuard; challenge: Challenge },
): Promise<Endpoint> {
  const { issuer, tokenEndpoint, scope: configured } = oauth!;
  if (tokenEndpoint !== undefined) {
    const scope = configured ?? challenge.scope;
    return {
      issuer: issuer ?? new URL(tokenEndpoint).origin,
      tokenEndpoint,
      authMethods: [],
      resource: resourceUrlFromServerUrl(url).href,
      ...(scope !== undefined && { scope }),
    };
  }
  const { authorizationServer, metadata, resourceMetadata } = await discover(url, {
    ...{ guard, challenge, issuer },
  });
  const endpoint = new URL(metadata?.token_endpoint ?? new URL("/token", authorizationServer));
  await guard.admit(endpoint);
  const resource = await selectResourceURL(url, {} as OAuthClientProvider, resourceMetadata);
  const scope = configured ?? challenge.scope ?? resourceMetadata?.scopes_supported?.join(" ");
  const methods = metadata?.token_endpoint_auth_methods_supported;
  return {
    issuer: metadata?.issuer ?? authorizationServer,
    tokenEndpoint: endpoint.href,
    authMethods: methods ?? [],
    ...(resource && { resource: resourceMetadata!.resource }),
    ...(scope !== undefined && scope !== "" && { scope }),
  };
}
