/** Retries of the executable's own tools, against real servers. */
import { expect } from "@std/expect";
import {
  call,
  executable,
  oneLine,
  type Result,
  temporaryDirectory,
  toolcall,
} from "../../../support/executable.ts";
import { countingServer } from "../../../support/counting_server.ts";
import { killWhenStuck, until } from "../../../support/wait.ts";
import { failing, FEED, page } from "./failing_server.ts";

/** The number of retries, from the result of a call. */
function retriesOf({ _meta }: Result): unknown {
  return (_meta as Record<string, unknown> | undefined)?.["toolcall/retries"] ??
    _meta?.["toolcall/error"]?.["retries"];
}

const readers: [tool: string, args: (host: string) => Record<string, unknown>, said: string][] = [
  ["WebFetch", page, "The water is low"],
  ["rss_feed", (host) => ({ url: `http://${host}/feed` }), "Feed: Tides"],
  ["calendar", (host) => ({ url: `http://${host}/events` }), "0 events from"],
];

Deno.test("retries > a call succeeds at its third try when the server answers 503 twice", async () => {
  await Promise.all(readers.map(async ([tool, args, said]) => {
    await using server = failing({ status: 503, times: 2 });
    const result = await call(tool, args(server.host), { flags: [`--allow-net=${server.host}`] });
    expect(result.text).toContain(said);
    expect({ tool, retries: retriesOf(result), asked: server.requests.length })
      .toEqual({ tool, retries: 2, asked: 3 });
  }));
});

const lasting: [status: number, headers: Record<string, string>, asked: number, said: RegExp][] = [
  [503, {}, 3, /^The server answered 503 for [^;]*; tried 3 times$/],
  [502, {}, 3, /; tried 3 times$/],
  [504, {}, 3, /; tried 3 times$/],
  [500, {}, 1, /^The server answered 500 for [^;]*$/],
  [404, { "retry-after": "0" }, 1, /^The server answered 404 for [^;]*$/],
  [
    ...[429, { "retry-after": "3600" }, 1] as const,
    /; tried once, and the time limit leaves no 3600 s to wait for the next try$/,
  ],
];

Deno.test("retries > only temporary statuses are retried, and the last failure says how often", async () => {
  await Promise.all(lasting.map(async ([status, headers, asked, said]) => {
    await using server = failing({ status, headers, times: 99 });
    const result = await call("rss_feed", { url: `http://${server.host}/feed` }, {
      flags: [`--allow-net=${server.host}`],
    });
    expect(result.exit).toBe(1);
    expect(result.text).toMatch(said);
    expect({ status, asked: server.requests.length }).toEqual({ status, asked });
    expect(result._meta!["toolcall/error"]).toMatchObject({ code: "tool_failed", status });
  }));
});

Deno.test("retries > the number of tries has its own line after the body of an answer", async () => {
  await using server = failing({ status: 503, times: 99 });
  const { text } = await call("WebFetch", page(server.host), {
    flags: [`--allow-net=${server.host}`],
  });
  expect(text.endsWith(":\nNot now\n[Tried 3 times]")).toBe(true);
});

/** A server that sends `begun` and drops the connection, twice. Then it answers. */
function dropping(begun: string) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const state = { connections: 0, host: `127.0.0.1:${listener.addr.port}` };
  const work = (async () => {
    for await (const connection of listener) {
      state.connections++;
      const isLast = state.connections > 2;
      await connection.read(new Uint8Array(10_000));
      const head = `HTTP/1.1 200 OK\r\ncontent-length: ${FEED.length}\r\n\r\n`;
      const text = isLast ? head + FEED : begun;
      if (text !== "") await connection.write(new TextEncoder().encode(text));
      connection.close();
    }
  })();
  return Object.assign(state, {
    async [Symbol.asyncDispose]() {
      listener.close();
      await work.catch(() => {});
    },
  });
}

