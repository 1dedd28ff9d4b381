import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { checkTool } from "../../../../scripts/check_tool.ts";
import type { PermissionKind } from "../../../../src/runner/registry/define.ts";
import { lint } from "../../../../src/runner/schema/definitions/lint.ts";
import { callGrammar } from "../../../../src/base/gbnf/grammar.ts";
import type { ToolMetadata } from "../../../../src/runner/registry/registered_tool.ts";
import { type SimpleKind, simpleTool } from "../../../../src/runner/registry/simple_tool.ts";
import { takesTools, withTools } from "../../../support/added_tools.ts";
import { call, oneLine, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { contextFor } from "../../../support/tool_context.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const directory = "tests/executable/runner/registry/simple_tools";
const names = ["add", "first_line", "reach", "return_it"];

Deno.test({
  name: "simpleTool > simple tools run in the executable",
  ignore: !takesTools,
  async fn(t) {
    using program = await withTools(directory, names);
    using work = temporaryDirectory();
    const { env } = program;
    const inside = `${work.path}/file`;
    Deno.writeTextFileSync(inside, "first\nsecond\n");
    await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
      return new Response("reached");
    });
    const host = `127.0.0.1:${server.addr.port}`;

    await t.step("a function runs without flags and is listed with an open schema", async () => {
      const sum = await call("add", { a: 1, b: 2, of: ["any"] }, { env });
      expect([sum.exit, sum.text]).toEqual([0, "3"]);
      const { tools } = oneLine(await toolcall(["list", "add", "--format=mcp"], { env })) as {
        tools: Record<string, unknown>[];
      };
      expect(tools.map(({ icons: _, ...tool }) => tool)).toEqual([{
        name: "add",
        title: "add",
        description: "Adds the numbers a and b",
        inputSchema: { type: "object", additionalProperties: true },
        annotations: { title: "add", readOnlyHint: true, openWorldHint: false },
        _meta: {
          "toolcall/category": "utility",
          "toolcall/optionality": "optional",
          "toolcall/usageHint": "",
        },
      }]);
      expect((await toolcall(["describe", "add"], { env })).stdout)
        .toContain("Arguments:\n  any (none are declared)\n");
    });

    const allOf = [
      ...[`--allow-read=${work.path}`, `--allow-write=${work.path}`, `--allow-net=${host}`],
      ...["--allow-run", "--allow-env", "--allow-sys"],
    ];
    const ways: [how: string, what: string, kind: PermissionKind][] = [
      ["read", inside, "read"],
      ["read later", inside, "read"],
      ["write", `${work.path}/new`, "write"],
      ["net", `http://${host}/`, "net"],
      ["connect", host, "net"],
      ["run", "true", "run"],
      ["env", "HOME", "env"],
    ];
    for (const flags of [["-A"], allOf, []]) {
      const under = flags.length > 1 ? "scoped flags" : flags[0] ?? "no flag";
      for (const [how, what, kind] of ways) {
        await t.step(
          `a permission that the tool does not declare is refused: ${how}, under ${under}`,
          async () => {
            const refused = await call("reach", { how, what }, { env, flags });
            expect(refused.exit).toBe(6);
            expect(refused.text).toContain(`Requires ${kind} access`);
            expect(refused.text).toContain(`"reach" does not declare: add "${kind}"`);
          },
        );
      }
      await t.step(
        `a thread that the tool starts has no more permissions, under ${under}`,
        async () => {
          const args = JSON.stringify({ how: "worker", what: inside });
          const { code, stdout } = await toolcall([...flags, "reach", args], { env });
          expect([code, stdout.includes("second")]).toEqual([1, false]);
          expect(stdout).toContain("Requires read access");
        },
      );
    }
    expect([...Deno.readDirSync(work.path)].map(({ name }) => name)).toEqual(["file"]);

    await t.step("a process that answers many calls under -A sandboxes the tool too", async () => {
      const input = { jsonrpc: "2.0", id: 1, method: "tools/call" };
      const order = { name: "reach", arguments: { how: "read", what: inside } };
      const { stdout } = await toolcall(["mcp", "-A"], {
        env,
        stdin: JSON.stringify({ ...input, params: order }) + "\n",
      });
      expect(stdout).toContain("Requires read access");
    });

    await t.step("check reports the sandbox of the tool under -A", async () => {
      const run = await toolcall(["check", "-A", "add", "{}"], { env });
      const { sandbox } = oneLine(run) as { sandbox: { runtime: Record<string, unknown> } };
      expect(sandbox.runtime["write"]).toEqual([]);
    });

    await t.step("a declared permission is granted only if the flags allow it", async () => {
      const flags = [`--allow-read=${inside}`];
      const line = await call("first_line", { path: inside }, { env, flags });
      expect([line.exit, line.text]).toEqual([0, "first"]);
      const own = await call("first_line", { path: inside }, { env });
      expect([own.exit, own.text]).toEqual([
        6,
        `Permission denied: reading "${inside}" needs --allow-read=${inside}`,
      ]);
      const also = await call("first_line", { path: inside, also: "/etc/hosts" }, { env, flags });
      expect([also.exit, also.text]).toEqual([
        6,
        'Requires read access to "/etc/hosts"; needs --allow-read',
      ]);
      for (const all of [["-A"], allOf]) {
        const net = await call("first_line", { path: inside, host: `http://${host}` }, {
          env,
          flags: all,
        });
        expect(net.exit).toBe(6);
        expect(net.text).toContain('"first_line" does not declare: add "net"');
      }
    });
  },
});

