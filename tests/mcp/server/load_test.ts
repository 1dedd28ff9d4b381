/** Floods of requests, connections and sessions, and what they leave in use. */
// tier: machine
import { expect } from "@std/expect";
import { executable } from "../../support/executable.ts";
import { initialize, listen, memoryOf, peakMemoryOf, Peer } from "../../support/mcp/peer.ts";
import { isAlive, untilIdle } from "../../support/processes.ts";
import { until } from "../../support/wait.ts";
import { accept, answered, callOf, post, served, session } from "./http_client.ts";
import { scene } from "./scenes.ts";

Deno.test({
  name: "mcp server > a client with forty different roots leaves fewer than thirty threads",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using it = scene();
    let roots: { uri: string }[] = [];
    await using peer = Peer.start(it.flags, { cwd: it.inside });
    let isOver = false;
    const answerRoots = async () => {
      const id = peer.unasked.splice(0).find(({ method }) => method === "roots/list")?.id;
      if (id !== undefined) {
        await peer.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { roots } })}\n`);
      }
      return isOver;
    };
    const answering = until(answerRoots, Infinity);
    try {
      await peer.initialize({ capabilities: { roots: { listChanged: true } } });
      for (let at = 0; at < 40; at++) {
        const directory = `${it.inside}/${at}`;
        Deno.mkdirSync(directory);
        Deno.writeTextFileSync(`${directory}/file.txt`, "found\n");
        roots = [{ uri: `file://${directory}` }];
        await peer.notify("notifications/roots/list_changed");
        const { result } = await peer.call("fs.read", { path: `${at}/file.txt` });
        expect(result.content[0].text).toBe("found\n");
      }
    } finally {
      isOver = true;
      await answering;
    }
    const threads = [...Deno.readDirSync(`/proc/${peer.process.pid}/task`)].length;
    expect(threads).toBeLessThan(30);
  },
});

Deno.test({
  name:
    "mcp server > ten thousand requests of a client that does not read need less than 600 MiB, and all are answered",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    using it = scene();
    // Each answer has 50 KiB, so all answers would be 500 MiB.
    Deno.writeTextFileSync(`${it.inside}/big.txt`, `${"0123456789".repeat(9)}\n`.repeat(2_000));
    await using peer = Peer.start(it.flags, { cwd: it.inside, reads: false });
    const lines = Array.from({ length: 10_000 }, (_, index) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id: `flood ${index}`,
        method: "tools/call",
        params: { name: "Read", arguments: { file_path: `${it.inside}/big.txt` } },
      }));
    let isWritten = false;
    const written = peer.write([JSON.stringify(initialize), ...lines, ""].join("\n"))
      .then(() => isWritten = true);
    await untilIdle(peer.process.pid);
    expect(isWritten).toBe(false);
    const answers = lines.map((_, index) => peer.answer(`flood ${index}`));
    peer.read();
    await written;
    for (const answer of answers) expect((await answer).result.isError).toBe(false);
    expect(peakMemoryOf(peer.process.pid)).toBeLessThan(600);
    expect(isAlive(peer.process.pid)).toBe(true);
  },
});

Deno.test("mcp over http > the server survives more connections than it has file descriptors", async () => {
  const limited = ["-c", 'ulimit -n 200; exec "$0" "$@"', executable];
  await using server = await listen([], { program: { command: "bash", args: limited } });
  const { hostname, port } = new URL(server.url);
  const connections: Deno.Conn[] = [];
  try {
    while (connections.length < 400) {
      connections.push(await Deno.connect({ hostname, port: Number(port) }));
    }
  } catch { /* The server does not listen at the moment. */ }
  for (const connection of connections) connection.close();
  expect(await answered(server.url, 400)).toBe(true);
});

Deno.test({
  name: "mcp over http > a refused session leaves no memory in use",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using server = await served();
    const memory = () => memoryOf(server.process.pid);
    const begin = async () => {
      const response = await post(server.url, initialize, { accept: "application/json" });
      await response.body?.cancel();
      expect(response.status).toBe(406);
    };
    const flood = async (count: number) => {
      for (let at = 0; at < count; at += 20) await Promise.all(Array.from({ length: 20 }, begin));
    };
    await flood(6_000);
    const before = memory();
    await flood(12_000);
    expect(memory() - before).toBeLessThan(50);
  },
});

Deno.test({
  name: "mcp over http > ten thousand requests of clients that do not read need less than 600 MiB",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using server = await served();
    const path = `${server.directory}/big.txt`;
    Deno.writeTextFileSync(path, `${"0123456789".repeat(9)}\n`.repeat(2_000));
    const headers = await session(server.url);
    const { hostname, port, host } = new URL(server.url);
    const request = (id: number): string => {
      const body = JSON.stringify(callOf("Read", { file_path: path }, id));
      const fields = Object.entries({
        host,
        accept,
        "content-type": "application/json",
        "content-length": String(body.length),
        ...headers,
      }).map(([name, value]) => `${name}: ${value}\r\n`).join("");
      return `POST /mcp HTTP/1.1\r\n${fields}\r\n${body}`;
    };
    const flood = (from: number) =>
      new TextEncoder().encode(
        Array.from({ length: 100 }, (_, index) => request(from + index)).join(""),
      );
    const clients = await Promise.all(
      Array.from({ length: 100 }, () => Deno.connect({ hostname, port: Number(port) })),
    );
    for (const [index, client] of clients.entries()) {
      writeAll(client, flood(100 * index + 100)).catch(() => {});
    }
    await untilIdle(server.process.pid);
    for (const client of clients) client.close();
    const read = () => post(server.url, callOf("fs.read", { path: "file.txt" }, 7), headers);
    let answer = "";
    await until(async () => {
      const response = await read();
      const text = await response.text();
      if (response.status !== 503) answer = text;
      return answer !== "";
    });
    expect(answer).toContain("what is inside");
    expect(peakMemoryOf(server.process.pid)).toBeLessThan(600);
  },
});

async function writeAll(connection: Deno.Conn, data: Uint8Array): Promise<void> {
  for (let at = 0; at < data.length;) at += await connection.write(data.subarray(at));
}
