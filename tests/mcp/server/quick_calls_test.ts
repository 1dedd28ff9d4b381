/** Calls that only read: the threads that they start, and their answers. */
import { expect } from "@std/expect";
import { initialize, listen, Peer } from "../../support/mcp/peer.ts";
import { initializeAnswers } from "./initialize_answers.ts";
import { readAtOnce, sceneWithDenied as scene } from "./scenes.ts";

const isLinux = Deno.build.os === "linux";

Deno.test({
  name: "quick calls > the first fifty reads of a server start one thread and no process",
  ignore: !isLinux,
  async fn() {
    using it = scene();
    await using peer = Peer.start(it.flags, { cwd: it.path });
    await peer.initialize();
    const texts = await readAtOnce(peer, `${it.path}/file.txt`, 50);
    expect(new Set(texts)).toEqual(new Set(["     1\twhat is inside\n"]));
    const tasks = `/proc/${peer.process.pid}/task`;
    const names = [...Deno.readDirSync(tasks)].map(({ name }) =>
      Deno.readTextFileSync(`${tasks}/${name}/comm`).trim()
    );
    expect(names.filter((name) => name.startsWith("worker-"))).toHaveLength(1);
    const children = [...Deno.readDirSync(tasks)].map(({ name }) =>
      Deno.readTextFileSync(`${tasks}/${name}/children`)
    );
    expect(children.join("").trim()).toBe("");
  },
});

Deno.test("quick calls > a quick call, a usual call and a call over HTTP have the same answer", async () => {
  using it = scene();
  await using peer = Peer.start(it.flags, { cwd: it.path });
  await using server = await listen(it.flags, { cwd: it.path });
  await peer.initialize();
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = (body: object, more: Record<string, string> = {}) =>
    fetch(server.url, {
      method: "POST",
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  const begun = await post(initialize);
  await begun.body?.cancel();
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id")! };
  for (
    const [name, args] of [
      ["Read", { file_path: `${it.path}/file.txt` }],
      ["Read", { file_path: `${it.path}/none.txt` }],
      ["Read", { file_path: `${it.path}/denied.txt` }],
      ["Read", { file_path: `${it.path}/file.txt`, offset: "1" }],
      ["Read", { offset: 1 }],
      ["fs_read", { path: "file.txt" }],
      ["fs.list", {}],
      ["Raed", {}],
    ] as const
  ) {
    const params = { name, arguments: args };
    const quick = [
      await peer.request("tools/call", params),
      await peer.request("tools/call", params),
    ];
    // The library answers a request that has `_meta`.
    const usual = await peer.request("tools/call", { ...params, _meta: { own: 1 } });
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const text = await (await post(request, session)).text();
    const overHttp = text.split("\n").map((line) => line.replace(/^data: /, ""))
      .filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
      .find(({ id }) => id === 1);
    for (const { result, error } of [...quick, overHttp]) {
      expect({ result, error }).toEqual({ result: usual.result, error: usual.error });
    }
  }
});

Deno.test("quick calls > a read over HTTP is answered with JSON, and only in its session", async () => {
  using it = scene();
  await using server = await listen(it.flags, { cwd: it.path });
  const post = async (body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, type: response.headers.get("content-type"), text, response };
  };
  const { response } = await post(initialize);
  const session = { "mcp-session-id": response.headers.get("mcp-session-id")! };
  const params = { name: "Read", arguments: { file_path: `${it.path}/file.txt` } };
  const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params };
  const good = await post(call, session);
  expect([good.status, good.type]).toEqual([200, "application/json"]);
  expect(JSON.parse(good.text)).toMatchObject({ id: 7, result: { isError: false } });
  expect((await post(call)).status).toBe(400);
  expect((await post(call, { "mcp-session-id": "none" })).status).toBe(404);
  expect((await post(call, { ...session, "mcp-protocol-version": "1999-01-01" })).status).toBe(400);
  expect((await post(call, { ...session, accept: "application/json" })).status).toBe(406);
});

// quick_initialize_test.ts does this for each kind of client and each revision.
Deno.test("quick calls > the initialize request of a client with all capabilities gets the answer of the library", async () => {
  using it = scene();
  const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } };
  const answers = await initializeAnswers(it, { version: "2025-11-25", capabilities });
  expect(answers[0]!.result.protocolVersion).toBe("2025-11-25");
  expect(answers[0]).toEqual(answers[1]);
});
