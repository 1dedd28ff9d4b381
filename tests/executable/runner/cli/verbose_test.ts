/** The lines of `--verbose` on stderr. */
import { expect } from "@std/expect";
import { toolcall } from "../../../support/executable.ts";

const read = ["fs.read", '{"path":"hosts"}'];

Deno.test("--verbose > a call prints its needs, the granted flags, the plan and its duration", async () => {
  const flags = ["--root=/etc", "--allow-read=/etc"];
  const plain = await toolcall([...flags, ...read]);
  const { code, stdout, stderr } = await toolcall(["--verbose", ...flags, ...read]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: plain.stdout });
  expect(plain.stderr).toBe("");
  const env = { TOOLCALL_DEBUG: "1" };
  const debugged = await toolcall([...flags, ...read], { env });
  expect([debugged.stdout, debugged.stderr.split("\n").length])
    .toEqual([stdout, stderr.split("\n").length]);
  const lines = stderr.trimEnd().split("\n");
  expect(lines.slice(0, 2)).toEqual([
    "toolcall: fs.read: needs: read /etc/hosts: granted",
    "toolcall: fs.read: granted: --root=/etc --allow-read=/etc",
  ]);
  expect(lines[2]).toMatch(/^toolcall: fs\.read: plan: \w+, ready after \d+ ms$/);
  expect(lines[3]).toMatch(/^toolcall: fs\.read: succeeded after \d+ ms$/);
});

Deno.test("--verbose > a refused call prints the missing flag, and the error of a tool its stack", async () => {
  const refused = await toolcall(["--verbose", "--root=/etc", ...read]);
  expect(refused.code).toBe(6);
  expect(refused.stderr)
    .toContain("needs: read /etc/hosts: missing, needs --allow-read=/etc/hosts\n");
  for (const flags of [["-A"], ["--allow-read=/"]]) {
    const failed = await toolcall(["--verbose", ...flags, "fs.read", '{"path":"no such file"}']);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/fs\.read: Error: Cannot read .*\n.*fs\.read: +at .*\.js:\d+/);
    expect(failed.stdout).not.toContain(".js:");
  }
});

Deno.test("--verbose > check, submit and mcp print the same lines on stderr", async () => {
  const flags = ["--verbose", "--root=/etc", "--allow-read=/etc"];
  const said = "toolcall: fs.read: needs: read /etc/hosts: granted\n";
  expect((await toolcall(["check", ...flags, ...read])).stderr).toContain(said);
  const call = { name: "fs.read", arguments: { path: "hosts" } };
  const submitted = await toolcall(["submit", ...flags], { stdin: `${JSON.stringify(call)}\n` });
  expect(submitted.stderr).toContain(said);
  expect(submitted.stderr).toMatch(/succeeded after \d+ ms/);
  const info = { name: "test", version: "1" };
  const messages = [
    {
      ...{ id: 1, method: "initialize" },
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: info },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { ...call, name: "fs_read" } },
  ];
  const stdin = messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join("");
  const served = await toolcall(["mcp", ...flags], { stdin });
  expect(served.stderr).toMatch(/needs: read \/etc\/hosts: granted\n/);
});
