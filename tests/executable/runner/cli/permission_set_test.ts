/** Permission sets in the configuration, and the flag that applies one. */
import { expect } from "@std/expect";
import { oneLine, type Result, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { trustFile } from "../../../support/trust.ts";

/** A directory with a file and a secret, whose configuration has these sets. */
function place(permissions: unknown, own?: unknown) {
  const directory = temporaryDirectory();
  const { path } = directory;
  for (const name of ["project/sub", "home/toolcall"]) {
    Deno.mkdirSync(`${path}/${name}`, { recursive: true });
  }
  Deno.writeTextFileSync(`${path}/project/a.txt`, "Hello");
  Deno.writeTextFileSync(`${path}/project/sub/secret.txt`, "Secret");
  Deno.writeTextFileSync(`${path}/project/toolcall.json`, JSON.stringify({ permissions }));
  trustFile(`${path}/project/toolcall.json`);
  if (own !== undefined) {
    const text = JSON.stringify({ permissions: own });
    Deno.writeTextFileSync(`${path}/home/toolcall/toolcall.json`, text);
  }
  const run = (args: string[], cwd = `${path}/project`) =>
    toolcall(args, { cwd, env: { XDG_CONFIG_HOME: `${path}/home` } });
  return {
    path,
    run,
    async ask(tool: string, args: unknown, flags: string[], cwd?: string): Promise<string> {
      const run = await toolcall([...flags, tool, JSON.stringify(args)], {
        cwd: cwd ?? `${path}/project`,
        env: { XDG_CONFIG_HOME: `${path}/home` },
      });
      const { content: [block] } = oneLine(run) as Result;
      return block!.text;
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("permission sets > -P allows and denies the paths of a set, relative to the file's directory", async () => {
  using here = place({
    default: { read: { allow: ["."], deny: ["sub"] } },
    files: { read: ["./a.txt"], write: true },
  });
  const read = (name: string, flags: string[]) =>
    here.ask("Read", { file_path: `${here.path}/project/${name}` }, flags);
  expect(await read("a.txt", [])).toContain("needs --allow-read=");
  expect(await read("a.txt", ["-P"])).toContain("Hello");
  expect(await read("a.txt", ["--permission-set"])).toContain("Hello");
  expect(await read("sub/secret.txt", ["-P"])).toContain("--deny-read");
  expect(await read("sub/secret.txt", ["-P", "--allow-read"])).toContain("--deny-read");
  expect(await read("a.txt", ["-P=files"])).toContain("Hello");
  expect(await read("sub/secret.txt", ["-P=files"])).toContain("needs --allow-read=");
  expect(await read("sub/secret.txt", ["-P=files", "--allow-read=sub"])).toContain("Secret");
  // The set means the same files from another working directory.
  const root = `--root=${here.path}/project`;
  const elsewhere = await here.ask(
    "Read",
    { file_path: `${here.path}/project/a.txt` },
    ["-P", root],
    "/",
  );
  expect(elsewhere).toContain("Hello");
});

Deno.test("permission sets > a set also restricts the programs that a call starts", async () => {
  using here = place({ default: { read: { allow: true, deny: ["sub"] }, run: ["bash"] } });
  const ask = (file: string) =>
    here.ask("Bash", { command: `read -r line < ${file}; echo "$line"` }, ["-P"]);
  expect(await ask("a.txt")).toContain("Hello");
  expect(await ask("sub/secret.txt")).toContain("Permission denied");
});

Deno.test("permission sets > the key all allows everything, and a deny rule overrides it", async () => {
  using here = place({ open: { all: true }, most: { all: true, read: { deny: ["sub"] } } });
  const read = (flags: string[]) =>
    here.ask("Read", { file_path: `${here.path}/project/sub/secret.txt` }, flags);
  expect(await read(["-P=open"])).toContain("Secret");
  expect(await read(["-P=most"])).toContain("--deny-read");
});

Deno.test("permission sets > check applies a set, as do the calls of a message", async () => {
  using here = place({ default: { read: ["a.txt"] } });
  const args = JSON.stringify({ file_path: `${here.path}/project/a.txt` });
  const { stdout } = await here.run(["check", "-P", "Read", args]);
  expect(JSON.parse(stdout)).toMatchObject({ granted: true });
  // Several calls of one message run in processes of their own, under the same grants.
  const calls = ["a.txt", "sub/secret.txt"].map((name, id) => ({
    ...{ id: `c${id}`, type: "function" },
    function: {
      name: "Read",
      arguments: JSON.stringify({ file_path: `${here.path}/project/${name}` }),
    },
  }));
  const run = await toolcall(["-P"], {
    cwd: `${here.path}/project`,
    env: { XDG_CONFIG_HOME: `${here.path}/home` },
    stdin: JSON.stringify({ role: "assistant", tool_calls: calls }),
  });
  expect(run.stdout).toContain("Hello");
  expect(run.stdout).toContain("needs --allow-read=");
  expect(run.stdout).not.toContain("Secret");
});

Deno.test("permission sets > the user's own set takes precedence over a set of the same name", async () => {
  using here = place({ ci: { all: true }, other: { read: true } }, { ci: { read: ["/nowhere"] } });
  const read = (flags: string[]) =>
    here.ask("Read", { file_path: `${here.path}/project/a.txt` }, flags);
  expect(await read(["-P=ci"])).toContain("needs --allow-read=");
  expect(await read(["-P=other"])).toContain("Hello");
});

Deno.test("permission sets > an unknown set is a wrong command line", async () => {
  using here = place({ default: {}, release: {} });
  for (
    const [flags, text] of [
      [["-P=releas"], 'Unknown permission set "releas"; did you mean "release"?'],
      [["-P=zzzzzzzz"], "available: default, release"],
      [["-P=constructor"], 'Unknown permission set "constructor"'],
    ] as const
  ) {
    const { code, stdout, stderr } = await here.run([...flags, "Read", "{}"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(text);
  }
  using none = temporaryDirectory();
  const { code, stderr } = await toolcall(["-P", "Read", "{}"], {
    cwd: none.path,
    env: { XDG_CONFIG_HOME: none.path },
  });
  expect(code).toBe(2);
  expect(stderr).toContain("none is configured");
});

Deno.test("permission sets > an unusable set is reported, and grants nothing", async () => {
  const faults: [set: unknown, text: string][] = [
    [{ raed: true }, 'did you mean "read"?'],
    [{ read: 3 }, "/permissions/default/read"],
    [{ read: { allow: [""] } }, "/permissions/default/read"],
    [{ net: ["http://example.com"] }, "http://example.com"],
  ];
  for (const [set, text] of faults) {
    using here = place({ default: set });
    const run = await here.run(["-P", "Read", '{"file_path":"/etc/hosts"}']);
    expect(run.code).toBeGreaterThan(1);
    const said = run.code === 2 ? run.stderr : (oneLine(run) as Result).content[0]!.text;
    expect(said).toContain(text);
    expect(said).not.toContain("localhost");
  }
});

Deno.test("permission sets > control characters of a file are escaped in messages", async () => {
  const hostile = "p\u001b]0;title\u0007\u009b31m";
  using here = place({ [hostile]: { reed: true } });
  // These print a message about the fault, one about the name, and the report of doctor.
  for (const args of [["-P=x", "mcp"], ["list"], ["doctor"]]) {
    const { stdout, stderr } = await here.run(args);
    // deno-lint-ignore no-control-regex
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  }
  Deno.writeTextFileSync(
    `${here.path}/project/toolcall.json`,
    JSON.stringify({
      mcpServers: { [hostile]: { command: "x" } },
      permissions: { [hostile]: { read: true } },
    }),
  );
  trustFile(`${here.path}/project/toolcall.json`);
  for (const [args, said] of [[["-P=x", "Read"], "available: p"], [["doctor"], "server's name"]]) {
    const { stdout, stderr } = await here.run(args as string[]);
    expect(stdout + stderr).toContain(said);
    expect(stdout + stderr).toContain("\\u001b]0;title");
    // deno-lint-ignore no-control-regex
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  }
});

Deno.test("permission sets > a set that lets programs write to its directory counts until its file changes", async () => {
  using here = place({ default: { write: ["."], run: true, read: true } });
  const command = "echo made > made; cat made";
  expect(await here.ask("Bash", { command }, ["-P"])).toBe("made\n");
  const path = `${here.path}/project/toolcall.json`;
  const text = Deno.readTextFileSync(path);
  expect(await here.ask("Bash", { command: "echo > toolcall.json" }, ["-P"])).toContain(
    "toolcall.json",
  );
  expect(Deno.readTextFileSync(path)).toBe(text);
  await here.ask("Bash", { command: "echo >> toolcall.json" }, ["-P", `--allow-write=${path}`]);
  expect(await here.ask("Bash", { command }, ["-P"])).toContain("have not trusted this file");
});

Deno.test("permission sets > a file that a call has changed grants nothing, whatever the spelling of its directory", async () => {
  using here = place({ default: { run: ["bash"], read: true } });
  Deno.symlinkSync(`${here.path}/project`, `${here.path}/link`);
  const command = 'echo \'{"permissions": {"default": {"all": true}}}\' > toolcall.json';
  const path = `${here.path}/project/toolcall.json`;
  const text = Deno.readTextFileSync(path);
  for (
    const directory of [
      ".",
      "../project",
      "sub/..",
      `${here.path}/link`,
      `${here.path}/project`,
      path,
    ]
  ) {
    await here.ask("Bash", { command }, ["-P", `--allow-write=${directory}`]);
    const isChanged = Deno.readTextFileSync(path) !== text;
    const said = await here.ask("Bash", { command: "echo ok" }, ["-P"]);
    expect({ directory, said }).toEqual({ directory, said: isChanged ? said : "ok\n" });
    expect(said.includes("have not trusted")).toBe(isChanged);
    Deno.writeTextFileSync(path, text);
  }
  expect(await here.ask("Bash", { command: "echo ok" }, ["-P", "--allow-write=sub"])).toBe("ok\n");
});

Deno.test("permission sets > a set of a file of --config is refused while programs may write that file", async () => {
  using here = place({});
  const path = `${here.path}/project/sets.json`;
  Deno.writeTextFileSync(path, JSON.stringify({ permissions: { default: { all: true } } }));
  const ask = (...flags: string[]) =>
    here.ask("Read", { file_path: `${here.path}/project/a.txt` }, [
      "-P",
      `--config=${path}`,
      ...flags,
    ]);
  expect(await ask("--allow-run=bash", "--allow-write=.")).toContain("may write to it");
  expect(await ask("--allow-run=bash", "--allow-write=sub")).toContain("Hello");
  expect(await ask()).toContain("Hello");
  trustFile(path);
  expect(await ask("--allow-run=bash", "--allow-write=.")).toContain("Hello");
});
