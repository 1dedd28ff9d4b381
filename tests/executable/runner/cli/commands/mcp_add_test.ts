/** `toolcall mcp add` writes an MCP server into the configuration. */
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../../support/executable.ts";

Deno.test("mcp add > a program and an address are added, and a wrong command line changes nothing", async () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  const file = `${path}/toolcall.json`;
  const run = (...args: string[]) =>
    toolcall(["mcp", "add", ...args], { cwd: path, env: { XDG_CONFIG_HOME: `${path}/home` } });
  const added = await run("files", "--", "file-server", "--root", ".");
  expect(added.code).toBe(0);
  expect(added.stdout).toContain("outside of the sandbox");
  expect(added.stdout).toContain("--allow-mcp=files");
  expect((await run("docs", "https://docs.example/mcp")).code).toBe(0);
  const { mcpServers } = JSON.parse(Deno.readTextFileSync(file));
  expect(mcpServers).toEqual({
    files: { command: "file-server", args: ["--root", "."] },
    docs: { url: "https://docs.example/mcp" },
  });
  const before = Deno.readTextFileSync(file);
  const cases: [args: string[], why: string][] = [
    [["files", "--", "other"], "has it already"],
    [["one"], "Missing operand"],
    [["a b", "--", "server"], "invalid name"],
    [["more", "https://docs.example/mcp", "x"], "Unexpected argument"],
    [["more", "--write", "--", "server"], "--write"],
  ];
  for (const [args, why] of cases) {
    const { code, stderr } = await run(...args);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(why);
  }
  expect(Deno.readTextFileSync(file)).toBe(before);
});
