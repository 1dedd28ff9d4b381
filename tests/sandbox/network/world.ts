/**
 * Runs in a test network with a name server, and with servers on public and private addresses that
 * count connections. Makes the calls that its argument names, and prints the result of each.
 */
import { createSocket } from "node:dgram";
import { exitCodes } from "../../../src/runner/call/failure.ts";
import { nasty, TOKEN, world } from "../../support/mcp/client_world.ts";
import { Peer } from "../../support/mcp/peer.ts";

/** A call of WebFetch in the test network. */
export interface WorldCall {
  url: string;
  flags: string[];
  env?: Record<string, string>;
}

/** The result of a call. */
export interface WorldResult {
  exit: number;
  text: string;
  /** How many connections each server got. */
  reached: Record<string, number>;
  /** How many times each name was looked up for IPv4. */
  lookups: Record<string, number>;
}

/** The calls to make, and how to make them. */
export interface WorldOrder {
  toolcall: string;
  /** A directory with `key.pem` and `cert.pem` for the host secure.example. */
  directory: string;
  calls: WorldCall[];
  /** Whether a client of `toolcall mcp` makes the calls, with a gateway to a resident server. */
  gateway?: boolean;
}

/** The addresses that servers listen on. */
export const addresses = {
  public: "93.184.216.34",
  other: "93.184.216.35",
  private: "10.0.0.5",
  metadata: "169.254.169.254",
  provider: "100.64.0.1",
  loopback: "127.0.0.1",
} as const;

const HTTP_PORT = 8080;

/** For each name, the addresses of each look-up in turn. The last ones are for all later look-ups. */
const zone: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "public.example": [[addresses.public]],
  "secure.example": [[addresses.public]],
  "otherwise.example": [[addresses.public]],
  "allowed.example": [[addresses.public]],
  "allowed.example.evil.example": [[addresses.other]],
  "private.example": [[addresses.private]],
  "loop.example": [[addresses.loopback]],
  "metadata.example": [[addresses.metadata]],
  "provider.example": [[addresses.provider]],
  "nothing.example": [["0.0.0.0"]],
  "both.example": [[addresses.private, addresses.public, addresses.loopback]],
  "dead.example": [["93.184.216.99", addresses.public]],
  "rebind.example": [[addresses.public], [addresses.private], [addresses.loopback]],
  "rebound.example": [[addresses.private], [addresses.public]],
  "six.example": [["::1"]],
  "mapped.example": [["::ffff:10.0.0.5"]],
  "nat.example": [["64:ff9b::a00:5"]],
  "unique.example": [["fd00::5"]],
};

if (import.meta.main) {
  const { toolcall, directory, calls, gateway } = JSON.parse(Deno.args[0]!) as WorldOrder;
  const reached: Record<string, number> = {};
  const lookups: Record<string, number> = {};
  serveNames(lookups);
  const key = Deno.readTextFileSync(`${directory}/key.pem`);
  const cert = Deno.readTextFileSync(`${directory}/cert.pem`);
  for (const [name, hostname] of Object.entries({ ...addresses, six: "::1", unique: "fd00::5" })) {
    const count = () => void (reached[name] = (reached[name] ?? 0) + 1);
    serveAll(Deno.listen({ hostname, port: HTTP_PORT }), count);
    serveAll(Deno.listen({ hostname, port: 80 }), count);
    const tls = `${name} tls`;
    serveAll(Deno.listenTls({ hostname, port: 443, key, cert }), () => {
      reached[tls] = (reached[tls] ?? 0) + 1;
    });
  }
  const results: WorldResult[] = [];
  const caller = gateway ? await gatewayCaller() : directCaller(toolcall);
  for (const call of calls) {
    for (const counts of [reached, lookups]) {
      for (const name of Object.keys(counts)) delete counts[name];
    }
    const outcome = await caller.fetch(call);
    results.push({ ...outcome, reached: { ...reached }, lookups: { ...lookups } });
  }
  await caller[Symbol.asyncDispose]();
  // deno-lint-ignore no-console
  console.log(JSON.stringify(results));
  Deno.exit();
}

/** Makes the calls in the test network. */
interface Caller extends AsyncDisposable {
  fetch(call: WorldCall): Promise<Pick<WorldResult, "exit" | "text">>;
}

function argumentsFor(url: string) {
  return { url, prompt: "What is it?" };
}

