import { expect } from "@std/expect";
import { flags } from "../../../src/runner/cli/flags.ts";
import { executable, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { cache, fileOf, install, isMac, places, read } from "./home.ts";

/** The flag that the server gets if no other flag selects tools. */
const BUNDLE = "--bundle=code_agent";

const titles: Readonly<Record<string, string>> = {
  ...{ vscode: "VS Code", gemini: "Gemini CLI", roo: "Roo Code", lmstudio: "LM Studio" },
  "copilot-cli": "GitHub Copilot CLI",
};

Deno.test("mcp install > each client's file gets the entry of the server, and a second install changes nothing", async (t) => {
  for (const [client, file, key, type] of places) {
    await t.step(client, async () => {
      using directory = temporaryDirectory();
      const home = directory.path;
      const args = [client, "--allow-read=.,/a,,b", "--allow-run=bash,./x", "--write"];
      const first = await install(args, { home });
      expect(first.code).toBe(0);
      expect(first.stderr).toMatch(/tools cost about \d+ tokens.*\ntoolcall: Next: /);
      expect(first.stdout).toBe(
        `Created "${home}/${file}" with the server "toolcall" for ${
          titles[client] ??
            client.split("-").map((word) => word[0]!.toUpperCase() + word.slice(1)).join(" ")
        }\n`,
      );
      expect(read(`${home}/${file}`)).toEqual({
        [key]: {
          toolcall: {
            ...(type && { type }),
            command: executable,
            args: [
              "mcp",
              `--allow-read=${home}/project,/a,,b`,
              `--allow-run=bash,${home}/project/x`,
              BUNDLE,
            ],
            ...(client === "codex" && { startup_timeout_sec: 30 }),
            ...(client === "copilot-cli" && { tools: ["*"] }),
          },
        },
      });
      const bytes = Deno.readTextFileSync(`${home}/${file}`);
      const second = await install(args, { home });
      expect(second.stdout).toContain("Nothing to do");
      expect(Deno.readTextFileSync(`${home}/${file}`)).toBe(bytes);
    });
  }
});

Deno.test("mcp install > the entry has every flag that is given, with absolute paths", async (t) => {
  const rows: [flags: string[], args: string[]][] = [
    [["-A"], ["--allow-all"]],
    [["-RW=out"], ["--allow-read", "--allow-write=$HOME/project/out"]],
    [["--allow-net", "--allow-net=10.0.0.1:80"], ["--allow-net", "--allow-net=10.0.0.1:80"]],
    [["--deny-read=key", "-R"], ["--allow-read", "--deny-read=$HOME/project/key"]],
    [["-R=.", "--state-dir", "s"], ["--allow-read=$HOME/project", "--state-dir=$HOME/project/s"]],
    [["-R", "--audit", "l"], ["--allow-read", "--audit=$HOME/project/l"]],
    [["-R=.", "--root", ".."], ["--allow-read=$HOME/project", "--root=$HOME"]],
    [["--allow-run", "--unconfined-run"], ["--allow-run", "--unconfined-run"]],
    [["--allow-env=A", "-E=B", "--session=x"], ["--allow-env=A,B", "--session=x"]],
  ];
  for (const [flags, args] of rows) {
    await t.step(flags.join(" "), async () => {
      using directory = temporaryDirectory();
      const { stdout } = await install(["gemini", ...flags], { home: directory.path });
      expect(JSON.parse(stdout).mcpServers.toolcall.args)
        .toEqual(["mcp", ...args.map((each) => each.replace("$HOME", directory.path)), BUNDLE]);
    });
  }
});

/** The flags that only `mcp install` itself, a server over HTTP or another subcommand takes. */
const NOT_INSTALLED = [
  ...["http", "token-env", "no-token", "origin", "write", "print", "name", "scope", "format"],
  ...["all", "no-open", "auth-server"],
];

/** Each other flag of a server, as it is given and as the entry has it. */
const serverFlags: Readonly<Record<string, [given: string, args: string[]]>> = {
  "allow-all": ["--allow-all", ["--allow-all"]],
  bundle: ["--bundle=read_only", ["--bundle=read_only"]],
  tools: ["--tools=Read", ["--tools=Read"]],
  "no-tools": ["--no-tools=Bash", ["--no-tools=Bash"]],
  // The entry has the flags of the permission set.
  "permission-set": ["--permission-set=mine", ["--allow-read=$HOME/project"]],
  root: ["--root=sub", ["--root=$HOME/project/sub"]],
  "state-dir": ["--state-dir=s", ["--state-dir=$HOME/project/s"]],
  config: ["--config=t.json", ["--config=$HOME/project/t.json"]],
  "tools-dir": ["--tools-dir=sub", ["--tools-dir=$HOME/project/sub"]],
  "memory-dir": ["--memory-dir=sub", ["--memory-dir=$HOME/project/sub"]],
  session: ["--session=x", ["--session=x"]],
  "unconfined-run": ["--unconfined-run", ["--unconfined-run"]],
  limit: ["--limit=files=100", ["--limit=files=100"]],
  ask: ["--ask=exec:./asks", ["--ask=exec:$HOME/project/asks"]],
  "no-links": ["--no-links", ["--no-links"]],
  audit: ["--audit=l", ["--audit=$HOME/project/l"]],
  "audit-max-size": ["--audit=l --audit-max-size=1M", [
    "--audit=$HOME/project/l",
    "--audit-max-size=1M",
  ]],
  verbose: ["--verbose", ["--verbose"]],
  prompts: ["--prompts=sub", ["--prompts=$HOME/project/sub"]],
  strict: ["--strict", ["--strict"]],
  structured: ["--structured", ["--structured"]],
  "upstream-names": ["--upstream-names", ["--upstream-names"]],
  "all-tools": ["--all-tools", ["--all-tools"]],
};

/** Each of these flags is tested by itself, because it excludes other flags or changes their effect. */
const ALONE = [
  ...["allow-all", "permission-set", "config", "root", "unconfined-run"],
  ...["bundle", "tools", "no-tools", "all-tools", "tools-dir"],
];

Deno.test("mcp install > the entry can have each flag of a server, with absolute paths", async (t) => {
  const names = flags.filter(({ commands, permission }) =>
    commands?.includes("mcp") && permission === undefined
  ).map(({ name }) => name);
  expect(names.filter((name) => !NOT_INSTALLED.includes(name)).sort())
    .toEqual(Object.keys(serverFlags).sort());
  using directory = temporaryDirectory();
  const home = Deno.realPathSync(directory.path);
  put(`${home}/project/sub/note.md`, "A prompt\n");
  put(`${home}/project/asks`, "#!/bin/sh\n");
  Deno.chmodSync(`${home}/project/asks`, 0o755);
  put(`${home}/project/t.json`, JSON.stringify({ permissions: { mine: { read: ["."] } } }));
  const entryWith = async (args: string[]): Promise<string[]> => {
    const run = await install(["gemini", ...args], { home });
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: run.stderr });
    return JSON.parse(run.stdout).mcpServers.toolcall.args;
  };
  const given = ([name, [text]]: [string, [given: string, args: string[]]]) => [
    ...text.split(" "),
    ...(name === "permission-set" ? ["--config=t.json"] : []),
  ];
  const rows = Object.entries(serverFlags);
  // The other flags can be given at once.
  const others = rows.filter(([name]) => !ALONE.includes(name));
  const entryOfOthers = await entryWith([...new Set(others.flatMap(given))]);
  for (const row of rows) {
    const [name, [, args]] = row;
    await t.step(name, async () => {
      const entry = ALONE.includes(name) ? await entryWith(given(row)) : entryOfOthers;
      for (const arg of args) expect(entry).toContain(arg.replace("$HOME", home));
    });
  }
});

