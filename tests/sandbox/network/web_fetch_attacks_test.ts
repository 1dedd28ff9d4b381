/** Attacks N1, N2, N4, N5 and N6 of docs/attacks.md: addresses and responses for WebFetch. */
// tier: machine
import { expect } from "@std/expect";
import { machineSpellings, privateHosts } from "../../support/attack_hosts.ts";
import { call } from "../../support/executable.ts";
import { type CountingServer, countingServer, endless } from "../../support/counting_server.ts";
import { Leaks } from "../../support/leaks.ts";

function fetchPage(url: string, flags: string[], env: Record<string, string> = {}) {
  return call("WebFetch", { url, prompt: "What is it?" }, { flags, env });
}

/** Flags that allow all public hosts, and no address of this machine. */
const PUBLIC_ONLY = [["--allow-net"], ["-A"], ["-A", "--allow-net"], [
  "--allow-net=:@,example.com",
]];

Deno.test("network > N1 no spelling of this machine is reached under flags that do not name it", async (t) => {
  await using here = countingServer(() => new Response("the machine's own"));
  await using here6 = countingServer(() => new Response("the machine's own"), "::1");
  const leaks = new Leaks();
  const attempts = [
    ...machineSpellings.map((host) => [host, here.port] as const),
    ...["[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "localhost"].map((host) =>
      [host, here6.port] as const
    ),
  ];
  for (const [host, port] of attempts) {
    for (const flags of PUBLIC_ONLY) {
      const url = `http://${host}:${port}/`;
      const given = flags.map((flag) => flag.replace("@", `${port}`));
      const { exit, text } = await fetchPage(url, given);
      // An invalid URL is an invalid argument.
      const isRefused = exit === 6 ? text.includes("--allow-net=") : exit === 5;
      leaks.note(`${url} ${given}`, isRefused, `${exit} ${text}`);
    }
  }
  for (const server of [here, here6]) {
    leaks.note(server.host, server.requests.length === 0, "reached");
  }
  await t.step("a flag that names an address of this machine opens it", async () => {
    for (const { host } of [here, here6]) {
      for (const flags of [[`--allow-net=${host}`], ["-A", `--allow-net=${host}`]]) {
        expect((await fetchPage(`http://${host}/`, flags)).text).toContain("the machine's own");
      }
    }
    expect([here.requests.length, here6.requests.length]).toEqual([1, 1]);
  });
  await leaks.report(t, attempts.length * PUBLIC_ONLY.length + 2);
});

Deno.test("network > N2 cloud metadata and private networks are not reached under flags that do not name them", async (t) => {
  const leaks = new Leaks();
  for (const host of privateHosts) {
    for (const flags of PUBLIC_ONLY) {
      const given = flags.map((flag) => flag.replace("@", "80"));
      // A connection that is tried and not answered would end as a timeout, not as a refusal.
      const { exit, text } = await fetchPage(`http://${host}:80/`, given);
      leaks.note(`${host} ${given}`, exit === 6, `${exit} ${text}`);
    }
  }
  await leaks.report(t, privateHosts.length * PUBLIC_ONLY.length);
});