/** Starts the executable for each call. */
function directCaller(toolcall: string): Caller {
  return {
    async fetch({ url, flags, env = {} }) {
      const { code, stdout } = await new Deno.Command(toolcall, {
        args: [...flags, "WebFetch", JSON.stringify(argumentsFor(url))],
        env,
        stdin: "null",
        stderr: "inherit",
      }).output();
      const { content } = JSON.parse(new TextDecoder().decode(stdout));
      return { exit: code, text: content[0].text };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Starts a gateway for the calls with the same flags. Its server keeps running between calls. */
async function gatewayCaller(): Promise<Caller> {
  const place = world(() => ({ it: nasty("plain") }), { way: "kept" });
  const kept = await place.call("mcp__it__echo", { text: "kept" });
  if (kept.text !== "kept") throw new Error(`The server does not answer: ${kept.text}`);
  const peers = new Map<string, Peer>();
  const peerFor = async (flags: string[]) => {
    const known = peers.get(flags.join());
    if (known !== undefined) return known;
    const own = ["--allow-mcp", "--upstream-names", `--state-dir=${place.path}/state`];
    const peer = Peer.start([...own, ...flags], { cwd: place.path, env: { TOKEN } });
    peers.set(flags.join(), peer);
    await peer.initialize();
    return peer;
  };
  return {
    async fetch({ url, flags }) {
      const { result } = await (await peerFor(flags)).call("WebFetch", argumentsFor(url));
      const code = result._meta?.["toolcall/error"]?.code as keyof typeof exitCodes | undefined;
      return { exit: code === undefined ? 0 : exitCodes[code], text: result.content[0].text };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...peers.values()].map((peer) => peer.end()));
      peers.clear();
      place[Symbol.dispose]();
    },
  };
}

/** Answers the request of each connection. Ignores connections without a request. */
async function serveAll(listener: Deno.Listener<Deno.Conn>, count: () => void): Promise<void> {
  for (;;) {
    let connection: Deno.Conn;
    try {
      connection = await listener.accept();
    } catch {
      continue;
    }
    answerOne(connection, count).catch(() => {}).finally(() => connection.close());
  }
}

async function answerOne(connection: Deno.Conn, count: () => void): Promise<void> {
  const buffer = new Uint8Array(16_384);
  // With TLS, the first read also completes the handshake, so only then is there a request.
  const length = await connection.read(buffer) ?? 0;
  count();
  const asked = new TextDecoder().decode(buffer.subarray(0, length));
  const host = /^host: (.*)$/im.exec(asked)?.[1]?.trim();
  const { hostname } = connection.localAddr as Deno.NetAddr;
  const body = `answered by ${hostname} for ${host}`;
  const head = `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n`;
  await connection.write(new TextEncoder().encode(`${head}connection: close\r\n\r\n${body}`));
}

/** A name server for A and AAAA on 127.0.0.1. */
function serveNames(lookups: Record<string, number>): void {
  const socket = createSocket("udp4").bind(53, "127.0.0.1");
  socket.on("message", (query: Uint8Array, from) => {
    const { name, type, end } = questionIn(query);
    const isA = type === 1;
    const turn = lookups[name] ?? 0;
    if (isA) lookups[name] = turn + 1;
    const answers = zone[name]?.[Math.min(turn, zone[name]!.length - 1)] ?? [];
    const wanted = answers.filter((each) => each.includes(":") !== isA).map(bytesOf);
    const header = new Uint8Array([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, wanted.length]);
    // The answer for an unknown name is NXDOMAIN.
    if (zone[name] === undefined) header[3] = 0x83;
    const records = wanted.flatMap((bytes) => [
      ...[0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length],
      ...bytes,
    ]);
    const answer = [...header, 0, 0, 0, 0, ...query.subarray(12, end), ...records];
    socket.send(new Uint8Array(answer), from.port, from.address);
  });
}

function questionIn(query: Uint8Array): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length; (length = query[at]!) > 0; at += length + 1) {
    labels.push(new TextDecoder().decode(query.subarray(at + 1, at + 1 + length)));
  }
  return { name: labels.join(".").toLowerCase(), type: query[at + 2]!, end: at + 5 };
}

function bytesOf(address: string): number[] {
  if (!address.includes(":")) return address.split(".").map(Number);
  const [head = "", tail = ""] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const groups = (text: string) =>
    text === "" ? [] : text.split(":").map((each) => parseInt(each, 16));
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]);
}