Deno.test("mcp install > --prompts fails when its directory does not exist", async () => {
  using directory = temporaryDirectory();
  const run = await install(["gemini", "-R", "--prompts=none"], { home: directory.path });
  expect(run).toMatchObject({ code: 2, stdout: "" });
  expect(run.stderr).toContain('Invalid --prompts="none": no directory');
});

const merges: [name: string, client: string, before: string, after: string][] = [
  [
    "comments, order and a trailing comma",
    "zed",
    `// mine\n{\n    "theme": "One", // dark\n    /* servers */\n    "context_servers": {\n        "a": {"command": "x"}, // first\n        // more to come\n    },\n}\n`,
    `// mine\n{\n    "theme": "One", // dark\n    /* servers */\n    "context_servers": {\n        "a": {"command": "x"}, // first\n        // more to come\n        "toolcall": {\n            "command": "$EXE",\n            "args": [\n                "mcp",\n                "--allow-all"\n            ]\n        }\n    },\n}\n`,
  ],
  [
    "a comment after the last member",
    "zed",
    `{\n  "theme": "One" // dark, too\n}`,
    `{\n  "theme": "One", // dark, too\n  "context_servers": {\n    "toolcall": {\n      "command": "$EXE",\n      "args": [\n        "mcp",\n        "--allow-all"\n      ]\n    }\n  }\n}`,
  ],
  [
    "one line stays one line",
    "gemini",
    `{"mcpServers":{"a":{"command":"x"}},"b":1}`,
    `{"mcpServers":{"a":{"command":"x"}, "toolcall": {"command":"$EXE","args":["mcp","--allow-all"]}},"b":1}`,
  ],
  [
    "tabs, CRLF and a byte order mark",
    "gemini",
    `\ufeff{\r\n\t"mcpServers": {}\r\n}\r\n`,
    `\ufeff{\r\n\t"mcpServers": {\r\n\t\t"toolcall": {\r\n\t\t\t"command": "$EXE",\r\n\t\t\t"args": [\r\n\t\t\t\t"mcp",\r\n\t\t\t\t"--allow-all"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}\r\n`,
  ],
  [
    "keys that the user added to the entry",
    "gemini",
    `{"mcpServers": {"toolcall": {"env": {"A": "1"}, "command": "$EXE", "args": ["mcp"]}}}`,
    `{"mcpServers": {"toolcall": {"env": {"A": "1"}, "command": "$EXE", "args": [\n  "mcp",\n  "--allow-all"\n]}}}`,
  ],
  [
    "an empty file",
    "gemini",
    "",
    `{\n  "mcpServers": {\n    "toolcall": {\n      "command": "$EXE",\n      "args": [\n        "mcp",\n        "--allow-all"\n      ]\n    }\n  }\n}\n`,
  ],
  [
    "TOML with comments",
    "codex",
    `# mine\nmodel = "m"\n\n[mcp_servers.a]\ncommand = "x" # first`,
    `# mine\nmodel = "m"\n\n[mcp_servers.a]\ncommand = "x" # first\n\n[mcp_servers.toolcall]\ncommand = "$EXE"\nargs = ["mcp", "--allow-all"]\nstartup_timeout_sec = 30\n`,
  ],
  [
    "an existing TOML table",
    "codex",
    `[mcp_servers.toolcall] # mine\nstartup_timeout_sec = 5\nenabled = true\nargs = [\n  "mcp", # all\n  "#x",\n] # these\ncommand = "old # path" # where\n[mcp_servers.toolcall.env]\nA = "1"\n`,
    `[mcp_servers.toolcall] # mine\nstartup_timeout_sec = 5\nenabled = true\nargs = ["mcp", "--allow-all"] # these\ncommand = "$EXE" # where\n[mcp_servers.toolcall.env]\nA = "1"\n`,
  ],
  [
    "a TOML table without the values",
    "codex",
    `[ mcp_servers . "toolcall" ]\nenabled = true\n[other]\nx = [1]\n`,
    `[ mcp_servers . "toolcall" ]\nstartup_timeout_sec = 30\ncommand = "$EXE"\nargs = ["mcp", "--allow-all"]\nenabled = true\n[other]\nx = [1]\n`,
  ],
];