Deno.test("network > N4 each hop of a redirect is checked, and only the same host is followed", async (t) => {
  await using inner = countingServer(() => new Response("the inside"));
  const targets = [
    ...[`http://${inner.host}/`, `http://localhost:${inner.port}/`, "http://169.254.169.254/"],
    ...[
      `http://2130706433:${inner.port}/`,
      `//${inner.host}/`,
      `http://[::ffff:127.0.0.1]:${inner.port}/`,
    ],
    ...["file:///etc/passwd", "data:text/plain,inside", "ftp://127.0.0.1/", "javascript:1"],
    ...["gopher://127.0.0.1/", "http://user:pass@127.0.0.1/", "http://", "\\\\127.0.0.1\\x"],
    `http://127.0.0.1:${inner.port}@evil.example/`,
  ];
  await using server = countingServer((path) => {
    const at = /^\/to\/(\d+)$/.exec(path)?.[1];
    const left = /^\/steps\/(\d+)$/.exec(path)?.[1];
    if (at !== undefined) return redirect(targets[Number(at)]!);
    if (left === "0") return new Response("the end");
    if (left !== undefined) return redirect(`/steps/${Number(left) - 1}`, "a=b");
    return path === "/loop" ? redirect("/loop") : undefined;
  });
  const leaks = new Leaks();
  for (const [at, target] of targets.entries()) {
    // The flag allows the inner server, but the call does not name it.
    const flags = [`--allow-net=${server.host},${inner.host}`];
    const { text, isError } = await fetchPage(`http://${server.host}/to/${at}`, flags);
    const isNotFollowed = isError || text.includes("It was not followed");
    leaks.note(target, isNotFollowed && !text.includes("the inside"), text);
  }
  leaks.note("the inner server", inner.requests.length === 0, "reached");
  const flags = [`--allow-net=${server.host}`];
  await t.step("twenty redirects are followed, without the cookies that they set", async () => {
    expect((await fetchPage(`http://${server.host}/steps/20`, flags)).text).toContain("the end");
    const steps = server.requests.filter(({ path }) => path.startsWith("/steps/"));
    expect(steps.length).toBe(21);
    expect(steps.filter(({ headers }) => headers.has("cookie"))).toEqual([]);
  });
  for (const path of ["/steps/21", "/loop"]) {
    const before = server.requests.length;
    const { exit, text } = await fetchPage(`http://${server.host}${path}`, flags);
    const count = server.requests.length - before;
    leaks.note(path, exit === 1 && text.includes("more than 20 times") && count === 21, text);
  }
  await leaks.report(t, targets.length + 3);
});

function redirect(location: string, cookie?: string): Response {
  const headers = new Headers({ location });
  if (cookie !== undefined) headers.set("set-cookie", cookie);
  return new Response("moved", { status: 302, headers });
}

Deno.test("network > N5 a grant is for one host and port", async (t) => {
  await using allowed = countingServer(() => new Response("allowed"));
  await using other = countingServer(() => new Response("other"));
  const { host, port } = allowed;
  const flags = [`--allow-net=${host}`];
  const urls = [
    ...[
      `http://${other.host}/`,
      `http://${host}@${other.host}/`,
      `http://${host}:x@${other.host}/`,
    ],
    ...[`http://${other.host}#@${host}/`, `http://${other.host}?@${host}/`],
    ...[`http://${other.host}\\@${host}/`, `http://127.0.0.1.evil.example:${port}/`],
    ...[`http://127.0.0.1%00.evil.example:${port}/`, `http://127.0.0.1%2eevil.example:${port}/`],
    ...[`http://127.0.0.1\u0000:${port}/`, `http://127.0.0.2:${port}/`, `http://[::1]:${port}/`],
    ...[`https://127.0.0.1/`, `http://127.0.0.1/`, `http://x127.0.0.1:${port}/`],
    ...[`http://localhost:${port}/`, `http://[::ffff:127.0.0.1]:${port}/`],
    ...[`http://127.0.0.1:${port}0/`, `http://127.0.0.1:0${port}0/`, `http://*:${port}/`],
  ];
  const leaks = new Leaks();
  for (const url of urls) {
    const { exit, text } = await fetchPage(url, flags);
    leaks.note(url, [5, 6].includes(exit), `${exit} ${text}`);
  }
  leaks.note("the other server", other.requests.length === 0, "reached");
  leaks.note("the allowed server", allowed.requests.length === 0, "reached");
  await t.step("every other spelling of the host is reached", async () => {
    for (const same of [host, `127.1:${port}`, `127.0.0.1.:${port}`, `2130706433:0${port}`]) {
      expect((await fetchPage(`http://${same}/?${same}`, flags)).text).toContain("allowed");
    }
    expect(allowed.requests.length).toBe(4);
  });
  await leaks.report(t, urls.length + 2);
});

const MEBIBYTE = 1024 * 1024;
/** The longest time of a call whose server sends a byte a second, in seconds. It has a time limit. */
const MAX_DRIP_S = 1_200;
/** The most bytes that a server can send, before compression. A part of them stays in buffers. */
const MAX_TAKEN = 512 * MEBIBYTE;

