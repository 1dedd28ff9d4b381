import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { ClientCredentials } from "./client_credentials.ts";
import type { OAuthConfig } from "./oauth_config.ts";
import type { OriginGuard } from "./origin_guard.ts";

/** The parts of one login that the SDK asks for. */
interface LoginOptions {
  /** The key `oauth` of the server. */
  oauth: OAuthConfig | undefined;
  /** The credentials of a client that is registered already. */
  credentials: ClientCredentials;
  /** The metadata of the authorization server. */
  discovery: OAuthDiscoveryState;
  /** Decides about the address that the browser is sent to. */
  guard: OriginGuard;
  /** The address of the callback. */
  redirectUri: string;
  /** The value that the callback must repeat. */
  state: string;
}

/** One login by a browser, as the SDK sees it. It keeps everything in memory. */
export class LoginProvider implements OAuthClientProvider {
  /** The identifier of a client with a metadata document. */
  readonly clientMetadataUrl?: string;
  /** Signs the client's assertions. */
  readonly addClientAuthentication?: NonNullable<OAuthClientProvider["addClientAuthentication"]>;
  /** The address that the browser is to open, after the first step. */
  authorizationUrl: URL | undefined;
  /** The client, after the first step. */
  client: StoredOAuthClientInformation | undefined;
  /** The tokens, after the last step. */
  received: StoredOAuthTokens | undefined;
  #verifier = "";
  #discovery: OAuthDiscoveryState;

  /** Takes the parts of the login. */
  constructor(readonly options: LoginOptions) {
    const { oauth, credentials: { addClientAuthentication }, discovery } = options;
    if (oauth?.clientMetadataUrl !== undefined) this.clientMetadataUrl = oauth.clientMetadataUrl;
    if (addClientAuthentication) this.addClientAuthentication = addClientAuthentication;
    this.#discovery = discovery;
  }

  /** The address of the callback. */
  get redirectUrl(): string {
    return this.options.redirectUri;
  }

  /** How the client registers itself, if it has to. */
  get clientMetadata(): OAuthClientMetadata {
    const methods = this.#discovery.authorizationServerMetadata
      ?.token_endpoint_auth_methods_supported ?? ["none"];
    const method = ["none", "client_secret_basic", "client_secret_post"]
      .find((each) => methods.includes(each));
    return {
      client_name: "toolcall",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...(method !== undefined && { token_endpoint_auth_method: method }),
    };
  }

  /** The value that the callback must repeat. */
  state(): string {
    return this.options.state;
  }

  /** The client: the configured one, or the one that has registered itself. */
  clientInformation(
    context?: OAuthClientInformationContext,
  ): StoredOAuthClientInformation | undefined {
    const { oauth, credentials: { clientSecret } } = this.options;
    if (oauth?.clientId === undefined) return this.client;
    return this.client = {
      client_id: oauth.clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(context && { issuer: context.issuer }),
    };
  }

  /** Keeps the client that has registered itself. */
  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.client = client;
  }

  /** A login starts without tokens. */
  tokens(): undefined {
    return undefined;
  }

  /** Keeps the tokens. */
  saveTokens(tokens: StoredOAuthTokens): void {
    this.received = tokens;
  }

  /** Keeps the address for the browser. Throws if the guard refuses it. */
  async redirectToAuthorization(url: URL): Promise<void> {
    await this.options.guard.admit(url);
    this.authorizationUrl = url;
  }

  /** Keeps the verifier (RFC 7636). */
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  /** The verifier (RFC 7636). */
  codeVerifier(): string {
    return this.#verifier;
  }

  /** The metadata of the authorization server. Both steps use the same. */
  discoveryState(): OAuthDiscoveryState {
    return this.#discovery;
  }

  /** Keeps other metadata. */
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }
}
