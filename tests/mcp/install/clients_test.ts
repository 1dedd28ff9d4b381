/** `toolcall mcp list`, `uninstall`, the names of clients, and `--scope`. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../support/executable.ts";

const cache = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME") || "/var/tmp"}/.cache`;

/** A home directory with a project in it. */
function world() {
  const directory = temporaryDirectory();
  const home = directory.path;
  Deno.mkdirSync(`${home}/project`);
  Deno.mkdirSync(cache, { recursive: true, mode: 0o700 });
  Deno.symlinkSync(cache, `${home}/.cache`);
  return {
    home,
    mcp: (args: string[], env: Record<string, string> = {}) =>
      toolcall(["mcp", ...args], {
        cwd: `${home}/project`,
        env: {
          ...{ HOME: home, XDG_CACHE_HOME: "", TOOLCALL_CACHE_DIR: "", XDG_CONFIG_HOME: "" },
          ...{ CODEX_HOME: "", ...env },
        },
      }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("mcp list > the list shows which files have the server, and uninstall removes it", async (t) => {
  const befores: [client: string, file: string, before: string][] = [
    [
      "cursor",
      "project/.cursor/mcp.json",
      '{\n  // mine\n  "mcpServers": {"a": {"command": "x"}}\n}\n',
    ],
    [
      "zed",
      ".config/zed/settings.json",
      '{\n  "theme": "One", // dark\n  "context_servers": {}\n}\n',
    ],
    ["opencode", "project/opencode.json", '{\n  "mcp": {}\n}\n'],
    [
      "codex",
      ".codex/config.toml",
      'model = "m" # mine\n\n[mcp_servers.a]\ncommand = "x" # first\n\n[other]\nx = 1\n',
    ],
    ["codex", ".codex/config.toml", "# only mine\n"],
  ];
  for (const [client, file, before] of befores) {
    await t.step(`${client}: ${JSON.stringify(before.slice(0, 20))}`, async () => {
      using it = world();
      const path = `${it.home}/${file}`;
      Deno.mkdirSync(path.replace(/\/[^/]*$/, ""), { recursive: true });
      Deno.writeTextFileSync(path, before);
      const state = async () => {
        const { stdout } = await it.mcp(["list", "--format=json"]);
        return JSON.parse(stdout).find((each: { file: string }) => each.file === path).state;
      };
      expect(await state()).toBe("not installed");
      await it.mcp(["install", client, "-A", "--write"]);
      expect(await state()).toBe("installed");
      const look = await it.mcp(["uninstall", client]);
      expect(look).toMatchObject({ code: 0, stderr: "" });
      expect(look.stdout).toContain("--write removes it");
      expect(await state()).toBe("installed");
      const removed = await it.mcp(["uninstall", client, "--write"]);
      expect(removed.code).toBe(0);
      expect(removed.stdout).toContain('Removed the server "toolcall"');
      expect(await state()).toBe("not installed");
      const squeezed = (text: string) => text.replaceAll(/\s+/g, "");
      expect(squeezed(Deno.readTextFileSync(path))).toBe(squeezed(before));
      const again = await it.mcp(["uninstall", client, "--write"]);
      expect(again.stdout).toContain("Nothing to do");
    });
  }
});

Deno.test("mcp uninstall > a missing file is not created, and an invalid file is an error", async () => {
  using it = world();
  const missing = await it.mcp(["uninstall", "kiro", "--write"]);
  expect(missing.stdout).toContain("Nothing to do");
  expect([...Deno.readDirSync(`${it.home}/project`)]).toEqual([]);
  Deno.writeTextFileSync(`${it.home}/project/.mcp.json`, '{"mcpServers": {');
  const invalid = await it.mcp(["uninstall", "claude-code", "--write"]);
  expect(invalid.code).toBe(1);
  expect(invalid.stderr).toContain("not valid JSON");
  expect((await it.mcp(["list"])).stdout).toMatch(/claude-code +project +unreadable/);
});

Deno.test("mcp install > the file of opencode has the command as a list", async () => {
  using it = world();
  const { stdout } = await it.mcp(["install", "opencode", "-R", "--bundle=read_only"]);
  const command = [executable, "mcp", "--allow-read", "--bundle=read_only"];
  expect(JSON.parse(stdout).mcp.toolcall).toEqual({ type: "local", enabled: true, command });
});

Deno.test("mcp install > --scope chooses the file, and a project's file has a name in PATH instead of a path", async () => {
  using it = world();
  const PATH = `${executable.replace(/\/[^/]*$/, "")}:${Deno.env.get("PATH")}`;
  const commandOf = async (...args: string[]) => {
    const { stdout } = await it.mcp(["install", "cursor", "-R", ...args], { PATH });
    return JSON.parse(stdout).mcpServers.toolcall.command;
  };
  expect(await commandOf()).toBe("toolcall");
  expect(await commandOf("--scope=project")).toBe("toolcall");
  expect(await commandOf("--scope=user")).toBe(executable);
  // Without --write, nothing is written.
  const written = () => [it.home, `${it.home}/project`].map((path) => [...Deno.readDirSync(path)]);
  expect(written().flat().map(({ name }) => name).sort()).toEqual([".cache", "project"]);
  await it.mcp(["install", "cursor", "-R", "--scope=user", "--write"]);
  expect(Deno.statSync(`${it.home}/.cursor/mcp.json`).isFile).toBe(true);
  const user = await it.mcp(["list", "--scope=user"]);
  expect(user.stdout).toMatch(/cursor +user +installed/);
  expect(user.stdout).not.toContain("project ");
});

Deno.test("mcp > an invalid client, scope or command is an error that says what to write", async () => {
  using it = world();
  const rows: [args: string[], says: string][] = [
    [["install", "claude"], "write claude-code (Claude Code) or claude-desktop (Claude Desktop)"],
    [["install", "cursr"], 'did you mean "cursor"?'],
    [["install", "nothing-like-it"], "available: claude-code"],
    [["instal", "cursor"], 'did you mean "install"?'],
    [["install", "zed", "--scope=project"], "omit --scope"],
    [["install", "claude-code", "--scope=user"], "claude mcp add --scope user"],
    [["install", "cursor", "--scope=all"], "available: project and user"],
    [["list", "--write"], 'Cannot use --write with "mcp list"'],
    [["--scope=user"], "Cannot use --scope here"],
  ];
  for (const [args, says] of rows) {
    const run = await it.mcp(args);
    expect({ args, code: run.code, stdout: run.stdout }).toEqual({ args, code: 2, stdout: "" });
    expect(run.stderr).toContain(says);
  }
  for (const name of ["Copilot", "qwen", "lm-studio", "VSCode"]) {
    expect((await it.mcp(["install", name, "-R"])).code).toBe(0);
  }
  const bare = await it.mcp(["install", "cursor"]);
  expect(bare.stderr).toContain("mcp install cursor --allow-read=. --bundle=read_only");
});