Deno.test("retries > a call is retried when its connection is dropped before or within the answer", async () => {
  const beginnings = ["", "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n<rss"];
  await Promise.all(beginnings.map(async (begun) => {
    await using server = dropping(begun);
    const result = await call("rss_feed", { url: `http://${server.host}/feed` }, {
      flags: [`--allow-net=${server.host}`],
    });
    expect(result.text).toContain("Feed: Tides");
    expect({ begun, retries: retriesOf(result), connections: server.connections })
      .toEqual({ begun, retries: 2, connections: 3 });
  }));
});

Deno.test("retries > a call is retried when the host refuses the connection", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const host = `127.0.0.1:${listener.addr.port}`;
  listener.close();
  const result = await call("WebFetch", page(host), { flags: [`--allow-net=${host}`] });
  expect(result.text).toMatch(/: the connection was refused; tried 3 times$/);
  expect(result._meta!["toolcall/error"]).toMatchObject({ passing: true, retries: 2 });
});

/** Searches by Tavily, whose requests use POST, at this host. */
async function search(host: string): Promise<Result> {
  using directory = temporaryDirectory();
  const state = `--state-dir=${directory.path}/state`;
  const settings = { "search.provider": "tavily", "search.endpoint": `http://${host}/` };
  for (const [setting, value] of Object.entries(settings)) {
    await toolcall(["-A", state, "Config", JSON.stringify({ setting, value })]);
  }
  const args = [`--allow-net=${host}`, state, "WebSearch", '{"query":"rivers"}'];
  return oneLine(await toolcall(args, { env: { TAVILY_API_KEY: "tvly-0123456789" } })) as Result;
}

Deno.test("retries > a search is retried after status 429, and not when the server may have made it", async () => {
  await using busy = countingServer((_, { requests }) =>
    requests.length === 1 ? new Response("{}", { status: 429 }) : Response.json({ results: [] })
  );
  await using broken = dropping("");
  const [refused, dropped] = await Promise.all([search(busy.host), search(broken.host)]);
  expect(refused.isError).toBe(false);
  expect(retriesOf(refused)).toBe(1);
  expect(busy.requests).toHaveLength(2);
  expect(dropped.isError).toBe(true);
  expect(dropped._meta!["toolcall/error"]["passing"]).toBeUndefined();
  expect(broken.connections).toBe(1);
});

/**
 * A server that answers each request with status 503 and asks for a pause of a minute. It counts
 * the requests, and the connections that the client has closed because it has the answer.
 */
function refusing() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const state = { requests: 0, closed: 0, host: `127.0.0.1:${listener.addr.port}` };
  const answer = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 60\r\n" +
    "content-length: 7\r\nconnection: close\r\n\r\nNot now";
  const work = (async () => {
    for await (const connection of listener) {
      const buffer = new Uint8Array(10_000);
      await connection.read(buffer);
      state.requests++;
      await connection.write(new TextEncoder().encode(answer));
      while (await connection.read(buffer).catch(() => null) !== null);
      state.closed++;
      connection.close();
    }
  })();
  return Object.assign(state, {
    async [Symbol.asyncDispose]() {
      listener.close();
      await work.catch(() => {});
    },
  });
}

Deno.test("retries > a signal ends a pause at once", async () => {
  await using server = refusing();
  const child = new Deno.Command(executable, {
    args: [`--allow-net=${server.host}`, "WebFetch", JSON.stringify(page(server.host))],
    ...{ stdin: "null", stdout: "piped", stderr: "null" },
  }).spawn();
  using _ = killWhenStuck(child);
  expect(await until(() => server.closed === 1)).toBe(true);
  child.kill("SIGTERM");
  const { code, stdout } = await child.output();
  expect(code).toBe(7);
  const { _meta } = JSON.parse(new TextDecoder().decode(stdout)) as Result;
  expect(_meta!["toolcall/error"].code).toBe("cancelled");
  // After the pause there would be a second request.
  expect(server.requests).toBe(1);
});
