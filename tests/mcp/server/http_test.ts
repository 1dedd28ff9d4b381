import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../../support/executable.ts";
import { endlessSleep, processesWith } from "../../support/processes.ts";
import { readIfThere, until } from "../../support/wait.ts";
import { initialize } from "../../support/mcp/peer.ts";
import { accept, answered, callOf, post, served, session } from "./http_client.ts";

const TOKEN = "correct horse battery staple";

/** The messages of a body of server-sent events, with their ids. */
function events(text: string): { id: string | undefined; data: string }[] {
  return text.split("\n\n").filter((block) => block.includes("data:")).map((block) => ({
    id: /^id: ?(.*)$/m.exec(block)?.[1],
    data: /^data: ?(.*)$/m.exec(block)![1]!,
  }));
}

/** Sends a request with header fields that `fetch` would not send, and returns the status. */
async function rawStatus(url: string, fields: string[]): Promise<number> {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify(initialize);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const head = [
    "POST /mcp HTTP/1.1",
    "Content-Type: application/json",
    `Accept: ${accept}`,
    `Content-Length: ${body.length}`,
    "Connection: close",
    ...fields,
  ];
  await connection.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n${body}`));
  const answer = await new Response(connection.readable).text();
  return Number(answer.split(" ")[1]);
}

Deno.test("mcp over http > N7 a request with another host or origin is refused", async (t) => {
  await using server = await served();
  const { host, port, origin: own } = new URL(server.url);
  const rows: [what: string, fields: string[], status: number][] = [
    ["its own host", [`Host: ${host}`], 200],
    ["localhost", [`Host: localhost:${host.split(":")[1]}`], 200],
    ["its own origin", [`Host: ${host}`, `Origin: http://${host}`], 200],
    ["another host", ["Host: evil.example"], 403],
    ["a host that begins with the server's host", ["Host: 127.0.0.1.evil.example"], 403],
    ["a user in the host", ["Host: 127.0.0.1@evil.example"], 403],
    ["no host", [], 403],
    ["an empty host", ["Host:"], 403],
    ["an invalid host", ["Host: ["], 400],
    ["another origin", [`Host: ${host}`, "Origin: https://evil.example"], 403],
    ["the origin null", [`Host: ${host}`, "Origin: null"], 403],
    ["its own origin with another port", [`Host: ${host}`, `Origin: ${own}0`], 403],
    ["its own origin without a port", [`Host: ${host}`, "Origin: http://127.0.0.1"], 403],
    [
      "its own origin with another scheme",
      [`Host: ${host}`, `Origin: ${own.replace("http", "https")}`],
      403,
    ],
    [
      "an origin at another port of localhost",
      [`Host: ${host}`, "Origin: http://localhost:6274"],
      403,
    ],
    ["localhost as its origin", [`Host: ${host}`, `Origin: http://localhost:${port}`], 200],
    ["an invalid origin", [`Host: ${host}`, "Origin: localhost"], 403],
    [
      "an origin that begins with an allowed origin",
      [`Host: ${host}`, "Origin: http://localhost.evil.example"],
      403,
    ],
  ];
  const counts = { tried: 0, answered: 0 };
  for (const [what, fields, status] of rows) {
    await t.step(what, async () => {
      const got = await rawStatus(server.url, fields);
      if (status >= 400) counts.tried++;
      if (status >= 400 && got < 400) counts.answered++;
      expect(got).toBe(status);
    });
  }
  expect(counts).toEqual({ tried: 14, answered: 0 });
});

