import { expect } from "@std/expect";
import { toolcall } from "../../../../support/executable.ts";
import { nasty, world } from "../../../../support/mcp/client_world.ts";
import { hasLlama, readGrammar } from "../../../../support/llama.ts";

const call = (name: string, args: unknown) => JSON.stringify({ name, arguments: args });

Deno.test("toolcall grammar > the grammar has each named tool once, by any of its names", async () => {
  const { code, stdout, stderr } = await toolcall(["grammar", "fs_read", "fs.read", "Glob"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n")[0]).toBe("root ::= fs-read-call | glob-call");
  if (!hasLlama) return;
  const admits = await readGrammar(stdout);
  expect(admits(call("fs.read", { path: "a" }))).toBe(true);
  expect(admits(call("fs.read", { path: "/a" }))).toBe(false);
  expect(admits(call("fs.list", { path: "a" }))).toBe(false);
});

Deno.test("toolcall grammar > omitted features of a schema are reported, and fail with --strict", async () => {
  const says = 'toolcall: "WebFetch": the grammar omits arguments.url: "format"\n';
  for (const names of [[], ["WebFetch"]]) {
    const loose = await toolcall(["grammar", ...names]);
    expect(loose.code).toBe(0);
    expect(loose.stderr.startsWith(says)).toBe(true);
    if (names.length > 0) expect(loose.stderr).toBe(says);
    expect(loose.stdout).toMatch(/^root ::= .*webfetch-call/);
    expect(await toolcall(["grammar", "--strict", ...names])).toEqual({ ...loose, code: 1 });
  }
  expect((await toolcall(["grammar", "--strict", "Read", "Grep"])).code).toBe(0);
});

Deno.test("toolcall grammar > an unknown name is a wrong command line", async () => {
  const { code, stdout, stderr } = await toolcall(["grammar", "Grpe"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain('did you mean "Grep"?');
});

Deno.test("toolcall grammar > the grammar has the tools of MCP servers", async () => {
  using place = world(() => ({ it: nasty("plain") }));
  const { code, stdout, stderr } = await place.run(["grammar", "mcp__it__echo", "--allow-mcp"]);
  expect([code, stderr]).toEqual([0, ""]);
  if (!hasLlama) return;
  const admits = await readGrammar(stdout);
  expect(admits(call("mcp__it__echo", { text: "x" }))).toBe(true);
  expect(admits(call("mcp__it__echo", { text: 1 }))).toBe(false);
});
