/**
 * A real authorization server (`oidc-provider`), and an MCP server that accepts its tokens. Both are
 * on addresses of this machine, each with its own origin. The first argument is the specifier of the
 * package, and the second argument the options as JSON. The first line on stdout has the addresses.
 * The program runs without the configuration of the project, so it imports nothing of the project.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Options {
  /** The lifetime of access tokens, in seconds. */
  lifetime?: number;
  /** Clients that are registered from the start. */
  clients?: Record<string, unknown>[];
  /** Parts of the metadata of the MCP server, instead of its own. */
  resourceMetadata?: Record<string, unknown>;
  /** Parts of the metadata of the authorization server, instead of its own. */
  serverMetadata?: Record<string, unknown>;
  /** The address of a client's metadata document. */
  clientDocument?: string;
  /** Whether clients may register themselves. */
  registers?: boolean;
  /** The scope that the tool `write` needs. */
  writeScope?: string;
}

const [specifier = "", json = "{}"] = Deno.args;
const options: Options = JSON.parse(json);
const { default: Provider } = await import(specifier);

/** The number of each event: token requests by their grant, and other events by their names. */
const counts: Record<string, number> = {};
const count = (what: string) => counts[what] = (counts[what] ?? 0) + 1;

/** Ignores that a client has disconnected before its answer. */
const ignoreGone = () => {};

const authServer = createServer((request, response) =>
  void respond(request, response).catch(ignoreGone)
);
const resourceServer = createServer((request, response) =>
  void serveMcp(request, response).catch(ignoreGone)
);
const issuer = await listen(authServer);
const resource = `${await listen(resourceServer)}/mcp`;

/** The version of the draft, which the package requires. */
const ACK = "draft-02";

/** The document that a user of toolcall would publish. */
const clientDocument = {
  client_id: options.clientDocument,
  client_name: "toolcall",
  application_type: "native",
  redirect_uris: ["http://127.0.0.1/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  scope: "mcp write offline_access",
};

const provider = new Provider(issuer, {
  fetch: (url: string | URL, init: RequestInit) =>
    String(url) === options.clientDocument ? Response.json(clientDocument) : fetch(url, init),
  clients: options.clients ?? [],
  // A public client on a loopback address may use any port (RFC 8252).
  clientDefaults: { application_type: "native" },
  cookies: { keys: ["a", "b"] },
  claims: { openid: ["sub"] },
  scopes: ["openid", "offline_access", "mcp", "write"],
  findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  ttl: { AccessToken: options.lifetime ?? 3600, ClientCredentials: options.lifetime ?? 3600 },
  rotateRefreshToken: true,
  issueRefreshToken: () => true,
  interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
  enabledJWA: { clientAuthSigningAlgValues: ["ES256", "RS256"] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: { enabled: true },
    clientIdMetadataDocument: { enabled: options.clientDocument !== undefined, ack: ACK },
    registration: { enabled: options.registers ?? true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope: "mcp write", audience: resource }),
    },
  },
});
provider.proxy = true;
const handle = provider.callback();

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", issuer);
  if (url.pathname === "/counts") return send(response, counts);
  if (url.pathname === "/revoke") {
    const ids = [...issued.splice(0)];
    for (const token of ids) await (await provider.AccessToken.find(token))?.destroy();
    if (url.searchParams.has("grants")) {
      for (const grant of grants.splice(0)) {
        await provider.RefreshToken.revokeByGrantId(grant);
        await (await provider.Grant.find(grant))?.destroy();
      }
    }
    return send(response, { ids: ids.length });
  }
  if (url.pathname.startsWith("/interaction/")) return await finish(request, response);
  if (url.pathname.startsWith("/.well-known/")) {
    count("metadata");
    if (options.serverMetadata !== undefined) {
      return send(response, { ...metadata(), ...options.serverMetadata });
    }
    if (url.pathname.includes("oauth-authorization-server")) return send(response, metadata());
  }
  handle(request, response);
}

function metadata(): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/token/revocation`,
    ...((options.registers ?? true) && { registration_endpoint: `${issuer}/reg` }),
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
    code_challenge_methods_supported: ["S256"],
    scopes_supported: ["mcp", "write", "offline_access"],
    token_endpoint_auth_methods_supported: [
      ...["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
    ],
    authorization_response_iss_parameter_supported: true,
  };
}

const grants: string[] = [];
const issued: string[] = [];
provider.on(
  "grant.success",
  (
    context: {
      oidc: {
        params: { grant_type: string };
        entities: Record<string, { jti?: string; grantId?: string }>;
      };
      body: { access_token: string };
    },
  ) => {
    const { oidc: { params, entities }, body } = context;
    count(params.grant_type);
    issued.push(body.access_token);
    const grant = Object.values(entities).find((each) => each?.grantId !== undefined)?.grantId;
    if (grant !== undefined) grants.push(grant);
  },
);
provider.on("grant.error", (_: unknown, error: Error) => count(`failed: ${error.message}`));

/** The user agrees to everything at once. */
async function finish(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId: "user", clientId: params.client_id });
  grant.addOIDCScope("openid offline_access mcp write");
  grant.addResourceScope(resource, "mcp write");
  const result = { login: { accountId: "user" }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

async function serveMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", resource);
  if (url.pathname.startsWith("/.well-known/oauth-protected-resource")) {
    const own = { resource, authorization_servers: [issuer], scopes_supported: ["mcp"] };
    return send(response, { ...own, ...options.resourceMetadata });
  }
  if (url.pathname !== "/mcp" || request.method !== "POST") return send(response, {}, 405);
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  const found = token === undefined
    ? undefined
    : await provider.AccessToken.find(token) ?? await provider.ClientCredentials.find(token);
  const metadataUrl = new URL("/.well-known/oauth-protected-resource/mcp", resource).href;
  if (found === undefined || found.isExpired) {
    count("rejected");
    const challenge = `Bearer resource_metadata="${metadataUrl}", scope="mcp"`;
    response.setHeader("www-authenticate", challenge);
    // A server must not repeat a token, but some do.
    return send(response, { error: `No right: ${token}` }, 401);
  }
  let text = "";
  for await (const part of request) text += part;
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return send(response, {}, 202);
  if (method === "tools/call" && params.name === "write" && options.writeScope !== undefined) {
    if (!String(found.scope ?? "").split(" ").includes(options.writeScope)) {
      const challenge = `Bearer error="insufficient_scope", scope="${options.writeScope}"`;
      response.setHeader("www-authenticate", challenge);
      return send(response, {}, 403);
    }
  }
  if (params?.name === "fail") return send(response, { error: `Failed with ${token}` }, 500);
  const result = answer(method, params);
  const outcome = result ?? { error: { code: -32601, message: "Method not found" } };
  send(response, { jsonrpc: "2.0", id, ...(result ? { result } : outcome) });
}

function answer(
  method: string,
  params: { name: string; arguments: Record<string, unknown> },
): unknown {
  if (method === "initialize") {
    const serverInfo = { name: "oauth", version: "1" };
    return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
  }
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  if (method === "tools/list") {
    const tools = ["echo", "write", "fail"].map((name) => ({
      ...{ name, description: `Does ${name}.`, inputSchema },
    }));
    return { tools };
  }
  if (method !== "tools/call") return undefined;
  count("calls");
  return { content: [{ type: "text", text: `echo: ${params.arguments["text"] ?? ""}` }] };
}

function send(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const addresses = JSON.stringify({ issuer, resource });
Deno.stdout.writeSync(new TextEncoder().encode(`${addresses}\n`));