function put(path: string, text: string | Uint8Array): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeFileSync(path, typeof text === "string" ? new TextEncoder().encode(text) : text);
}

Deno.test("mcp install > the file keeps every byte that does not belong to the server", async (t) => {
  for (const [name, client, before, after] of merges) {
    await t.step(name, async () => {
      using directory = temporaryDirectory();
      const path = fileOf(client, directory.path);
      put(path, before.replace("$EXE", executable));
      Deno.chmodSync(path, 0o640);
      const run = await install([client, "-A", "--write"], { home: directory.path });
      expect(run.code).toBe(0);
      const bytes = new TextDecoder("utf-8", { ignoreBOM: true }).decode(Deno.readFileSync(path));
      const wanted = after.replace(/(\s*)"--allow-all"/, `$&,$1"${BUNDLE}"`);
      expect(bytes).toBe(wanted.replace("$EXE", executable));
      expect(Deno.statSync(path).mode! & 0o777).toBe(0o640);
      const again = await install([client, "-A", "--write"], { home: directory.path });
      expect(again.stdout).toContain("Nothing to do");
      expect([...Deno.readDirSync(path.slice(0, path.lastIndexOf("/")))].map(({ name }) => name))
        .toContain(path.slice(path.lastIndexOf("/") + 1));
    });
  }
});

