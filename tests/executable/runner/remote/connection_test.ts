/** The connection over the sockets of Deno: order, loss, a slow server, and TLS. */
// tier: machine
import type { Msg, NatsConnection } from "@nats-io/nats-core";
import { expect } from "@std/expect";
import { connectTo, type NatsAddress } from "../../../../src/runner/remote/connection.ts";
import { temporaryDirectory } from "../../../support/executable.ts";
import {
  freePort,
  missingServer,
  NatsServer,
  natsTest,
  until,
  within,
} from "../../../support/nats_server.ts";
import { pause } from "../../../support/wait.ts";
import { certificateFor, makeAuthority } from "./authority.ts";

async function opened(
  url: string,
  tls?: NatsAddress["tls"],
): Promise<AsyncDisposable & { connection: NatsConnection }> {
  const connection = await connectTo({ servers: [url], ...(tls && { tls }) }, "test");
  return { connection, [Symbol.asyncDispose]: () => connection.close() };
}

/** Collects the messages of a subject. */
async function collect(connection: NatsConnection, subject: string): Promise<Msg[]> {
  const messages: Msg[] = [];
  connection.subscribe(subject, { callback: (_, message) => void messages.push(message) });
  await connection.flush();
  return messages;
}

/** Bytes that are different for each number and position. */
function bytesOf(number: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at++) bytes[at] = (number * 31 + at * 7 + (at >> 8)) & 255;
  return bytes;
}

const isSame = (a: Uint8Array, b: Uint8Array) =>
  a.length === b.length && a.every((byte, at) => byte === b[at]);

natsTest(
  "connectTo() > messages of all sizes arrive complete and in their order",
  async ({ url }) => {
    await using sender = await opened(url);
    await using receiver = await opened(url);
    const messages = await collect(receiver.connection, "sizes");
    // Sizes around those of the buffers, and the largest that the server takes.
    const sizes = [0, 1, 4_000, 4_096, 32_768, 65_500, 65_536, 65_537, 300_000, 1_048_576];
    const all = Array.from({ length: 5 }, () => sizes).flat();
    for (const [at, size] of all.entries()) {
      sender.connection.publish("sizes", bytesOf(at, size));
    }
    await sender.connection.flush();
    await until(() => messages.length === all.length);
    const wrong = all.filter((size, at) => !isSame(messages[at]!.data, bytesOf(at, size)));
    expect(wrong).toEqual([]);
  },
);

natsTest("connectTo() > many small messages arrive in their order", async ({ url }) => {
  await using sender = await opened(url);
  await using receiver = await opened(url);
  const messages = await collect(receiver.connection, "small");
  const count = 50_000;
  for (let at = 0; at < count; at++) {
    sender.connection.publish("small", String(at));
    if (at % 1_000 === 0) await sender.connection.flush();
  }
  await sender.connection.flush();
  await until(() => messages.length === count);
  expect(messages.every((message, at) => message.string() === String(at))).toBe(true);
});

natsTest("connectTo() > close() and drain() send the messages that wait", async ({ url }) => {
  await using receiver = await opened(url);
  const messages = await collect(receiver.connection, "last");
  for (const end of ["close", "drain"] as const) {
    const { connection } = await opened(url);
    for (let at = 0; at < 20; at++) connection.publish("last", bytesOf(at, 500_000));
    // The messages of a turn are handed to the transport after it.
    await Promise.resolve();
    await connection[end]();
    expect(connection.isClosed()).toBe(true);
    await until(() => messages.length === 20);
    expect(messages.every(({ data }, at) => isSame(data, bytesOf(at, 500_000)))).toBe(true);
    messages.length = 0;
  }
});

natsTest("connectTo() > the client connects again after the server was killed", async (server) => {
  await using one = await opened(server.url);
  const { connection } = one;
  const messages = await collect(connection, "again");
  let losses = 0;
  (async () => {
    for await (const { type } of connection.status()) if (type === "disconnect") losses++;
  })();
  for (let round = 0; round < 3; round++) {
    await server.kill();
    await until(() => losses > round);
    await server.begin();
    await arrives(connection, "again", messages);
  }
  const reply = await connection.request("nobody", "", { timeout: 120_000 })
    .catch((error) => (error as Error).message);
  expect(reply).toContain("no responders");
});