Deno.test("mcp over http > N7 every request needs the complete token", async () => {
  await using server = await served(["--token-env=MY_TOKEN"], { MY_TOKEN: TOKEN });
  const { host } = new URL(server.url);
  const [missing, wrong] = ['Bearer realm="toolcall"', 'error="invalid_token"'];
  const rows: [authorization: string | undefined, status: number, says: string][] = [
    [`Bearer ${TOKEN}`, 200, ""],
    [`bearer ${TOKEN}`, 200, ""],
    [undefined, 401, missing],
    ["Bearer", 401, missing],
    ["Bearer ", 401, missing],
    [`Basic ${btoa(`user:${TOKEN}`)}`, 401, missing],
    [TOKEN, 401, missing],
    [`Bearer ${TOKEN.slice(0, -1)}`, 401, wrong],
    [`Bearer ${TOKEN}x`, 401, wrong],
    [`Bearer ${TOKEN.toUpperCase()}`, 401, wrong],
    [`Bearer ${"x".repeat(10_000)}`, 401, wrong],
  ];
  for (const [authorization, status, says] of rows) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    for (const method of ["POST", "GET", "DELETE", "PUT"]) {
      if (status === 200 && method !== "POST") continue;
      const response = method === "POST"
        ? await post(server.url, initialize, headers)
        : await fetch(server.url, { method, headers: { accept, ...headers } });
      const challenge = response.headers.get("www-authenticate") ?? "";
      expect([authorization, method, response.status]).toEqual([authorization, method, status]);
      expect(challenge).toContain(says);
      expect(challenge.includes("error=")).toBe(says === wrong);
      expect(challenge + await response.text()).not.toContain(TOKEN);
    }
  }
  // A request of a page of another origin is refused even with the right token.
  const fields = [`Host: ${host}`, `Authorization: Bearer ${TOKEN}`];
  expect(await rawStatus(server.url, [...fields, "Origin: https://evil.example"])).toBe(403);
  expect(await rawStatus(server.url, ["Host: evil.example", fields[1]!])).toBe(403);
});

/** Starts a server over HTTP, and returns its output on stderr until it listens. */
async function startText(flags: string[]): Promise<{ text: string } & AsyncDisposable> {
  const child = new Deno.Command(executable, {
    args: ["mcp", ...flags],
    ...{ stdin: "null", stdout: "piped", stderr: "piped" },
  }).spawn();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/http:\S+\s/.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The server ended: ${text}`);
    text += value;
  }
  return {
    text,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      const stdout = await new Response(child.stdout).text();
      await child.status;
      await reader.cancel();
      expect(stdout).toBe("");
    },
  };
}

Deno.test("mcp over http > the server makes a token of 256 bits and prints it once if --token-env is not given", async () => {
  using directory = temporaryDirectory();
  const log = `${directory.path}/audit.jsonl`;
  const tokens = new Set<string>();
  for (const address of ["127.0.0.1:0", "0.0.0.0:0"]) {
    const state = `--state-dir=${directory.path}/state`;
    await using server = await startText([`--http=${address}`, "-A", `--audit=${log}`, state]);
    const [token] = server.text.match(/\b[0-9a-f]{64}\b/)!;
    expect(server.text.split(token)).toHaveLength(2);
    tokens.add(token);
    const url = /http:\S+/.exec(server.text)![0].replace("0.0.0.0", "127.0.0.1");
    const without = await post(url, initialize);
    await without.body?.cancel();
    expect(without.status).toBe(401);
    const authorization = `Bearer ${token}`;
    const response = await post(url, initialize, { authorization });
    await response.text();
    expect(response.status).toBe(200);
    const headers = {
      authorization,
      "mcp-session-id": response.headers.get("mcp-session-id")!,
      "mcp-protocol-version": "2025-11-25",
    };
    const call = callOf("Bash", { command: "env; tr '\\0' '\\n' < /proc/$PPID/environ" });
    const said = await (await post(url, call, headers)).text();
    expect(said).toContain("PATH=");
    expect(said).not.toContain(token);
    expect(Deno.readTextFileSync(log)).not.toContain(token);
  }
  expect(tokens.size).toBe(2);
});

Deno.test("mcp over http > a page of an allowed origin can use the server, and other pages cannot", async (t) => {
  const allowed = "http://localhost:6274";
  await using server = await served([`--origin=${allowed}`, "--token-env=MY_TOKEN"], {
    MY_TOKEN: TOKEN,
  });
  const { origin: own, port } = new URL(server.url);
  const rows: [origin: string, isAllowed: boolean][] = [
    [allowed, true],
    [own, true],
    [`http://localhost:${port}`, true],
    ["http://localhost:6275", false],
    ["https://localhost:6274", false],
    ["http://localhost:6274.evil.example", false],
    ["https://evil.example", false],
    ["null", false],
  ];
  for (const [origin, isAllowed] of rows) {
    await t.step(origin, async () => {
      const asked = "authorization,content-type,mcp-protocol-version,mcp-session-id";
      const preflight = await fetch(server.url, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": asked,
        },
      });
      await preflight.body?.cancel();
      expect(preflight.status).toBe(isAllowed ? 204 : 403);
      const { headers } = preflight;
      expect(headers.get("access-control-allow-origin")).toBe(isAllowed ? origin : null);
      expect(headers.get("access-control-allow-headers")).toBe(isAllowed ? asked : null);
      expect(headers.get("access-control-allow-methods")?.includes("POST") ?? false)
        .toBe(isAllowed);
      // The page must be able to read the reason of a refusal, and the id of its session.
      const refused = await post(server.url, initialize, { origin });
      await refused.body?.cancel();
      expect(refused.status).toBe(isAllowed ? 401 : 403);
      expect(refused.headers.get("access-control-allow-origin")).toBe(isAllowed ? origin : null);
      const authorization = `Bearer ${TOKEN}`;
      const answer = await post(server.url, initialize, { origin, authorization });
      await answer.text();
      expect(answer.status).toBe(isAllowed ? 200 : 403);
      if (!isAllowed) return;
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("access-control-expose-headers")).toContain("mcp-session-id");
      expect(answer.headers.get("vary")).toContain("origin");
    });
  }
});