Deno.test("mcp install > a file that cannot be changed safely is not changed", async (t) => {
  const rows: [client: string, before: string | Uint8Array, says: string][] = [
    ["cursor", `{"mcpServers": {`, "not valid JSON: line 1"],
    ["cursor", `{\n"a": 1\n"b": 2}`, "not valid JSON: line 3"],
    ["cursor", "[]", "the document is not an object"],
    ["cursor", `{"mcpServers": []}`, '"mcpServers" is not an object'],
    ["cursor", `{"mcpServers": {}, "mcpServers": {}}`, '"mcpServers" twice'],
    ["cursor", `{"mcpServers": {"toolcall": {"url": "u"}}}`, "not a server with a command"],
    ["cursor", new Uint8Array([0x7b, 0xff, 0x7d]), "not valid UTF-8"],
    ["codex", "model = \n", "not valid TOML"],
    ["codex", `mcp_servers = { toolcall = { command = "x" } }\n`, "change it by hand"],
    ["codex", `mcp_servers = { a = { command = "x" } }\n`, "change it by hand"],
    ["codex", `[mcp_servers]\ntoolcall.command = "x"\n`, "change it by hand"],
    ["codex", `x = '''\n[mcp_servers.toolcall]\n'''\nmcp_servers.toolcall.args = []\n`, "by hand"],
    ["codex", `mcp_servers = 1\n`, '"mcp_servers" is not a table'],
  ];
  for (const [client, before, says] of rows) {
    await t.step(`${client}: ${says}`, async () => {
      using directory = temporaryDirectory();
      const path = fileOf(client, directory.path);
      put(path, before);
      const bytes = Deno.readFileSync(path);
      const run = await install([client, "-A", "--write"], { home: directory.path });
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toContain(`Cannot change "${path}": `);
      expect(run.stderr).toContain(says);
      expect(Deno.readFileSync(path)).toEqual(bytes);
    });
  }
});

Deno.test("mcp install > a path that is not a file is an error with the reason", async (t) => {
  const rows: [name: string, make: (path: string) => void, says: string][] = [
    ["a directory", (path) => Deno.mkdirSync(path, { recursive: true }), "it is a directory"],
    [
      "a path below a file",
      (path) => put(path.replace("/mcp.json", ""), ""),
      "is a file, not a directory",
    ],
    ["a symlink to itself", (path) => {
      Deno.mkdirSync(path.replace("/mcp.json", ""), { recursive: true });
      Deno.symlinkSync("mcp.json", path);
    }, "form a loop"],
  ];
  for (const [name, make, says] of rows) {
    await t.step(name, async () => {
      using directory = temporaryDirectory();
      const path = fileOf("cursor", directory.path);
      make(path);
      const run = await install(["cursor", "-A", "--write"], { home: directory.path });
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toContain(`Cannot write "${path}": `);
      expect(run.stderr).toContain(says);
    });
  }
});

Deno.test("mcp install > a symlink remains a symlink, even if its target does not exist", async (t) => {
  for (const exists of [true, false]) {
    await t.step(exists ? "the target exists" : "the target does not exist", async () => {
      using directory = temporaryDirectory();
      const link = fileOf("codex", directory.path);
      const real = `${directory.path}/dotfiles/codex.toml`;
      if (exists) put(real, "model = 1\n");
      Deno.mkdirSync(`${directory.path}/.codex`);
      Deno.symlinkSync(real, link);
      const { code } = await install(["codex", "-A", "--write"], { home: directory.path });
      expect(code).toBe(0);
      expect(Deno.lstatSync(link).isSymlink).toBe(true);
      expect(read(real)["mcp_servers"]).toMatchObject({ toolcall: { command: executable } });
    });
  }
});

Deno.test("mcp install > the environment variables of a client decide where its file is", async (t) => {
  const rows: [client: string, variable: string, file: string][] = [
    ["codex", "CODEX_HOME", "elsewhere/config.toml"],
    ...(isMac ? [] : [
      ["zed", "XDG_CONFIG_HOME", "elsewhere/zed/settings.json"],
      ["claude-desktop", "XDG_CONFIG_HOME", "elsewhere/Claude/claude_desktop_config.json"],
    ] as [string, string, string][]),
  ];
  for (const [client, variable, file] of rows) {
    await t.step(`${client}, ${variable}`, async () => {
      using directory = temporaryDirectory();
      const home = directory.path;
      await install([client, "-A", "--write"], { home, [variable]: `${home}/elsewhere` });
      expect(Deno.statSync(`${home}/${file}`).isFile).toBe(true);
    });
  }
  await t.step("HOME is not an absolute path", async () => {
    using directory = temporaryDirectory();
    const run = await toolcall(["mcp", "install", "zed", "-A"], {
      cwd: directory.path,
      env: { HOME: "no/path", XDG_CONFIG_HOME: "", XDG_CACHE_HOME: cache },
    });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("HOME does not contain an absolute path");
  });
});

