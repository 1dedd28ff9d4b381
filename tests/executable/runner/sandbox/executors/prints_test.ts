/** The output that a tool prints never reaches stdout, and never breaks an answer. */
import { expect } from "@std/expect";
import { takesTools, withTools } from "../../../../support/added_tools.ts";
import {
  oneLine,
  type Result,
  temporaryDirectory,
  toolcall,
} from "../../../../support/executable.ts";
import { Peer } from "../../../../support/mcp/peer.ts";

const directory = "tests/executable/runner/sandbox/executors/prints/tools";
const ignore = !takesTools;

/**
 * A tool for each executor: in a Worker, in the kernel's sandbox, with the network, and in its own
 * process.
 */
const tools = ["print_nothing_granted", "print_reader", "print_network", "print_program"];
const net = "--allow-net=127.0.0.1:9";
const [scoped, open] = [["-R=.", net, "--allow-run=true"], ["-A", net]];

/** Each way to print, the text that it shows, and its level in MCP. */
const ways: [way: string, seen: string[], level: string][] = [
  ["log", ["log text 3 { a: 1 }"], "info"],
  ["info", ["info"], "info"],
  ["debug", ["debug"], "debug"],
  ["warn", ["warn"], "warning"],
  ["error", ["error"], "error"],
  ["table", ["│ (index) │ column │"], "info"],
  ["dir", ["{ dir: 2 }"], "info"],
  ["lines", ["first", "second"], "info"],
  ["Deno.stdout.writeSync", ["written at once"], "info"],
  ["Deno.stdout.write", ["written"], "info"],
  ["Deno.stdout.writable", ["streamed"], "info"],
  ["process.stdout.write", ["by the process"], "info"],
];

Deno.test({
  name:
    "prints > the output of a call goes to stderr after the tool's name, and the answer is complete",
  ignore,
  async fn(t) {
    using program = await withTools(directory, tools);
    using work = temporaryDirectory();
    for (const flags of [scoped, open]) {
      for (const tool of tools) {
        await t.step(`${tool} ${flags[0]}`, async () => {
          const run = await toolcall([...flags, tool, '{"way":"all"}'], {
            ...{ env: program.env, cwd: work.path },
          });
          expect((oneLine(run) as Result).content).toEqual([{ type: "text", text: "answered" }]);
          expect(run.code).toBe(0);
          const lines = run.stderr.trimEnd().split("\n");
          expect(lines.filter((line) => !line.startsWith(`${tool}: `))).toEqual([]);
          expect(lines).toContain(`${tool}: while ${tool} is loaded`);
          for (const [, seen] of ways) {
            for (const each of seen) expect(lines).toContain(`${tool}: ${each}`);
          }
        });
      }
    }
    await t.step("a refused call, check and a batch accept a tool that prints", async () => {
      const refused = await toolcall(["print_reader", "{}"], program);
      expect((oneLine(refused) as Result).isError).toBe(true);
      const check = await toolcall(["check", "print_reader", '{"way":"all"}', "-A"], program);
      expect(oneLine(check)).toMatchObject({ granted: true });
      const content = ["a", "b"].map((id) => (
        { type: "tool_use", id, name: "print_program", input: { way: "all" } }
      ));
      const stdin = JSON.stringify({ role: "assistant", content });
      const batch = await toolcall(["-A", "--format=anthropic"], { ...program, stdin });
      expect(JSON.stringify(oneLine(batch)).match(/answered/g)).toHaveLength(2);
      expect(batch.stderr.match(/^print_program: streamed$/gm)).toHaveLength(2);
    });
  },
});

Deno.test({
  name: "prints > the output over MCP becomes log messages of the call, and the stream stays valid",
  ignore,
  async fn(t) {
    using program = await withTools(directory, tools);
    using work = temporaryDirectory();
    for (const flags of [scoped, open]) {
      await using peer = Peer.start(flags, { cwd: work.path, env: program.env });
      await peer.initialize();
      await peer.request("logging/setLevel", { level: "debug" });
      for (const tool of tools) {
        await t.step(`${tool} ${flags[0]}`, async () => {
          for (const [way, seen, level] of ways) {
            peer.unasked.splice(0);
            const { result } = await peer.call(tool, { way });
            expect(result.content).toEqual([{ type: "text", text: "answered" }]);
            const messages = peer.unasked.filter(({ method }) => method === "notifications/message")
              .map(({ params }) => params as { level: string; logger: string; data: string });
            const printed = messages.filter(({ data }) => !data.startsWith("while "));
            expect(printed.map(({ level, logger }) => [level, logger])).toEqual([[level, tool]]);
            for (const each of seen) expect(printed[0]!.data).toContain(each);
          }
          peer.unasked.splice(0);
          await peer.call(tool, { way: "nothing" });
          expect(peer.unasked.filter(({ params }) => params?.["data"] === "").length).toBe(0);
        });
      }
      await t.step(
        `calls of several tools at once log under their own names ${flags[0]}`,
        async () => {
          peer.unasked.splice(0);
          await Promise.all(tools.map((tool) => peer.call(tool, { way: "info" })));
          const loggers = peer.unasked.filter(({ params }) => params?.["data"] === "info")
            .map(({ params }) => params!["logger"]);
          expect(loggers.sort()).toEqual([...tools].sort());
        },
      );
    }
  },
});

Deno.test({
  name: "prints > a flood of output is truncated over MCP, and the next call is answered",
  ignore,
  async fn() {
    using program = await withTools(directory, tools);
    await using peer = Peer.start(open, { env: program.env });
    await peer.initialize();
    for (const tool of tools) {
      peer.unasked.splice(0);
      const { result } = await peer.call(tool, { way: "flood" });
      expect(result.content[0].text).toBe("answered");
      const texts = peer.unasked.filter(({ params }) => params?.["logger"] === tool)
        .map(({ params }) => String(params!["data"]));
      expect(texts.at(-1)).toContain("is omitted");
      expect(texts.join("").length).toBeLessThan(2 ** 21);
    }
    expect((await peer.call("print_reader", { way: "nothing" })).result.isError).toBe(false);
  },
});