/**
 * Publishes a new text until it arrives. NATS drops the messages that it was given before it connects
 * again.
 */
async function arrives(connection: NatsConnection, subject: string, messages: Msg[]) {
  const text = crypto.randomUUID();
  await until(() => {
    connection.publish(subject, text);
    return messages.at(-1)?.string() === text;
  });
}

/** The lines that a NATS server sends first, and after the first ping. */
const [FIRST, PONG] = [
  'INFO {"version":"2.10.0","headers":true,"max_payload":1048576,"proto":1}\r\n',
  "PONG\r\n",
];

/** A server that calls `treat` for each of its connections. */
function fakeServer(
  treat: (connection: Deno.TcpConn, number: number) => Promise<void>,
): Disposable & { url: string; ended: number } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  const server = {
    url: `nats://127.0.0.1:${listener.addr.port}`,
    ended: 0,
    [Symbol.dispose]() {
      listener.close();
      for (const each of open) close(each);
    },
  };
  (async () => {
    let number = 0;
    for await (const connection of listener) {
      open.add(connection);
      treat(connection, number++).catch(() => {}).finally(() => server.ended++);
    }
  })();
  return server;
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch { /* It is closed. */ }
}

const say = (connection: Deno.TcpConn, text: string) =>
  connection.write(new TextEncoder().encode(text));

Deno.test("connectTo() > a server that reads slowly gets every byte", async () => {
  let read = new Uint8Array();
  let mayRead = false;
  using server = fakeServer(async (connection) => {
    await say(connection, FIRST);
    await connection.read(new Uint8Array(1_024));
    await say(connection, PONG);
    await until(() => mayRead);
    const parts: Uint8Array[] = [];
    const buffer = new Uint8Array(1_000_000);
    for (let count; (count = await connection.read(buffer)) !== null;) {
      parts.push(buffer.slice(0, count));
    }
    read = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  });
  const { connection } = await opened(server.url);
  // More than the buffers of the system hold.
  const [count, size] = [40, 1_000_000];
  for (let at = 0; at < count; at++) connection.publish("a", bytesOf(at, size));
  await pause(200, "The server reads late on purpose, when the buffers are full");
  mayRead = true;
  await connection.close();
  await until(() => server.ended === 1);
  const head = new TextEncoder().encode(`PUB a ${size}\r\n`).length;
  const frame = head + size + 2;
  expect(read.length).toBe(count * frame);
  const wrong = Array.from({ length: count }, (_, at) => at).filter((at) =>
    !isSame(read.subarray(at * frame + head, at * frame + head + size), bytesOf(at, size))
  );
  expect(wrong).toEqual([]);
});

Deno.test("connectTo() > close() does not wait for a server that has stopped reading", async () => {
  using server = fakeServer(async (connection) => {
    await say(connection, FIRST);
    await connection.read(new Uint8Array(1_024));
    await say(connection, PONG);
    await new Promise(() => {});
  });
  const { connection } = await opened(server.url);
  for (let at = 0; at < 40; at++) connection.publish("a", bytesOf(at, 1_000_000));
  await Promise.resolve();
  await within(connection.close());
  expect(connection.isClosed()).toBe(true);
});

Deno.test("connectTo() > the first line may come in parts", async () => {
  using server = fakeServer(async (connection) => {
    for (const part of FIRST) {
      await say(connection, part);
      await pause(1, "The server sends its first line slowly on purpose");
    }
    await connection.read(new Uint8Array(1_024));
    await say(connection, PONG);
    await new Promise(() => {});
  });
  await using one = await opened(server.url);
  expect(one.connection.info?.max_payload).toBe(1_048_576);
});