Deno.test("mcp install > a warning says that no permission flag is given, and the configuration is printed", async () => {
  using directory = temporaryDirectory();
  const run = await install(["cursor"], { home: directory.path });
  expect(run.code).toBe(0);
  expect(run.stderr).toContain("so the server may do nothing");
  expect(JSON.parse(run.stdout).mcpServers.toolcall.args).toEqual(["mcp", BUNDLE]);
});

Deno.test("mcp install > an invalid command line fails, and no file is written", async (t) => {
  const rows: [args: string[], says: string][] = [
    [[], "available: claude-code, claude-desktop, cursor, vscode, zed, codex, gemini"],
    [["curser"], 'did you mean "cursor"?'],
    [["emacs-of-old"], 'Unknown client "emacs-of-old"; available: claude-code'],
    [["cursor", "zed"], '"zed"'],
    [["cursor", "--print", "--write"], "exclude each other"],
    [["cursor", "--name=a.b"], "no name for a server"],
    [["cursor", "--allow-net=a b", "--write"], "a b"],
    [["cursor", "--format=json"], "Cannot use --format here"],
  ];
  for (const [args, says] of rows) {
    await t.step(args.join(" "), async () => {
      using directory = temporaryDirectory();
      const run = await install(args, { home: directory.path });
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain(says);
      expect([...Deno.readDirSync(`${directory.path}/project`)]).toEqual([]);
    });
  }
});

Deno.test("mcp install > the entry gets the variables that say where the program is unpacked", async (t) => {
  const env = { XDG_CACHE_HOME: cache };
  const befores: [name: string, client: string, before: string, env: Record<string, string>][] = [
    ["a new JSON entry", "gemini", "", env],
    ["a JSON entry", "gemini", `{"mcpServers": {"toolcall": {"command": "x"}}}`, env],
    [
      "a JSON entry with variables",
      "gemini",
      `{"mcpServers": {"toolcall": {"env": {"A": "1", "XDG_CACHE_HOME": "/old"}, "command": "x"}}}`,
      { A: "1", ...env },
    ],
    ["a new TOML table", "codex", "", env],
    ["a TOML table", "codex", `[mcp_servers.toolcall]\ncommand = "x"\n`, env],
    [
      "a TOML table with variables in a line",
      "codex",
      `[mcp_servers.toolcall]\nenv = { A = "1", XDG_CACHE_HOME = "/old" }\ncommand = "x"\n`,
      { A: "1", ...env },
    ],
    [
      "a TOML table with variables in a table",
      "codex",
      `[mcp_servers.toolcall]\ncommand = "x"\n\n[mcp_servers.toolcall.env]\nA = "1" # mine\n`,
      { A: "1", ...env },
    ],
  ];
  for (const [name, client, before, wanted] of befores) {
    await t.step(name, async () => {
      using directory = temporaryDirectory();
      const path = fileOf(client, directory.path);
      put(path, before);
      const args = [client, "-A", "--write"];
      const run = await install(args, { home: directory.path, ...env });
      expect(run.code).toBe(0);
      const key = client === "codex" ? "mcp_servers" : "mcpServers";
      expect(read(path)[key]!["toolcall"]!.env).toEqual(wanted);
      expect(Deno.readTextFileSync(path).includes("# mine")).toBe(before.includes("# mine"));
      const again = await install(args, { home: directory.path, ...env });
      expect(again.stdout).toContain("Nothing to do");
    });
  }
  await t.step("the variable TOOLCALL_CACHE_DIR", async () => {
    using directory = temporaryDirectory();
    const TOOLCALL_CACHE_DIR = `${cache}/toolcall`;
    const run = await install(["gemini", "-A"], { home: directory.path, TOOLCALL_CACHE_DIR });
    expect(JSON.parse(run.stdout).mcpServers.toolcall.env).toEqual({ TOOLCALL_CACHE_DIR });
  });
});
