import { expect } from "@std/expect";
import { temporaryDirectory } from "../../support/executable.ts";
import { type Message, Peer } from "../../support/mcp/peer.ts";
import { waitFor } from "../../support/wait.ts";

async function startPeer(flags: string[], cwd: string): Promise<Peer> {
  const peer = Peer.start(flags, { cwd });
  await peer.initialize();
  return peer;
}

/** Waits for a notification of that method. */
function unasked(peer: Peer, method: string): Promise<Message> {
  return waitFor(method, () => peer.unasked.find((message) => message.method === method));
}

Deno.test("mcp resources > a server offers resources only with a read grant", async () => {
  using directory = temporaryDirectory();
  const rows: [flags: string[], offers: boolean][] = [
    [["--allow-read=."], true],
    [["-R"], true],
    [[], false],
    [["--allow-write=."], false],
    [["-A", "--deny-read"], false],
  ];
  for (const [flags, offers] of rows) {
    await using peer = Peer.start(flags, { cwd: directory.path });
    const { result } = await peer.initialize();
    expect([flags, "resources" in result.capabilities]).toEqual([flags, offers]);
    const { error } = await peer.request("resources/list");
    expect(error?.code).toBe(offers ? undefined : -32601);
  }
});

Deno.test("mcp resources > the list has pages, without ignored files, denied files and symlinks to other directories", async () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  Deno.mkdirSync(`${path}/many`);
  for (let at = 0; at < 150; at++) Deno.writeTextFileSync(`${path}/many/${1000 + at}`, "");
  Deno.mkdirSync(`${path}/.git`);
  Deno.writeTextFileSync(`${path}/.gitignore`, "ignored\n");
  for (const name of ["ignored", "secret", "a b#?.md"]) {
    Deno.writeTextFileSync(`${path}/${name}`, "x");
  }
  Deno.symlinkSync("/etc/passwd", `${path}/stray`);
  await using peer = await startPeer(["--allow-read=.", "--deny-read=secret"], path);
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const { result } = await peer.request("resources/list", cursor === undefined ? {} : { cursor });
    names.push(...result.resources.map(({ name }: { name: string }) => name));
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  expect(names).toEqual([
    ...[".gitignore", "a b#?.md"],
    ...Array.from({ length: 150 }, (_, at) => String(1000 + at)),
  ]);
  const { error } = await peer.request("resources/list", { cursor: "?" });
  expect(error?.code).toBe(-32602);
});

Deno.test("mcp resources > a client can read a text file by the template, and an image", async () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  Deno.writeTextFileSync(`${path}/a b.md`, "# Ü\n");
  Deno.writeFileSync(`${path}/image.txt`, Uint8Array.fromHex("89504e470d0a1a0a00"));
  await using peer = await startPeer(["--allow-read=."], path);
  const templates = await peer.request("resources/templates/list");
  const { uriTemplate } = templates.result.resourceTemplates[0];
  const uri = uriTemplate.replace("{+path}", "a%20b.md");
  expect((await peer.request("resources/read", { uri })).result.contents)
    .toEqual([{ uri, mimeType: "text/markdown", text: "# Ü\n" }]);
  const image = `file://${path}/image.txt`;
  expect((await peer.request("resources/read", { uri: image })).result.contents)
    .toEqual([{ uri: image, mimeType: "image/png", blob: "iVBORw0KGgoA" }]);
});

Deno.test("mcp resources > a read fails outside the read grant, and for anything but a regular file", async () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  Deno.mkdirSync(`${path}/in`);
  Deno.writeTextFileSync(`${path}/out`, "SECRET");
  Deno.writeTextFileSync(`${path}/in/denied`, "SECRET");
  Deno.writeTextFileSync(`${path}/in/plain`, "plain");
  Deno.symlinkSync("../out", `${path}/in/link`);
  Deno.symlinkSync("denied", `${path}/in/inner`);
  new Deno.Command("mkfifo", { args: [`${path}/in/pipe`] }).outputSync();
  using large = Deno.openSync(`${path}/in/large`, { write: true, create: true });
  large.truncateSync(9 * 1024 * 1024);
  await using peer = await startPeer(["--allow-read=in", "--deny-read=in/denied"], path);
  const rows: [uri: string, why: RegExp][] = [
    [`file://${path}/in/../out`, /Permission denied/],
    [`file://${path}/in/%2e%2e/out`, /Permission denied/],
    [`file://${path}/in/..%2fout`, /escaped slash/],
    [`file://${path}/in/link`, /Permission denied/],
    [`file://${path}/in/inner`, /--deny-read/],
    [`file://${path}/in/denied`, /--deny-read/],
    [`file://${path}/in/pipe`, /named pipe/],
    [`file://${path}/in`, /directory/],
    [`file://${path}/in/large`, /has 9.0 MiB/],
    [`file://${path}/in/none`, /no such file/],
    ["file:///dev/zero", /Permission denied/],
    ["file:///proc/self/environ", /Permission denied/],
    [`file://host${path}/in/plain`, /does not begin with/],
    [`file:${path}/in/plain`, /does not begin with/],
    [`file://${path}/in/plain?x`, /query/],
    [`file://${path}/in/plain%00`, /NUL/],
    [`file://${path}/in/%ff`, /not UTF-8/],
    ["https://example.com/", /does not begin with/],
    ["", /does not begin with/],
  ];
  for (const [uri, why] of rows) {
    const { result, error } = await peer.request("resources/read", { uri });
    expect(result).toBeUndefined();
    expect([uri, error?.code]).toEqual([uri, -32602]);
    expect(error!.message).toMatch(why);
    expect(JSON.stringify(error)).not.toContain("SECRET");
  }
  const missing = await peer.request("resources/read", { uri: `file://${path}/in/none` });
  expect(missing.error?.data).toEqual({ uri: `file://${path}/in/none` });
});

Deno.test("mcp resources > a subscription reports a change of its file, and a forbidden subscription fails", async () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  const uri = `file://${path}/later.txt`;
  await using peer = await startPeer(["--allow-read=."], path);
  expect((await peer.request("resources/subscribe", { uri })).result).toEqual({});
  const refused = await peer.request("resources/subscribe", { uri: "file:///etc/passwd" });
  expect(refused.error?.message).toMatch(/Permission denied/);
  Deno.writeTextFileSync(`${path}/later.txt`, "now");
  expect((await unasked(peer, "notifications/resources/updated")).params).toEqual({ uri });
  await peer.request("resources/unsubscribe", { uri });
});

Deno.test("mcp resources > --tools restricts the listed tools but not the resources", async () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  Deno.writeTextFileSync(`${path}/a.txt`, "a");
  await using peer = await startPeer(["--allow-read=.", "--tools=Glob"], path);
  const { result } = await peer.request("resources/read", { uri: `file://${path}/a.txt` });
  expect(result.contents[0].text).toBe("a");
  const { result: { tools } } = await peer.request("tools/list");
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(["Glob"]);
});