Deno.test("connectTo() > the client connects again to a server that is lost while it sends", async () => {
  using server = fakeServer(async (connection, number) => {
    await say(connection, FIRST);
    await connection.read(new Uint8Array(1_024));
    await say(connection, PONG);
    // The first two are lost in the middle of a message.
    if (number < 2) await say(connection, "MSG a 1 5\r\nhe");
    else await say(connection, "MSG a 3 5\r\nhello\r\n");
    if (number >= 2) await new Promise(() => {});
    close(connection);
  });
  await using one = await opened(server.url);
  const messages: string[] = [];
  one.connection.subscribe("a", { callback: (_, message) => void messages.push(message.string()) });
  await until(() => server.ended === 2 && one.connection.stats().inMsgs > 0);
  expect(one.connection.isClosed()).toBe(false);
});

/** The text of the error of a failed attempt. */
const failureOf = (url: string, tls?: NatsAddress["tls"]) =>
  connectTo({ servers: [url], ...(tls && { tls }) }, "test").then(
    () => "connected",
    (error) => (error as Error).message,
  );

Deno.test("connectTo() > each error says why the server cannot be used", async () => {
  using web = fakeServer(async (connection) => {
    await say(connection, "HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  expect(await failureOf(web.url)).toContain("the answer does not come from a NATS server");
  using closing = fakeServer((connection) => Promise.resolve(close(connection)));
  expect(await failureOf(closing.url)).toContain("the server closed the connection");
  expect(await failureOf(`nats://127.0.0.1:${freePort()}`)).toMatch(
    /refused.*is the server running\?/,
  );
  // The attempt ends, and with it the connection.
  using silent = fakeServer(async (connection) => {
    await connection.read(new Uint8Array(1));
  });
  expect(await failureOf(silent.url)).toContain("timeout");
  await until(() => silent.ended === 1);
});

Deno.test({
  name:
    "connectTo() > TLS checks the host and the authority, and sends a certificate if the server asks",
  ignore: missingServer !== undefined,
  async fn() {
    using directory = temporaryDirectory();
    const { path } = directory;
    const { key, cert } = await makeAuthority(path);
    const ofOther = await certificateFor(path, "other", "DNS:other.example");
    const files = (of: { key: string; cert: string }) =>
      `cert_file: "${of.cert}", key_file: "${of.key}"`;
    await using server = await NatsServer.start(`tls { ${files({ key, cert })} }`);
    await using other = await NatsServer.start(`tls { ${files(ofOther)} }`);
    await using asking = await NatsServer.start(
      `tls { ${files({ key, cert })}, ca_file: "${cert}", verify: true }`,
    );
    await using plain = await NatsServer.start();

    for (const host of ["127.0.0.1", "localhost"]) {
      await using one = await opened(`tls://${host}:${server.port}`, { ca: cert });
      const messages = await collect(one.connection, "a");
      for (let at = 0; at < 20; at++) one.connection.publish("a", bytesOf(at, 500_000));
      await until(() => messages.length === 20);
      expect(messages.every(({ data }, at) => isSame(data, bytesOf(at, 500_000)))).toBe(true);
      await server.kill();
      await server.begin();
      await arrives(one.connection, "a", messages);
    }
    // The server asks for TLS, and this client does not know that.
    expect(await failureOf(server.url)).toContain("--tls-ca=FILE");
    // The authority is known, and the name is another one.
    for (const host of ["127.0.0.1", "localhost"]) {
      const failure = await failureOf(`tls://${host}:${other.port}`, { ca: ofOther.cert });
      expect(failure).not.toBe("connected");
    }
    expect(await failureOf(plain.url, { ca: cert })).toContain("does not support 'tls'");
    expect(await failureOf(asking.url, { ca: cert })).toContain("--tls-cert=FILE");
    await using one = await opened(asking.url, { ca: cert, cert, key });
    expect(one.connection.info?.tls_required).toBe(true);
    expect(await failureOf(asking.url, { ca: `${path}/none` })).toContain(`${path}/none`);
  },
});
