/** OAuth for clients of MCP servers, with a real authorization server. */
// tier: machine
import { expect } from "@std/expect";
import { isMissing } from "../../support/packages.ts";
import { attempts } from "../../support/attempts.ts";
import {
  authServers,
  browse,
  filesBelow,
  logIn,
  oauthWorld,
  startLogin,
} from "../../support/mcp/oauth_world.ts";

const ignore = await isMissing("oidc-provider");

Deno.test({
  name: "mcp oauth > a login stores tokens that later calls use and no tool can read",
  ignore,
  async fn() {
    await using servers = await authServers();
    using place = oauthWorld(servers);
    const before = await place.call("mcp__it__echo");
    expect(before.exit).toBe(8);
    expect(before.text).toContain("run toolcall mcp login it");
    const login = await logIn(place, servers);
    expect(login.code).toBe(0);
    expect(login.stdout).toContain('Logged in to "it"');
    expect(login.page).toContain("Logged in");
    const result = await place.call("mcp__it__echo", { text: "a" });
    expect([result.exit, result.text]).toEqual([0, "echo: a"]);
    expect(await servers.counts()).toMatchObject({ authorization_code: 1, calls: 1 });

    const files = filesBelow(`${place.path}/state/oauth`);
    expect(files.map(({ mode }) => mode & 0o777)).toEqual(files.map(() => 0o600));
    expect(Deno.statSync(`${place.path}/state/oauth`).mode! & 0o777).toBe(0o700);
    const record = files.find(({ path }) => path.endsWith(".json"))!;
    const { secrets: { accessToken, refreshToken } } = JSON.parse(record.text);
    for (const flags of [["--allow-read"], ["--allow-read", "--allow-run"]]) {
      const read = await place.call("Read", { file_path: record.path }, flags);
      expect(read.exit).toBe(6);
      expect(read.text).toContain("no call reads the tokens of MCP servers");
      const grep = { pattern: "accessToken", path: place.path, output_mode: "content" };
      expect(JSON.stringify(await place.call("Grep", grep, flags))).not.toContain(accessToken);
    }
    const cat = { command: `cat ${record.path}` };
    const shell = await place.call("Bash", cat, ["--allow-read", "--allow-run"]);
    expect(JSON.stringify(shell)).not.toContain(accessToken);

    const status = await place.run(["mcp", "status", "--format=json"]);
    const { issuer } = servers;
    const row = { server: "it", state: "logged in", issuer, renews: true };
    expect(JSON.parse(status.stdout)[0]).toMatchObject(row);
    const failed = await place.call("mcp__it__fail", {}, ["--allow-mcp", "--audit=calls.log"]);
    expect(failed.exit).not.toBe(0);
    const log = Deno.readTextFileSync(`${place.path}/calls.log`);
    const shown = [login, before, result, status, failed, log].map((each) => JSON.stringify(each));
    for (const token of [accessToken, refreshToken]) expect(shown.join()).not.toContain(token);

    const logout = await place.run(["mcp", "logout", "it"]);
    expect([logout.code, logout.stderr]).toEqual([0, ""]);
    expect(filesBelow(place.path).filter(({ text }) => text.includes(accessToken))).toEqual([]);
    expect((await place.call("mcp__it__echo")).exit).toBe(8);
  },
});

Deno.test({
  name: "mcp oauth > an authorization server of another origin is used only if the user names it",
  ignore,
  async fn() {
    await using servers = await authServers();
    using place = oauthWorld(servers);
    const refused = await startLogin(place, []);
    if ("address" in refused) throw new Error("The login goes on");
    expect(refused.code).toBe(8);
    expect(refused.stderr).toContain(`add --auth-server=${servers.issuer}`);
    expect(await servers.counts()).not.toHaveProperty("metadata");
  },
});

Deno.test({
  name: "mcp oauth > a user without a browser can paste the address of the last page",
  ignore,
  async fn() {
    await using servers = await authServers();
    using place = oauthWorld(servers);
    const flags = ["--auth-server"];
    const login = await startLogin(place, flags);
    if (!("address" in login)) throw new Error(login.stderr);
    await login.paste((await browse(login.address)).href);
    const { code, stdout } = await login.end();
    expect([code, stdout.split("\n")[0]]).toEqual([
      0,
      `Logged in to "it" (${servers.resource}).`,
    ]);
    const other = await startLogin(place, flags);
    if (!("address" in other)) throw new Error(other.stderr);
    await other.paste((await browse(login.address)).href);
    const wrong = await other.end();
    expect(wrong.code).toBe(8);
    expect(wrong.stderr).toContain("its state does not belong to this login");
  },
});