Deno.test("mcp over http > an address for other machines needs a token, and invalid flags are refused", async () => {
  await using server = await served();
  const rows: [flags: string[], says: string][] = [
    [["--http=0.0.0.0:0", "--no-token"], "leave --no-token out"],
    [["--http=[::]:0", "--no-token"], "leave --no-token out"],
    [["--http=0.0.0.0:0", "--token-env=NOT_SET"], '"NOT_SET" of --token-env is not set'],
    [["--http=127.0.0.1:0", "--token-env=HOME", "--no-token"], "exclude each other"],
    [["--http=127.0.0.1:0", "--origin=*"], "--origin=http://localhost:6274"],
    [["--http=127.0.0.1:0", "--origin=http://a.example/"], "Invalid origin"],
    [["--http=8123"], "HOST:PORT"],
    [["--http=127.0.0.1:99999"], "HOST:PORT"],
    [["--token-env=HOME"], "needs --http"],
    [["--no-token"], "needs --http"],
    [["--origin=http://localhost:1"], "needs --http"],
    [[`--http=${new URL(server.url).host}`], "address already in use"],
    [["--http=no-such-host.invalid:0", "--token-env=HOME"], "Cannot listen on"],
  ];
  for (const [flags, says] of rows) {
    const { code, stdout, stderr } = await new Deno.Command(executable, {
      args: ["mcp", ...flags],
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    expect([code, decoder.decode(stdout)]).toEqual([2, ""]);
    expect(decoder.decode(stderr)).toContain(says);
  }
});

Deno.test("mcp over http > an invalid request gets the status for its error", async () => {
  await using server = await served();
  const headers = await session(server.url);
  const rows: [what: string, response: Promise<Response>, status: number][] = [
    ["another path", fetch(new URL("/", server.url)), 404],
    [
      "an unknown session",
      post(server.url, callOf("x", {}), { "mcp-session-id": "x" }),
      404,
    ],
    ["no session", post(server.url, callOf("x", {})), 400],
    ["no JSON", post(server.url, "nonsense", headers), 400],
    ["another content type", post(server.url, "{}", { "content-type": "text/plain" }), 415],
    ["another method", fetch(server.url, { method: "PUT", headers }), 405],
    ["a body that is too large", post(server.url, " ".repeat(17 * 1024 * 1024), headers), 413],
  ];
  for (const [what, pending, status] of rows) {
    const response = await pending;
    await response.body?.cancel();
    expect([what, response.status]).toEqual([what, status]);
  }
});

Deno.test("mcp over http > an incomplete request counts as open until its client disconnects", async () => {
  await using server = await served();
  const { hostname, port, host } = new URL(server.url);
  const head = `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
    "Content-Length: 1000\r\n\r\n{";
  for (let round = 0; round < 2; round++) {
    const connections = await Promise.all(
      Array.from({ length: 128 }, () => Deno.connect({ hostname, port: Number(port) })),
    );
    for (const connection of connections) {
      await connection.write(new TextEncoder().encode(head));
    }
    expect(await answered(server.url, 503)).toBe(true);
    for (const connection of connections) connection.close();
    expect(await answered(server.url, 400)).toBe(true);
  }
});

Deno.test("mcp over http > a session ends when its client deletes it", async () => {
  await using server = await served();
  const headers = await session(server.url);
  const read = () => post(server.url, callOf("fs.read", { path: "file.txt" }), headers);
  expect(await (await read()).text()).toContain("what is inside");
  const ended = await fetch(server.url, { method: "DELETE", headers });
  await ended.body?.cancel();
  expect(ended.status).toBe(200);
  const after = await read();
  await after.body?.cancel();
  expect(after.status).toBe(404);
});

Deno.test("mcp over http > a client that lost its connection can resume it and get the answer", async () => {
  await using server = await served(["--audit=audit.jsonl"]);
  const headers = await session(server.url);
  const command = "until [ -e go ]; do sleep 0.02; done; echo resumed";
  const call = callOf("Bash", { command }, 7);
  const response = await post(server.url, call, headers);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n\n")) text += (await reader.read()).value;
  const [first] = events(text);
  await reader.cancel();
  Deno.writeTextFileSync(`${server.directory}/go`, "");
  // The call has ended when the audit log has its line.
  const isOver = () => readIfThere(`${server.directory}/audit.jsonl`).includes('"Bash"');
  expect(await until(isOver)).toBe(true);
  const resumed = await fetch(server.url, {
    headers: { ...headers, accept: "text/event-stream", "last-event-id": first!.id! },
  });
  const again = resumed.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (!rest.includes("resumed")) rest += (await again.read()).value;
  await again.cancel();
  expect(JSON.parse(events(rest)[0]!.data)).toMatchObject({ id: 7, result: { isError: false } });
});

Deno.test("mcp over http > a call of revision 2026-07-28 ends when its client disconnects", async () => {
  await using server = await served();
  const sleep = endlessSleep();
  const call = callOf("Bash", { command: `${sleep}; echo no # ${"x".repeat(1_000)}` });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const client = new AbortController();
  const answer = fetch(server.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "Bash",
    },
    body: JSON.stringify({ ...call, params: { ...call.params, _meta } }),
    signal: client.signal,
  });
  expect(await until(() => processesWith(sleep).length > 0)).toBe(true);
  client.abort();
  await answer.then((response) => response.text()).catch(() => {});
  expect(await until(() => processesWith(sleep).length === 0)).toBe(true);
});

