import {
  type AuthProvider,
  extractWWWAuthenticateParams,
  type FetchLike,
  refreshAuthorization,
} from "@modelcontextprotocol/client";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { boundedFetch } from "../bounded_fetch.ts";
import { clientCredentials } from "./client_credentials.ts";
import { requestToken } from "./client_grant.ts";
import type { Challenge } from "./discover.ts";
import { isEnded, needsLogin, oauthReason } from "./oauth_error.ts";
import { loginCommand } from "./login_command.ts";
import { OriginGuard } from "./origin_guard.ts";
import type { RemoteConfig, TokenSetup } from "./remote_config.ts";
import { serverMetadata, tokenId, type TokenRecord, withTokens } from "./token_record.ts";
import { TokenStore } from "./token_store.ts";

/**
 * The tokens of one server, for its transport. A call only renews them: it uses what the store has
 * from a login, or the credentials of the configuration. It never opens a browser and reads no
 * metadata of another origin. Each token is a secret of the server from the moment it is read.
 */
export class ServerTokens implements AuthProvider {
  #store: TokenStore;
  #id: Promise<string>;
  /** The token that each rejected request had. */
  #sent = new WeakMap<Response, string | undefined>();
  #login: string;
  /** The renewal of a rejected token, while it goes on. */
  renewal: Promise<string> | undefined;

  /** Takes the server, and reads nothing yet. */
  constructor(readonly server: RemoteConfig, readonly setup: TokenSetup) {
    this.#store = new TokenStore(setup.stateDir, setup.grants);
    this.#id = tokenId(server);
    this.#login = loginCommand(server.name, setup);
  }

  /** Sends a request of the transport, and remembers the token that it had. */
  readonly fetch: FetchLike = async (url, init) => {
    const response = await boundedFetch(url, init);
    if (response.status === 401) {
      const sent = new Headers(init?.headers).get("authorization")?.replace(/^Bearer /i, "");
      this.#sent.set(response, sent);
    }
    return response;
  };

  /** The token for a request, renewed if it ends soon. Resolves to `undefined` before the first one. */
  async token(): Promise<string | undefined> {
    const record = await this.#read();
    const token = record?.secrets.accessToken;
    if (record === undefined || token === undefined) return undefined;
    if (Date.now() < (record.renewAt ?? Infinity)) return token;
    return await this.#renew({ spent: token });
  }

  /** Renews a token that the server has rejected. Throws `unavailable` if that needs a person. */
  async onUnauthorized({ response }: { response: Response }): Promise<void> {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    const renewal = this.renewal = this.#renew({
      spent: this.#sent.get(response),
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    });
    try {
      await renewal;
    } finally {
      if (this.renewal === renewal) this.renewal = undefined;
    }
  }

  /** Two calls at once renew once: the second one finds the token of the first. */
  async #renew(
    { spent, ...challenge }: { spent: string | undefined } & Challenge,
  ): Promise<string> {
    const { name, startMs } = this.server;
    const signal = AbortSignal.timeout(startMs);
    const id = await this.#id;
    using _lock = await this.#store.lock(id, signal).catch((error) => {
      if (!signal.aborted) throw error;
      throw this.#failure(`another call did not renew its token within ${startMs} ms`);
    });
    const record = await this.#read();
    const token = record?.secrets.accessToken;
    const hasEnded = (record?.expiresAt ?? Infinity) <= Date.now();
    if (token !== undefined && token !== spent && !hasEnded) return token;
    const isUnattended = this.server.place.oauth?.grant === "client_credentials";
    const next = isUnattended
      ? await this.#request(record, challenge, signal)
      : await this.#refresh(record, signal);
    await this.#store.write(id, next);
    this.#hide(next);
    const renewed = next.secrets.accessToken;
    if (renewed === undefined) throw needsLogin(name, "its login has ended", this.#login);
    return renewed;
  }

  /** Gets a token by the credentials of the configuration. */
  async #request(
    record: TokenRecord | undefined,
    challenge: Challenge,
    signal: AbortSignal,
  ): Promise<TokenRecord> {
    try {
      return await requestToken(this.server, { ...this.setup, record, challenge, signal });
    } catch (error) {
      if (error instanceof CallError) throw error;
      const why = oauthReason(error, this.server.secrets);
      throw this.#failure(`no token could be got by its "oauth" configuration: ${why}`);
    }
  }

  /** Exchanges the refresh token at the endpoint of the login. */
  async #refresh(record: TokenRecord | undefined, signal: AbortSignal): Promise<TokenRecord> {
    const { name, secrets, place } = this.server;
    const refreshToken = record?.secrets.refreshToken;
    if (record === undefined || refreshToken === undefined) {
      const why = record === undefined ? "it requires authentication" : "its login has ended";
      throw needsLogin(name, why, this.#login);
    }
    const guard = new OriginGuard({
      ...{ server: name, url: place.url, signal },
      named: [new URL(record.tokenEndpoint).origin],
      ask: () => Promise.reject(new Error("a call reaches no other origin")),
    });
    try {
      const { clientSecret, addClientAuthentication } = place.oauth === undefined
        ? {}
        : clientCredentials(place.oauth, { ...this.setup, secrets });
      const secret = clientSecret ?? record.secrets.clientSecret;
      const tokens = await refreshAuthorization(record.issuer, {
        metadata: serverMetadata(record),
        clientInformation: {
          client_id: record.clientId,
          ...(secret !== undefined && { client_secret: secret }),
          ...(record.authMethod !== undefined && {
            token_endpoint_auth_method: record.authMethod,
          }),
        },
        refreshToken,
        ...(record.resource !== undefined && { resource: record.resource }),
        ...(addClientAuthentication && { addClientAuthentication }),
        fetchFn: guard.fetch,
      });
      return withTokens(record, tokens);
    } catch (error) {
      if (error instanceof CallError) throw error;
      const why = oauthReason(error, secrets);
      if (!isEnded(error)) throw this.#failure(`its token could not be renewed: ${why}`);
      // The next calls need not ask again.
      const { accessToken: _, refreshToken: __, ...rest } = record.secrets;
      await this.#store.write(await this.#id, { ...record, secrets: rest });
      throw needsLogin(name, `its login has ended (${why})`, this.#login);
    }
  }

  async #read(): Promise<TokenRecord | undefined> {
    const record = await this.#store.read(await this.#id, this.#login);
    if (record !== undefined) this.#hide(record);
    return record;
  }

  #hide({ secrets }: TokenRecord): void {
    for (const secret of Object.values(secrets)) {
      if (!this.server.secrets.includes(secret)) this.server.secrets.push(secret);
    }
  }

  #failure(why: string): CallError {
    const { name } = this.server;
    const message = `Cannot use the MCP server ${quote(name)}: ${why}`;
    return new CallError("unavailable", message, { server: name });
  }
}