Deno.test({
  name: "mcp oauth > the callback accepts only the answer of its own login, also a denial",
  ignore,
  async fn() {
    await using servers = await authServers();
    using place = oauthWorld(servers);
    const login = await startLogin(place, [`--auth-server=${servers.issuer}`]);
    if (!("address" in login)) throw new Error(login.stderr);
    const callback = login.address.searchParams.get("redirect_uri")!;
    const state = login.address.searchParams.get("state")!;
    const answers: [query: string, status: number][] = [
      ["code=stolen&state=guessed", 400],
      ["code=stolen", 400],
      [`state=${state}`, 400],
      [`state=${state}&error=access_denied&error_description=Not%20today%1b`, 200],
    ];
    for (const [query, status] of answers) {
      const response = await fetch(`${callback}?${query}`);
      await response.body?.cancel();
      expect([query, response.status]).toEqual([query, status]);
    }
    const { code, stderr } = await login.end();
    expect(code).toBe(8);
    expect(stderr).toContain("access_denied: Not today");
    expect(stderr).not.toContain("\x1b");
    expect(await servers.counts()).not.toHaveProperty("authorization_code");
  },
});

Deno.test({
  name: "mcp oauth > calls at the same time refresh an expired token once",
  ignore,
  async fn() {
    // On a busy machine, the calls may take minutes. The new token must not expire meanwhile.
    await using servers = await authServers({ lifetime: 3_600 });
    using place = oauthWorld(servers);
    await logIn(place, servers);
    // The record says that the token has expired. The server still accepts it.
    const [record] = filesBelow(`${place.path}/state/oauth`).filter(({ path }) =>
      path.endsWith(".json")
    );
    const ended = { ...JSON.parse(record!.text), expiresAt: 1, renewAt: 1 };
    Deno.writeTextFileSync(record!.path, JSON.stringify(ended));
    const all = await Promise.all(
      Array.from({ length: attempts(50) }, () => place.call("mcp__it__echo", { text: "b" })),
    );
    expect(all.map(({ text }) => text)).toEqual(all.map(() => "echo: b"));
    expect(await servers.counts()).toMatchObject({ refresh_token: 1 });
  },
});

Deno.test({
  name:
    "mcp oauth > a revoked token is refreshed once, and a revoked login is an error that names the command",
  ignore,
  async fn() {
    await using servers = await authServers();
    using place = oauthWorld(servers);
    await logIn(place, servers);
    await servers.revoke();
    const all = await Promise.all(
      Array.from({ length: attempts(50) }, () => place.call("mcp__it__echo", { text: "c" })),
    );
    expect(all.map(({ text }) => text)).toEqual(all.map(() => "echo: c"));
    expect(await servers.counts()).toMatchObject({ refresh_token: 1 });
    await servers.revoke("grants");
    const results = [await place.call("mcp__it__echo"), await place.call("mcp__it__echo")];
    for (const { exit, text } of results) {
      expect(exit).toBe(8);
      expect(text).toContain("run toolcall mcp login it");
    }
    // The second call fails without a request.
    const failures = Object.entries(await servers.counts()).filter(([name]) =>
      name.startsWith("failed")
    );
    expect(failures).toEqual([["failed: invalid_grant", 1]]);
  },
});

Deno.test({
  name:
    "mcp oauth > a callback port in use is an error, and a secret in the configuration is reported",
  ignore,
  async fn() {
    await using servers = await authServers();
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const oauth = { grant: "authorization_code", clientId: "basic", clientSecret: SECRET };
    using place = oauthWorld(servers, { ...oauth, callbackPort: listener.addr.port });
    const login = await startLogin(place, ["--auth-server"]);
    if ("address" in login) throw new Error("The login goes on");
    expect(login.code).toBe(8);
    expect(login.stderr).toContain(`Cannot wait for the login on port ${listener.addr.port}`);
    const check = await place.run(["config", "check"]);
    expect(check.code).toBe(0);
    expect(check.stdout + check.stderr).toContain("is a secret in plain text");
    expect(check.stdout + check.stderr).not.toContain(SECRET);
  },
});

