/** A running server notices changes of the files that decide about its tools (finding A9). */
import { expect } from "@std/expect";
import { withTools } from "../../executable/runner/tools_directory/shouting_tool.ts";
import { post, served, session } from "./http_client.ts";
import { type Message, Peer } from "../../support/mcp/peer.ts";
import { trustFile } from "../../support/trust.ts";
import { until } from "../../support/wait.ts";

const TOOL = (result: string) =>
  `import { simpleTool } from "toolcall";
export default simpleTool("own", "Says something.", () => ${JSON.stringify(result)});
`;

const NAMES = { tools: { disabled: ["Glob"] } };
const COMMAND = { commands: { say: { description: "Says hello.", run: ["echo", "hello"] } } };

/** A server, its names of tools, and the number of its notifications about them. */
function server(flags: string[], { tools, work }: { tools: string; work: string }) {
  const env = { HOME: `${work}/home`, XDG_CONFIG_HOME: `${work}/config` };
  const peer = Peer.start(["-A", `--tools-dir=${tools}`, ...flags], { cwd: work, env });
  const isNotice = ({ method }: Message) => method === "notifications/tools/list_changed";
  const names = async (): Promise<string[]> =>
    (await peer.request("tools/list")).result.tools.map(({ name }: { name: string }) => name);
  const notices = () => peer.unasked.filter(isNotice).length;
  return {
    peer,
    names,
    /** Makes a change, and waits for a notification about it and for a state of the list. */
    async after(change: () => void, isReached: (names: string[]) => boolean) {
      const before = notices();
      change();
      expect(await until(() => notices() > before)).toBe(true);
      expect(await until(async () => isReached(await names()))).toBe(true);
    },
  };
}

Deno.test("mcp server > new, changed and removed tools of files are noticed, and the client is notified", async () => {
  using here = withTools({});
  const { names, after, peer } = server([], here);
  await using _ = peer;
  await peer.initialize();
  expect(await names()).toContain("Glob");
  const file = `${here.tools}/own.ts`;
  const write = (text: string) => {
    Deno.writeTextFileSync(file, text);
    Deno.chmodSync(file, 0o644);
  };
  const text = async (name: string) => (await peer.call(name)).result.content[0].text;
  await after(() => write(TOOL("first")), (all) => all.includes("own"));
  expect(await text("own")).toBe("first");
  await after(() => write(TOOL("second one")), (all) => all.includes("own"));
  expect(await until(async () => await text("own") === "second one")).toBe(true);

  const config = `${here.work}/toolcall.json`;
  Deno.writeTextFileSync(config, JSON.stringify({ ...COMMAND, ...NAMES }));
  expect(await until(async () => !(await names()).includes("Glob"))).toBe(true);
  expect((await peer.call("say")).result.isError).toBe(true);
  await after(() => trustFile(config), (all) => all.includes("say"));
  expect(await text("say")).toBe("hello\n");
  const disabled = await peer.call("Glob", { pattern: "*" });
  expect(JSON.stringify(disabled)).toContain("disabled");

  await after(() => Deno.removeSync(config), (all) => !all.includes("say"));
  expect(await names()).toContain("Glob");
  await after(() => Deno.removeSync(file), (all) => !all.includes("own"));
  const gone = await peer.call("own");
  expect(gone.error?.code).toBe(-32601);
});

Deno.test("mcp server > a session over HTTP has the tools of the changed files", async () => {
  using here = withTools({});
  const config = `${here.work}/own.json`;
  Deno.writeTextFileSync(config, "{}");
  await using server = await served([`--config=${config}`, `--tools-dir=${here.tools}`]);
  const headers = await session(server.url);
  const listing = async () =>
    await (await post(server.url, { jsonrpc: "2.0", id: 1, method: "tools/list" }, headers)).text();
  expect(await listing()).toContain('"Glob"');
  Deno.writeTextFileSync(config, JSON.stringify({ ...COMMAND, ...NAMES }));
  expect(await until(async () => (await listing()).includes('"say"'))).toBe(true);
  expect(await listing()).not.toContain('"Glob"');
});