async function compressed(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Answers of hostile servers, each with a text that the result must contain. */
const feeds: [
  what: string,
  answer: (server: CountingServer) => Response | Promise<Response>,
  says: string,
][] = [
  [
    "an endless body",
    (server) => typed("text/plain", endless(server, new Uint8Array(MEBIBYTE).fill(97))),
    "Only the first 10.0 MiB",
  ],
  [
    "an endless body, compressed a thousandfold",
    (server) => {
      const body = endless(server, new Uint8Array(MEBIBYTE).fill(97));
      const squeezed = body.pipeThrough(new CompressionStream("gzip"));
      return typed("text/plain", squeezed, { "content-encoding": "gzip" });
    },
    "Only the first 10.0 MiB",
  ],
  [
    "a body that is not compressed as it says",
    () => typed("text/plain", "no gzip at all", { "content-encoding": "gzip" }),
    "Cannot fetch",
  ],
  [
    "a compressed body in compressed bodies",
    async () =>
      typed("text/plain", await compressed(await compressed(new Uint8Array(MEBIBYTE).fill(97))), {
        "content-encoding": "gzip, gzip",
      }),
    "an encoding that was not requested",
  ],
  [
    "a million nested elements",
    () => typed("text/html", `${"<div>".repeat(1e6)}deep down`),
    "deep down",
  ],
  [
    "a million nested elements without an end tag",
    () => typed("text/html", `${"<td><p>".repeat(1e6)}deep down`),
    "deep down",
  ],
  [
    "a million scripts without an end tag",
    () => typed("text/html", `before${"<script>".repeat(1e6)}`),
    "before",
  ],
  [
    "a million comments without an end",
    () => typed("text/html", `before${"<!--".repeat(1e6)}`),
    "before",
  ],
  [
    "a million quotes in a tag",
    () => typed("text/html", `before<a href="${"'\"".repeat(1e6)}`),
    "before",
  ],
  [
    "ten megabytes of paragraphs",
    () => typed("text/html", `<p>before</p>${"<p>word".repeat(1.4e6)}`),
    "before",
  ],
  [
    "a header of a megabyte",
    () => typed("text/plain", "x", { "x-long": "a".repeat(MEBIBYTE) }),
    "header",
  ],
];

function typed(type: string, body: BodyInit, headers: Record<string, string> = {}): Response {
  return new Response(body, { headers: { "content-type": type, ...headers } });
}

Deno.test("network > N6 endless and hostile answers are limited, and the result says so", async (t) => {
  await using server = countingServer((path, own) => feeds[Number(path.slice(1))]![1](own));
  await using slow = countingServer((_, own) =>
    typed("text/plain", endless(own, new TextEncoder().encode("a"), 1000))
  );
  const leaks = new Leaks();
  const begin = performance.now();
  const drip = fetchPage(`http://${slow.host}/`, [`--allow-net=${slow.host}`])
    .then((result) => ({ ...result, seconds: (performance.now() - begin) / 1000 }));
  for (const [at, [what, , says]] of feeds.entries()) {
    server.sent = 0;
    const { exit, text } = await fetchPage(`http://${server.host}/${at}`, [
      `--allow-net=${server.host}`,
    ]);
    const isBounded = exit < 2 && text.includes(says) && text.length < 120_000;
    leaks.note(what, isBounded, `${exit} ${text.slice(0, 300)}`);
    leaks.note(
      `the bytes that are taken of ${what}`,
      server.sent <= MAX_TAKEN,
      `${server.sent} bytes`,
    );
  }
  const dripped = await drip;
  leaks.note(
    "a byte a second",
    dripped.exit === 7 && dripped.text.includes("time limit"),
    dripped.text,
  );
  leaks.note("the time of a byte a second", dripped.seconds < MAX_DRIP_S, `${dripped.seconds} s`);
  await leaks.report(t, feeds.length * 2 + 2);
});

Deno.test("network > WebFetch ignores proxies of the environment", async () => {
  await using proxy = countingServer(() => new Response("through the proxy"));
  await using server = countingServer(() => new Response("straight"));
  const address = `http://${proxy.host}`;
  const { text } = await fetchPage(`http://${server.host}/`, [`--allow-net=${server.host}`], {
    ...{ http_proxy: address, HTTP_PROXY: address, ALL_PROXY: address, all_proxy: address },
    ...{ NODE_USE_ENV_PROXY: "1", NODE_OPTIONS: "--use-env-proxy", no_proxy: "" },
  });
  expect(text).toContain("straight");
  expect([proxy.requests.length, server.requests.length]).toEqual([0, 1]);
});
