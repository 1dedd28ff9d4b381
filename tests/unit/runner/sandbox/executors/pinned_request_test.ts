import { expect } from "@std/expect";
import { pinnedRequest } from "../../../../../src/runner/sandbox/executors/pinned_request.ts";
import { countingServer } from "../../../../support/counting_server.ts";
import { until } from "../../../../support/wait.ts";

/** Ends a request that hangs. */
const signal = () => AbortSignal.timeout(120_000);

/** A port of this machine on which no process listens. */
function closedPort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

Deno.test("pinned request > a request goes only to a host and port with checked addresses", async () => {
  await using server = countingServer(() => new Response("here"));
  await using other = countingServer(() => new Response("there"));
  const addresses = { [`name.example:${server.port}`]: ["127.0.0.1"] };
  const refused = [
    ...[`http://name.example:${other.port}/`, `http://127.0.0.1:${server.port}/`],
    ...[`http://other.example:${server.port}/`, `http://x.name.example:${server.port}/`],
    ...["http://__proto__/", "http://constructor:80/", `https://name.example/`],
  ];
  for (const url of refused) {
    await expect(pinnedRequest(url, { addresses, signal: signal() })).rejects
      .toThrow("was not authorised");
  }
  for (const url of ["file:///etc/passwd", "data:,x", "ws://name.example/", "no URL"]) {
    await expect(pinnedRequest(url, { addresses, signal: signal() })).rejects.toThrow("only http");
  }
  const withPassword = `http://user:secret-word@name.example:${server.port}/`;
  const error = await pinnedRequest(withPassword, { addresses, signal: signal() }).catch(String);
  expect(error).toContain("user name or a password");
  expect(error).not.toContain("secret-word");
  expect([server.requests.length, other.requests.length]).toEqual([0, 0]);
  const url = `http://NAME.example.:${server.port}/path?query`;
  const response = await pinnedRequest(url, { addresses, signal: signal() });
  expect(await response.text()).toBe("here");
  expect(server.requests[0]!.path).toBe("/path?query");
  expect(server.requests[0]!.headers.get("host")).toBe(`name.example:${server.port}`);
});

Deno.test("pinned request > a refused connection leads to the next address, and the body is sent once", async () => {
  await using server = countingServer(() => new Response("taken", { status: 201 }));
  const { port } = server;
  // No process listens on the first two addresses.
  const addresses = { [`name.example:${port}`]: ["127.0.0.2", "::1", "127.0.0.1"] };
  const response = await pinnedRequest(`http://name.example:${port}/`, {
    ...{ addresses, signal: signal(), method: "POST", body: "caf\u00e9" },
    headers: { "content-type": "text/plain", "x-key": "k" },
  });
  expect(response.status).toBe(201);
  await response.text();
  expect(server.requests.map(({ body }) => body)).toEqual(["caf\u00e9"]);
  expect(server.requests[0]!.headers.get("x-key")).toBe("k");
  const none = { [`name.example:${port}`]: ["127.0.0.2", "127.0.0.3"] };
  await expect(
    pinnedRequest(`http://name.example:${port}/`, { addresses: none, signal: signal() }),
  ).rejects.toThrow("the connection was refused");
});

Deno.test("pinned request > an error does not contain the query of the URL", async () => {
  const host = `name.example:${closedPort()}`;
  const addresses = { [host]: ["127.0.0.1"] };
  const urls = [`http://${host}/v1?k=secret-word`, "ftp://name.example/v1?k=secret-word"];
  for (const url of [...urls, "no URL?k=secret-word", `http://${host}/v1#secret-word`]) {
    const error = await pinnedRequest(url, { addresses, signal: signal() }).catch(String);
    expect(error).toContain("Cannot fetch");
    expect(error).not.toContain("secret-word");
  }
});

Deno.test("pinned request > a redirect is returned, and a response without a body is accepted", async () => {
  await using server = countingServer((path) => {
    if (path === "/moved") {
      return new Response("moved", { status: 302, headers: { location: "/there" } });
    }
    return new Response(null, { status: path === "/none" ? 204 : 304 });
  });
  const addresses = { [server.host]: ["127.0.0.1"] };
  for (const [path, status] of [["/moved", 302], ["/none", 204], ["/same", 304]] as const) {
    const url = `http://${server.host}${path}`;
    const response = await pinnedRequest(url, { addresses, signal: signal() });
    expect(response.status).toBe(status);
    await response.body?.cancel();
  }
  expect(server.requests.length).toBe(3);
});

Deno.test("pinned request > an error does not contain the value of a header", async () => {
  await using server = countingServer(() => new Response("here"));
  const closed = `127.0.0.1:${closedPort()}`;
  const addresses = { [server.host]: ["127.0.0.1"], [closed]: ["127.0.0.1"] };
  const secret = "s3cret-value";
  const cases: [url: string, headers: Record<string, string>][] = [
    [`http://${server.host}/`, { authorization: `${secret}\nx: y` }],
    [`http://${server.host}/`, { authorization: `${secret}\u0100` }],
    [`http://${closed}/`, { authorization: secret }],
    ["http://other.example/", { authorization: secret }],
  ];
  for (const [url, headers] of cases) {
    const error = await pinnedRequest(url, { addresses, headers, signal: signal() })
      .then(() => "no error", (error) => `${error} ${JSON.stringify(error.details)}`);
    expect(error).toContain("Cannot fetch");
    expect(error).not.toContain(secret);
  }
});

Deno.test("pinned request > its signal ends it, before the response and in the body", async () => {
  const never = Promise.withResolvers<Response>();
  await using server = countingServer((path) =>
    path === "/never"
      ? never.promise
      : new Response(new ReadableStream({ pull: () => never.promise.then(() => {}) }))
  );
  const addresses = { [server.host]: ["127.0.0.1"] };
  const stop = new AbortController();
  const asked = pinnedRequest(`http://${server.host}/never`, { addresses, signal: stop.signal });
  expect(await until(() => server.requests.length > 0)).toBe(true);
  stop.abort(new DOMException("enough", "AbortError"));
  await expect(asked).rejects.toThrow("enough");
  const other = new AbortController();
  const { body } = await pinnedRequest(`http://${server.host}/slow`, {
    addresses,
    signal: other.signal,
  });
  const reading = body!.getReader().read();
  other.abort();
  await expect(reading).rejects.toThrow();
  never.resolve(new Response("late"));
});

Deno.test("pinned request > a server that sends informational responses without end is disconnected", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  let sent = 0;
  const serving = (async () => {
    using connection = await listener.accept();
    const line = new TextEncoder().encode("HTTP/1.1 103 Early Hints\r\n\r\n");
    try {
      for (; sent < 5_000_000; sent++) await connection.write(line);
    } catch { /* The client has disconnected. */ }
  })();
  const addresses = { [`name.example:${port}`]: ["127.0.0.1"] };
  await expect(pinnedRequest(`http://name.example:${port}/`, { addresses, signal: signal() }))
    .rejects.toThrow("informational responses only");
  await serving;
  expect(sent).toBeLessThan(5_000_000);
  listener.close();
});
