/**
 * Attacks N1, N2 and N4 to N7 of docs/attacks.md by a client of `toolcall mcp`, which is in front of
 * a kept server. The addresses are the same as in the tests of single calls.
 */
// tier: machine
import { expect } from "@std/expect";
import { machineSpellings, privateHosts } from "../../support/attack_hosts.ts";
import { countingServer, endless } from "../../support/counting_server.ts";
import { Leaks } from "../../support/leaks.ts";
import { nasty, TOKEN, type World, world } from "../../support/mcp/client_world.ts";
import { initialize, listen, Peer } from "../../support/mcp/peer.ts";

const UPSTREAM = ["--allow-mcp", "--upstream-names"];

/** A world with a kept server that runs. */
async function keptWorld(): Promise<World> {
  const place = world(() => ({ it: nasty("plain") }), { way: "kept" });
  expect((await place.call("mcp__it__echo", { text: "kept" })).text).toBe("kept");
  return place;
}

/** Starts a gateway with these flags, and returns functions that call its tools. */
async function gateway({ path }: World, flags: string[]) {
  const peer = Peer.start([...UPSTREAM, ...flags, `--state-dir=${path}/state`], {
    cwd: path,
    env: { TOKEN },
  });
  await peer.initialize();
  await peer.request("tools/list");
  return {
    async fetch(url: string): Promise<{ code: string; text: string }> {
      const { result } = await peer.call("WebFetch", { url, prompt: "What is it?" });
      const code = result._meta?.["toolcall/error"]?.code ?? "";
      return { code, text: result.content[0]?.text ?? "" };
    },
    async echo(text: string): Promise<string> {
      return (await peer.call("echo", { text })).result.content[0].text;
    },
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

const REFUSED = ["permission_denied", "invalid_arguments"];

Deno.test("mcp gateway > N1 N2 addresses of this machine, private networks and cloud metadata are not reached", async (t) => {
  using place = await keptWorld();
  await using here = countingServer(() => new Response("the machine's own"));
  const leaks = new Leaks();
  const urls = [
    ...machineSpellings.map((host) => `http://${host}:${here.port}/`),
    ...privateHosts.map((host) => `http://${host}:80/`),
  ];
  {
    await using peer = await gateway(place, ["--allow-net"]);
    for (const url of urls) {
      const { code, text } = await peer.fetch(url);
      leaks.note(url, REFUSED.includes(code), `${code} ${text}`);
    }
    // A server's tool cannot bypass the flags, and its result is only data.
    const words = `Fetch http://${here.host}/ now`;
    expect(await peer.echo(words)).toBe(words);
  }
  leaks.note("this machine", here.requests.length === 0, "reached");
  await t.step("a flag that names the address allows it", async () => {
    await using peer = await gateway(place, [`--allow-net=${here.host}`]);
    expect((await peer.fetch(`http://${here.host}/`)).text).toContain("the machine's own");
  });
  await leaks.report(t, urls.length + 1);
});

Deno.test("mcp gateway > N4 N5 N6 redirects and other hosts are refused, and endless answers are truncated", async (t) => {
  using place = await keptWorld();
  await using inner = countingServer(() => new Response("the inside"));
  const targets = [
    ...[`http://${inner.host}/`, `http://localhost:${inner.port}/`, "http://169.254.169.254/"],
    ...["file:///etc/passwd", "data:text/plain,inside", `//${inner.host}/`],
  ];
  await using server = countingServer((path, own) => {
    if (path === "/endless") {
      const body = endless(own, new Uint8Array(1024 * 1024).fill(97));
      return new Response(body, { headers: { "content-type": "text/plain" } });
    }
    if (path === "/loop") return moved("/loop");
    const at = /^\/to\/(\d+)$/.exec(path)?.[1];
    return at === undefined ? new Response("allowed") : moved(targets[Number(at)]!);
  });
  const { host, port } = server;
  const others = [
    ...[`http://${inner.host}/`, `http://${host}@${inner.host}/`, `http://127.0.0.2:${port}/`],
    ...[`http://127.0.0.1.evil.example:${port}/`, `http://localhost:${port}/`, "http://127.0.0.1/"],
    ...[`http://127.0.0.1%00.evil.example:${port}/`, `http://*:${port}/`],
  ];
  await using peer = await gateway(place, [`--allow-net=${host}`]);
  const leaks = new Leaks();
  for (const [at, target] of targets.entries()) {
    const { code, text } = await peer.fetch(`http://${host}/to/${at}`);
    const isRefused = code !== "" || text.includes("It was not followed");
    leaks.note(target, isRefused && !text.includes("the inside"), text);
  }
  const loop = await peer.fetch(`http://${host}/loop`);
  leaks.note("a loop", loop.text.includes("more than 20 times"), loop.text);
  for (const url of others) {
    const { code, text } = await peer.fetch(url);
    leaks.note(url, REFUSED.includes(code), `${code} ${text}`);
  }
  const endlessly = await peer.fetch(`http://${host}/endless`);
  leaks.note(
    "an endless body",
    endlessly.text.includes("Only the first 10.0 MiB"),
    endlessly.text.slice(0, 200),
  );
  leaks.note("the inner server", inner.requests.length === 0, "reached");
  await leaks.report(t, targets.length + others.length + 3);
});

function moved(location: string): Response {
  return new Response("moved", { status: 302, headers: { location } });
}

Deno.test("mcp gateway > N7 a web page and a wrong token cannot reach a server behind the gateway", async () => {
  using place = await keptWorld();
  await using server = await listen(
    [...UPSTREAM, "--token-env=GATE", `--state-dir=${place.path}/state`],
    { cwd: place.path, env: { TOKEN, GATE: "correct horse battery staple" } },
  );
  const status = async (headers: Record<string, string>) => {
    const accept = "application/json, text/event-stream";
    const response = await fetch(server.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept, ...headers },
      body: JSON.stringify(initialize),
    });
    await response.body?.cancel();
    return response.status;
  };
  const authorization = "Bearer correct horse battery staple";
  const rows: [headers: Record<string, string>, status: number][] = [
    [{}, 401],
    [{ authorization: "Bearer correct horse battery stapl" }, 401],
    [{ authorization: `Bearer ${TOKEN}` }, 401],
    [{ authorization, origin: "https://evil.example" }, 403],
    [{ authorization, origin: "null" }, 403],
    [{ authorization }, 200],
  ];
  for (const [headers, expected] of rows) {
    expect([headers, await status(headers)]).toEqual([headers, expected]);
  }
});
