/** The page that `toolcall check` prints for a user. */
import { expect } from "@std/expect";
import { atTerminal } from "../../../../support/at_terminal.ts";
import {
  executable,
  oneLine,
  temporaryDirectory,
  toolcall,
} from "../../../../support/executable.ts";
import { withoutColors } from "../../../../support/on_terminal.ts";
import { hasTerminals } from "../../../../support/pseudo_terminal.ts";

const ignore = !hasTerminals;

Deno.test({
  name: "check at a terminal > the page shows needs, sandbox, access and a command that works",
  ignore,
  async fn() {
    const args = ["check", "Bash", '{"command":"ls"}'];
    for (const columns of [60, 80, 120]) {
      const seen = await atTerminal(args, { columns });
      expect({ code: seen.code, broken: seen.broken }).toEqual({ code: 6, broken: [] });
      const plain = await atTerminal(args, { columns, env: { NO_COLOR: "1" } });
      expect(plain.written).not.toContain("\x1b");
      expect(withoutColors(seen.written)).toBe(plain.written);
      const text = seen.lines.join("\n");
      expect(seen.lines.slice(0, 2)).toEqual([
        "Bash  Run a shell command",
        "  needs      ✗ run bash  --allow-run=bash",
      ]);
      expect(text).toMatch(/\n {2}sandbox {4}the permissions of the runtime/);
      expect(text).toMatch(/\n {2}may read {3}a private temporary directory/);
      expect(text).toContain("\n  may write  a private temporary directory\n  network    none\n");
      expect(seen.lines.slice(-2)).toEqual([
        "Not granted. To allow it:",
        '    toolcall --allow-run=bash,ls Bash \'{"command":"ls"}\'',
      ]);
    }
    const granted = await atTerminal(["check", "--allow-run=bash", "Bash", '{"command":"ls"}']);
    expect(granted.code).toBe(0);
    expect(granted.written).toContain("\x1b[32m✓\x1b[0m run bash");
    expect(granted.lines.slice(-4)).toEqual([
      "Granted. To run it:",
      '    toolcall --allow-run=bash Bash \'{"command":"ls"}\'',
      "To allow the programs in it too:",
      '    toolcall --allow-run=bash --allow-run=ls Bash \'{"command":"ls"}\'',
    ]);
  },
});

Deno.test({
  name: "check at a terminal > the suggested command of a refused call is granted",
  ignore,
  async fn(t) {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    Deno.writeTextFileSync(`${cwd}/a b,c.txt`, "x");
    const calls: [name: string, args: Record<string, unknown>][] = [
      ["fs.read", { path: "a b,c.txt" }],
      ["fs.write", { path: "it's new.txt", content: "$(id)" }],
      ["WebFetch", { url: "https://example.com/a", prompt: "x" }],
      ["Bash", { command: "echo 'a b'" }],
    ];
    for (const [name, args] of calls) {
      await t.step(name, async () => {
        const seen = await atTerminal(["check", name, JSON.stringify(args)], { cwd, columns: 200 });
        expect(seen.code).toBe(6);
        const at = seen.lines.indexOf("Not granted. To allow it:");
        const command = seen.lines.slice(at + 1).join("\n");
        const { stdout, code } = await new Deno.Command("sh", {
          args: ["-c", command.replace("toolcall", `"${executable}" check`)],
          cwd,
        }).output();
        expect({ command, code }).toEqual({ command, code: 0 });
        expect(JSON.parse(new TextDecoder().decode(stdout)).granted).toBe(true);
      });
    }
  },
});

Deno.test({
  name: "check at a terminal > the page differs for open, denied, invalid and unknown calls",
  ignore,
  async fn() {
    const table: [args: string[], code: number, says: string[]][] = [
      [["-A", "Bash", '{"command":"ls"}'], 0, [
        "sandbox    none: the call may do everything that you may do",
        "may read   everything",
        "network    everything",
      ]],
      [["-R", "Read", '{"file_path":"/etc/hosts"}'], 0, ["may read   every file, except files"]],
      [["TodoWrite", '{"todos":[]}'], 0, ["needs      no permission", "Granted. To run it:"]],
      [["-A", "--deny-run=bash", "Bash", '{"command":"ls"}'], 6, [
        "✗ run bash  denied by --deny-run=bash",
        "Not granted. A flag denies it",
      ]],
      [["WebFetch", '{"url":"https://example.com","prompt":"x"}'], 6, [
        "✗ net example.com:443  --allow-net=example.com:443",
        "network    the addresses of example.com:443",
      ]],
      [["Reed", "{}"], 4, ["error[tool_not_found]: ", 'help: run "toolcall describe Read"']],
      [["Read", "{}"], 5, ["error[invalid_arguments]: ", "help: the arguments are"]],
    ];
    for (const [args, code, says] of table) {
      const seen = await atTerminal(["check", ...args], { columns: 120 });
      expect({ args, code: seen.code }).toEqual({ args, code });
      for (const each of says) expect(seen.lines.join("\n")).toContain(each);
    }
  },
});

Deno.test("check > a pipe gets JSON, and --format=text prints the page", async () => {
  const call = ["Bash", '{"command":"ls"}'];
  const json = await toolcall(["check", ...call]);
  expect(oneLine(json)).toMatchObject({ tool: "Bash", granted: false });
  expect((await toolcall(["check", "--format=json", ...call])).stdout).toBe(json.stdout);
  const text = await toolcall(["check", "--format=text", ...call]);
  expect(text.code).toBe(6);
  expect(text.stdout).toContain("Not granted. To allow it:\n    toolcall --allow-run=bash,ls Bash");
  expect(text.stdout).not.toContain("\x1b");
  expect((await toolcall(["check", "--format=mcp", ...call])).code).toBe(2);
});