/** Makes a private key as PEM, and its public key as JWK. */
async function keyPair(alg: "ES256" | "RS256") {
  const algorithm = alg === "ES256" ? { name: "ECDSA", namedCurve: "P-256" } : {
    ...{ name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, hash: "SHA-256" },
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const usages: KeyUsage[] = ["sign", "verify"];
  const pair = await crypto.subtle.generateKey(algorithm, true, usages) as CryptoKeyPair;
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  const pem = `-----BEGIN PRIVATE KEY-----\n${der.toBase64()}\n-----END PRIVATE KEY-----\n`;
  const { key_ops: _, ext: __, ...jwk } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { pem, jwk: { ...jwk, alg, use: "sig" } };
}

const SECRET = "the-secret-of-the-client";

Deno.test({
  name: "mcp oauth > a client with a secret or a private key needs no login",
  ignore,
  async fn() {
    const [ec, rsa] = [await keyPair("ES256"), await keyPair("RS256")];
    const client = (id: string, method: string, more: object) => ({
      ...{ client_id: id, token_endpoint_auth_method: method, redirect_uris: [] },
      ...{ grant_types: ["client_credentials"], response_types: [], scope: "mcp write" },
      ...more,
    });
    await using servers = await authServers({
      clients: [
        client("basic", "client_secret_basic", { client_secret: SECRET }),
        client("ec", "private_key_jwt", { jwks: { keys: [ec.jwk] } }),
        client("rsa", "private_key_jwt", {
          ...{ jwks: { keys: [rsa.jwk] }, token_endpoint_auth_signing_alg: "RS256" },
        }),
      ],
    });
    const { issuer } = servers;
    const entries: [name: string, oauth: Record<string, unknown>][] = [
      ["a variable", { clientId: "basic", clientSecret: "${CLIENT_SECRET}", issuer }],
      ["a file", { clientId: "basic", clientSecretFile: "secret.txt", issuer }],
      ["an EC key", { clientId: "ec", privateKeyFile: "ec.pem", issuer }],
      ["an RSA key", { clientId: "rsa", privateKey: "${PEM}", issuer }],
    ];
    for (const [count, [name, oauth]] of entries.entries()) {
      using place = oauthWorld(servers, oauth, { CLIENT_SECRET: SECRET, PEM: rsa.pem });
      Deno.writeTextFileSync(`${place.path}/secret.txt`, `${SECRET}\n`);
      Deno.writeTextFileSync(`${place.path}/ec.pem`, ec.pem);
      for (const text of ["d", "e"]) {
        const result = await place.call("mcp__it__echo", { text });
        expect([name, result.text]).toEqual([name, `echo: ${text}`]);
      }
      // The second call uses the token of the first one.
      expect(await servers.counts()).toMatchObject({ client_credentials: count + 1 });
      expect(place.kept()).not.toContain(SECRET);
      const login = await place.run(["mcp", "login", "it"]);
      expect(login.code).toBe(2);
      expect(login.stderr).toContain("needs no login");
      const check = await place.run(["config", "check"]);
      expect([name, check.code]).toEqual([name, 0]);
    }
  },
});

Deno.test({
  name: "mcp oauth > a metadata document that names another host is not followed",
  ignore,
  async fn() {
    let asked = 0;
    const evil = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
      asked++;
      return Response.json({});
    });
    const elsewhere = `http://127.0.0.1:${evil.addr.port}`;
    const metadataService = "https://169.254.169.254";
    const rows: [name: string, options: Record<string, unknown>, says: string][] = [
      [
        "the authorization server",
        { resourceMetadata: { authorization_servers: [elsewhere] } },
        elsewhere,
      ],
      [
        "the token endpoint",
        { serverMetadata: { token_endpoint: `${elsewhere}/token` } },
        elsewhere,
      ],
      [
        "the authorization endpoint",
        { serverMetadata: { authorization_endpoint: `${elsewhere}/auth` } },
        elsewhere,
      ],
      [
        "a cloud's metadata service",
        { resourceMetadata: { authorization_servers: [metadataService] } },
        "169.254.169.254",
      ],
    ];
    for (const [name, options, says] of rows) {
      await using servers = await authServers(options);
      const { issuer } = servers;
      using place = oauthWorld(servers);
      const login = await startLogin(place, [`--auth-server=${issuer}`]);
      if ("address" in login) throw new Error(`${name}: the login goes on`);
      expect([name, login.code]).toEqual([name, 8]);
      expect(login.stderr).toContain(says);
      if (says === "169.254.169.254") {
        const any = await startLogin(place, ["--auth-server"]);
        if ("address" in any) throw new Error(`${name}: the login goes on`);
        expect(any.stderr).toContain("the metadata address of a cloud machine");
      }
      const oauth = { clientId: "basic", clientSecret: "${CLIENT_SECRET}" };
      const named = name === "the token endpoint" ? { ...oauth, issuer } : oauth;
      using unattended = oauthWorld(servers, named, { CLIENT_SECRET: SECRET });
      const result = await unattended.call("mcp__it__echo");
      expect([name, result.exit]).toEqual([name, 8]);
      expect(JSON.stringify(result)).not.toContain(SECRET);
    }
    expect(asked).toBe(0);
    await evil.shutdown();
  },
});

Deno.test({
  name: "mcp oauth > the address of a client metadata document is the client's identifier",
  ignore,
  async fn() {
    const clientMetadataUrl = "https://client.example/toolcall.json";
    await using servers = await authServers({
      registers: false,
      clientDocument: clientMetadataUrl,
      serverMetadata: { client_id_metadata_document_supported: true },
    });
    using without = oauthWorld(servers);
    const refused = await startLogin(without, ["--auth-server"]);
    if ("address" in refused) throw new Error("The login goes on");
    expect(refused.stderr).toContain('"clientMetadataUrl" under "oauth"');
    using place = oauthWorld(servers, { clientMetadataUrl });
    const login = await logIn(place, servers);
    expect(login.code).toBe(0);
    expect((await place.call("mcp__it__echo", { text: "f" })).text).toBe("echo: f");
  },
});

Deno.test({
  name: "mcp oauth > a call that needs another scope is an error that names the login command",
  ignore,
  async fn() {
    await using servers = await authServers({ writeScope: "write" });
    using place = oauthWorld(servers);
    await logIn(place, servers);
    const refused = await place.call("mcp__it__write");
    expect(refused.exit).toBe(8);
    expect(refused.text).toContain("run toolcall mcp login it --scope=write");
    await logIn(place, servers, ["--scope=mcp write"]);
    expect((await place.call("mcp__it__write", { text: "g" })).text).toBe("echo: g");
  },
});
