/** The output that a tool prints never reaches stdout, and never breaks an answer. */
import { expect } from "@std/expect";
import {
  oneLine,
  type Result,
  temporaryDirectory,
  toolcall,
} from "../../../../support/executable.ts";
import { Peer } from "../../../../support/mcp/peer.ts";
import { added, ignore, open, scoped, tools, ways } from "./printing_tools.ts";

Deno.test({
  name:
    "prints > the output of a call goes to stderr after the tool's name, and the answer is complete",
  ignore,
  async fn(t) {
    const program = await added();
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
  name: "prints > a flood of output is truncated over MCP, and the next call is answered",
  ignore,
  async fn() {
    const program = await added();
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