Deno.test("mcp over http > the server sends the pending answers after SIGTERM, and then ends", async () => {
  await using server = await served();
  const headers = await session(server.url);
  const stream = await fetch(server.url, { headers: { ...headers, accept: "text/event-stream" } });
  const command = "echo begun >begun; until [ -e go ]; do sleep 0.02; done; echo due";
  const due = post(server.url, callOf("Bash", { command }), headers);
  expect(await until(() => readIfThere(`${server.directory}/begun`) !== "")).toBe(true);
  server.process.kill("SIGTERM");
  expect(await until(() => refusesConnections(server.url))).toBe(true);
  Deno.writeTextFileSync(`${server.directory}/go`, "");
  expect(await (await due).text()).toContain("due");
  const { code } = await server.process.status;
  expect(code).toBe(0);
  await stream.body?.cancel().catch(() => {});
});

/** Whether a server does not listen any more. */
async function refusesConnections(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  try {
    (await Deno.connect({ hostname, port: Number(port) })).close();
    return false;
  } catch {
    return true;
  }
}

Deno.test("mcp over http > subscriptions do not count as open requests, and their number is limited", async () => {
  await using server = await served();
  const send = (id: number, method: string, params: object) =>
    post(server.url, {
      jsonrpc: "2.0",
      id,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        },
      },
    }, { "mcp-protocol-version": "2026-07-28", "mcp-method": method });
  const listen = (id: number) =>
    send(id, "subscriptions/listen", { notifications: { toolsListChanged: true } });
  const streams = await Promise.all(Array.from({ length: 128 }, (_, index) => listen(index)));
  expect(await (await listen(128)).text()).toContain("Subscription limit reached");
  const other = await send(1, "tools/list", {});
  expect(other.status).toBe(200);
  expect(await other.text()).toContain('"fs_read"');
  for (const stream of streams) await stream.body?.cancel();
});