Deno.test("simpleTool > a returned value becomes a string, blocks or JSON text, and any other value fails", async () => {
  const image = { type: "image", data: "", mimeType: "image/png" };
  const rows: [value: unknown, output: unknown][] = [
    ["text", "text"],
    ["", ""],
    [[{ type: "text", text: "a" }, image], [{ type: "text", text: "a" }, image]],
    [[{ type: "text" }], '[{"type":"text"}]'],
    [[{ type: "text", text: "a" }, 5], '[{"type":"text","text":"a"},5]'],
    [[], "[]"],
    [{ a: [1, null] }, '{"a":[1,null]}'],
    [0, "0"],
    [null, "null"],
    [Promise.resolve(false), "false"],
  ];
  for (const [value, output] of rows) {
    const { run } = simpleTool("t", "T", () => value);
    expect(await run({}, contextFor("."))).toEqual(output);
  }
  for (const value of [undefined, () => 1, Symbol("a"), 5n]) {
    const { run } = simpleTool("t", "T", () => value);
    await expect(run({}, contextFor("."))).rejects.toThrow();
  }
});

Deno.test("simpleTool > the side effect follows from the kinds of permissions", () => {
  const rows: [kinds: SimpleKind[], effect: string][] = [
    [[], "none"],
    [["read"], "read_only"],
    [["env"], "read_only"],
    [["read", "net"], "network"],
    [["net", "write"], "mutating"],
    [["read", "write", "net", "run"], "spawns"],
  ];
  for (const [kinds, effect] of rows) {
    const permissions = { kinds, needs: () => [] };
    const { sideEffect } = simpleTool("t", "T", () => 1, { permissions });
    expect([kinds, sideEffect]).toEqual([kinds, effect]);
  }
});

Deno.test("simpleTool > generate accepts a simple tool without examples, and refuses one without a description", () => {
  const fn = () => 1;
  expect(checkTool("a_b", { default: simpleTool("a_b", "Does b", fn) })).toEqual([]);
  expect(checkTool("a_b", { default: simpleTool("a_b", " ", fn) })).toEqual([
    "the description is empty",
  ]);
  const { simple: _, ...defined } = simpleTool("a_b", "Does b", fn);
  expect(checkTool("a_b", { default: defined })).toEqual(["it has no example"]);
  const kinds: PermissionKind[] = ["mcp"];
  const mcp = { ...simpleTool("a_b", "Does b", fn), permissions: { kinds, needs: () => [] } };
  expect(checkTool("a_b", { default: mcp })[0]).toContain('cannot have the permission "mcp"');
});

Deno.test("simpleTool > an open schema has a grammar, and only the definition for Gemini loses something", () => {
  const { name, description, usageHint, inputSchema } = simpleTool("t", "T", () => 1);
  const tool = { name, description, usageHint, inputSchema } as unknown as ToolMetadata;
  expect(callGrammar([tool]).problems).toEqual([]);
  const names = new Map([["t", "t"]]);
  const known = { ...tool, sideEffect: "none" } as ToolMetadata;
  expect(lint([known], names)).toEqual([{
    api: "gemini",
    tool: "t",
    problem: "/: arguments of any name are accepted, and none can be declared",
  }]);
});

Deno.test("docs/tools.md > the function on the page is a tool, and runs", async () => {
  const page = Deno.readTextFileSync(`${root}docs/tools.md`);
  const [, code] = page.match(/```ts\n([^]*?)```/)!;
  using work = temporaryDirectory();
  Deno.mkdirSync(`${work.path}/tools`, { mode: 0o700 });
  Deno.writeTextFileSync(`${work.path}/tools/line_count.ts`, code!);
  Deno.chmodSync(`${work.path}/tools/line_count.ts`, 0o644);
  Deno.writeTextFileSync(`${work.path}/README.md`, "one\ntwo\n");
  const flags = ["--tools-dir=tools", "--allow-read=."];
  const { text } = await call("line_count", { path: "README.md" }, { flags, cwd: work.path });
  expect(text).toBe('{"lines":2}');
});
