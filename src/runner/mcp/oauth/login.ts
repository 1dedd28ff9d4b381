import { auth, extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { Callback } from "./callback.ts";
import { clientCredentials } from "./client_credentials.ts";
import { type Challenge, discover, type Discovery } from "./discover.ts";
import { LoginProvider } from "./login_provider.ts";
import { isSecure } from "./oauth_config.ts";
import { oauthReason } from "./oauth_error.ts";
import type { OriginGuard } from "./origin_guard.ts";
import { type RemoteConfig, shownUrl, type TokenSetup } from "./remote_config.ts";
import { type TokenRecord, withTokens } from "./token_record.ts";

/** How a person takes part in a login. */
export interface LoginOptions {
  /** The call's options that concern tokens. */
  setup: TokenSetup;
  /** Decides which origins are reached. */
  guard: OriginGuard;
  /** Gets the answer of the browser. */
  callback: Callback;
  /** The scopes to ask for, instead of those of the configuration or the server. */
  scope?: string | undefined;
  /** Shows the address to the user, and resolves to the parameters of the answer. */
  present(url: URL): Promise<URLSearchParams>;
}

/**
 * Logs in to a server by a browser: authorization code with PKCE, for a client that is configured,
 * has a metadata document or registers itself. Throws `unavailable` with the reason.
 */
export async function login(server: RemoteConfig, options: LoginOptions): Promise<TokenRecord> {
  const { name, secrets, place: { url } } = server;
  if (!isSecure(new URL(url))) {
    throw failure(name, "tokens are sent only to an address that starts with https://");
  }
  try {
    return await runLogin(server, options);
  } catch (error) {
    if (error instanceof CallError) throw error;
    throw failure(name, oauthReason(error, secrets));
  }
}

async function runLogin(
  server: RemoteConfig,
  { setup, guard, callback, scope, present }: LoginOptions,
): Promise<TokenRecord> {
  const { name, secrets, place: { url, oauth } } = server;
  const challenge = await challengeOf(server, guard);
  const discovery = await discover(url, { guard, challenge, issuer: oauth?.issuer });
  const { authorizationServer, metadata, resourceMetadata } = discovery;
  refuseUnregistered(server, discovery);
  // The user decides about every origin before the browser opens.
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata ?? {};
  for (const each of [authorization_endpoint, token_endpoint, registration_endpoint]) {
    if (each !== undefined) await guard.admit(new URL(each));
  }
  const credentials = oauth === undefined ? {} : clientCredentials(oauth, { ...setup, secrets });
  const provider = new LoginProvider({
    ...{ oauth, credentials, guard, state: callback.state, redirectUri: callback.redirectUri },
    discovery: {
      authorizationServerUrl: authorizationServer,
      ...(metadata && { authorizationServerMetadata: metadata }),
      ...(resourceMetadata && { resourceMetadata }),
    },
  });
  const wanted = scope ?? oauth?.scope ?? challenge.scope;
  const step = {
    serverUrl: url,
    ...(wanted !== undefined && { scope: wanted }),
    fetchFn: guard.fetch,
  };
  await auth(provider, step);
  const answer = await present(provider.authorizationUrl!);
  const code = answer.get("code");
  if (code === null) throw failure(name, refusalOf(answer));
  secrets.push(code, provider.codeVerifier());
  const iss = answer.get("iss");
  await auth(provider, { ...step, authorizationCode: code, ...(iss !== null && { iss }) });
  const { client, received } = provider;
  const method = client !== undefined && "token_endpoint_auth_method" in client
    ? client.token_endpoint_auth_method
    : undefined;
  const { clientSecret } = credentials;
  const { revocation_endpoint: revocation } = (metadata ?? {}) as Record<string, unknown>;
  return withTokens({
    ...{ server: name, url: shownUrl(url), grant: "authorization_code" },
    issuer: metadata?.issuer ?? authorizationServer,
    tokenEndpoint: metadata?.token_endpoint ?? new URL("/token", authorizationServer).href,
    ...(typeof revocation === "string" && { revocationEndpoint: revocation }),
    authMethods: metadata?.token_endpoint_auth_methods_supported ?? [],
    ...(resourceMetadata && { resource: resourceMetadata.resource }),
    ...(wanted !== undefined && { scope: wanted }),
    clientId: client!.client_id,
    ...(typeof method === "string" && { authMethod: method }),
    secrets: client?.client_secret === undefined || clientSecret !== undefined
      ? {}
      : { clientSecret: client.client_secret },
  }, received!);
}

/** Asks the server without a token, to learn where its metadata are and which scopes it requires. */
async function challengeOf(
  { place: { type, url, headers } }: RemoteConfig,
  guard: OriginGuard,
): Promise<Challenge> {
  const accept = "application/json, text/event-stream";
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const response = await guard.fetch(url, {
    headers: { ...headers, accept, "content-type": "application/json" },
    ...(type !== "sse" && { method: "POST", body }),
  });
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
  };
}

/** Throws if there is neither a client nor a way to register one. */
function refuseUnregistered(
  { name, place: { oauth } }: RemoteConfig,
  { authorizationServer, metadata, resourceMetadata }: Discovery,
): void {
  if (metadata === undefined && resourceMetadata === undefined) {
    throw failure(name, "the server has no metadata for OAuth; it may need no login");
  }
  if (oauth?.clientId !== undefined || metadata?.registration_endpoint !== undefined) return;
  if (metadata === undefined) return;
  const takesDocuments = metadata.client_id_metadata_document_supported === true;
  if (takesDocuments && oauth?.clientMetadataUrl !== undefined) return;
  const { origin } = new URL(authorizationServer);
  const other = takesDocuments ? ' or "clientMetadataUrl"' : "";
  const advice = `register toolcall there, and set "clientId"${other} under "oauth"`;
  throw failure(name, `clients cannot register themselves at ${origin}; ${advice}`);
}

/** The reason in an answer without a code. */
function refusalOf(answer: URLSearchParams): string {
  const description = answer.get("error_description");
  const words = [answer.get("error") ?? "", ...(description === null ? [] : [description])];
  return `the authorization server refused: ${escapeControls(words.join(": ")).slice(0, 500)}`;
}

function failure(name: string, why: string): CallError {
  const message = `Cannot log in to the MCP server ${quote(name)}: ${why}`;
  return new CallError("unavailable", message, { server: name });
}
