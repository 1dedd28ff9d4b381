/** The servers that the protocol's authors publish, over each transport. */
// tier: machine
import { expect } from "@std/expect";
import { modern, type World, world } from "../../support/mcp/client_world.ts";
import { until } from "../../support/wait.ts";
import { everythingServer, filesystemServer, isMissing } from "../../support/packages.ts";

const ignore = await isMissing("server-everything");

/** Returns a port where nothing listens. */
function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

/** Starts the server of everything at a port, and waits until it answers there. */
async function listening(transport: "streamableHttp" | "sse", path: string) {
  const port = freePort();
  const { command, args, env } = everythingServer(transport);
  const child = new Deno.Command(command, {
    args,
    env: { ...env, PORT: String(port) },
    ...{ stdin: "null", stdout: "null", stderr: "null" },
  }).spawn();
  const url = `http://127.0.0.1:${port}${path}`;
  const doesAnswer = async () => {
    try {
      await (await fetch(`http://127.0.0.1:${port}/nothing`)).body?.cancel();
      return true;
    } catch {
      return false;
    }
  };
  expect(await until(doesAnswer)).toBe(true);
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

/** Expects that the features of the server work over a transport. */
async function expectFeatures({ call }: World): Promise<void> {
  const tool = (name: string, args = {}) => call(`mcp__it__${name}`, args);
  expect((await tool("echo", { message: "hello" })).text).toBe("Echo: hello");
  expect((await tool("get-sum", { a: 2, b: 3 })).text).toContain("5");
  const wrong = await tool("get-sum", { a: "two" });
  expect([wrong.exit, wrong._meta?.["toolcall/error"]["problemCount"]]).toEqual([5, 2]);
  const image = await tool("get-tiny-image");
  expect(image.content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
  expect(image.content[1]!.mimeType).toBe("image/png");
  const { structuredContent } = await tool("get-structured-content", { location: "Chicago" });
  expect(typeof structuredContent!["temperature"]).toBe("number");
  const slow = await tool("trigger-long-running-operation", { duration: 0.2, steps: 2 });
  expect(slow.text).toContain("Steps: 2");
}

Deno.test({
  name: "mcp client > server-everything works over stdio",
  ignore,
  fn: async (t) => {
    using place = world(() => ({ it: everythingServer("stdio") }));
    const { call } = place;
    await t.step("the usual features work", () => expectFeatures(place));
    await t.step("blocks keep their annotations", async () => {
      const args = { messageType: "error", includeImage: true };
      const { content } = await call("mcp__it__get-annotated-message", args);
      expect(content[0]).toMatchObject({ annotations: { priority: 1 } });
      expect(content[1]!.type).toBe("image");
    });
    await t.step("results contain resources and links to them", async () => {
      const links = await call("mcp__it__get-resource-links", { count: 2 });
      expect(links.content.map(({ type }) => type))
        .toEqual(["text", "resource_link", "resource_link"]);
      const args = { resourceType: "Text", resourceId: 3 };
      const { content } = await call("mcp__it__get-resource-reference", args);
      expect(content[1]).toMatchObject({
        type: "resource",
        resource: { uri: "demo://resource/dynamic/text/3" },
      });
    });
    await t.step("its resources and templates are listed", async () => {
      const { text } = await call("ListMcpResources", { server: "it" });
      expect(text).toContain("it  demo://resource/dynamic/text/{resourceId} (template, ");
      expect(text).toMatch(/^it {2}demo:\/\/resource\/static\/document\/\S+ \(.*text\/markdown\)/m);
    });
    await t.step("text and binary resources can be read", async () => {
      const read = (uri: string) => call("ReadMcpResource", { server: "it", uri });
      const text = await read("demo://resource/dynamic/text/7");
      expect([text.content.length, text.content[0]!.type]).toEqual([1, "text"]);
      expect(text.text).toContain("Resource 7");
      const blob = await read("demo://resource/dynamic/blob/7");
      expect(blob.content[0]).toMatchObject({
        type: "resource",
        resource: { uri: "demo://resource/dynamic/blob/7" },
      });
      const missing = await read("demo://resource/nothing");
      expect([missing.exit, missing._meta?.["toolcall/error"].code]).toEqual([1, "tool_failed"]);
    });
  },
});

Deno.test({
  name: "mcp client > server-everything works over streamable HTTP",
  ignore,
  fn: async () => {
    await using server = await listening("streamableHttp", "/mcp");
    using place = world(() => ({ it: { type: "streamable-http", url: server.url } }));
    await expectFeatures(place);
    expect((await place.call("ListMcpResources")).text).toContain("it  demo://");
  },
});

Deno.test({
  name: "mcp client > server-everything works over the older transport, configured or detected",
  ignore,
  fn: async () => {
    await using server = await listening("sse", "/sse");
    using place = world(() => ({ it: { type: "sse", url: server.url } }));
    await expectFeatures(place);
    using other = world(() => ({ it: { url: server.url } }));
    expect((await other.call("mcp__it__echo", { message: "found" })).text).toBe("Echo: found");
  },
});

Deno.test({
  name: "mcp client > server-filesystem allows only the directories of its arguments",
  ignore: await isMissing("server-filesystem"),
  fn: async () => {
    using place = world((directory) => {
      Deno.mkdirSync(`${directory}/open`);
      Deno.writeTextFileSync(`${directory}/open/note.txt`, "A note\n");
      return { files: filesystemServer(`${directory}/open`) };
    });
    const read = (path: string) => place.call("mcp__files__read_text_file", { path });
    const note = await read(`${place.path}/open/note.txt`);
    expect([note.text, note.structuredContent]).toEqual(["A note\n", { content: "A note\n" }]);
    // The working directory of the call is no root, because roots would replace these directories.
    const config = await read(`${place.path}/toolcall.json`);
    expect([config.exit, config.text.includes("Access denied")]).toEqual([1, true]);
  },
});

Deno.test("mcp client > the client uses the newest revision with a server that has it", async () => {
  using place = world(() => ({ it: modern() }));
  for (const round of ["listed first", "from the cache"]) {
    const { text } = await place.call("mcp__it__say", { text: round });
    expect(text).toMatch(new RegExp(`^${round} .*"2026-07-28"`));
  }
});
