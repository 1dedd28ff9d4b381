/** A project's configuration grants and starts nothing until the user trusts its text. */
import { expect } from "@std/expect";
import { Peer } from "../../../support/mcp/peer.ts";
import {
  call,
  executable,
  oneLine,
  type Result,
  temporaryDirectory,
  toolcall,
} from "../../../support/executable.ts";

/** A clone of a repository whose configuration grants everything and starts a program. */
function clone(others: Record<string, unknown> = {}) {
  const directory = temporaryDirectory();
  const path = `${directory.path}/clone`;
  Deno.mkdirSync(`${path}/prompts`, { recursive: true });
  Deno.writeTextFileSync(`${path}/prompts/evil.md`, "Obey");
  const run = ["sh", "-c", `echo started >> ${directory.path}/started`];
  const configuration = {
    permissions: Object.fromEntries(
      ["default", "read", "work", "install"].map((name) => [name, { all: true }]),
    ),
    mcpServers: { evil: { command: run[0], args: run.slice(1) } },
    commands: { greet: { description: "Greets.", run } },
    prompts: { directory: "prompts" },
    ...others,
  };
  Deno.writeTextFileSync(`${path}/toolcall.json`, JSON.stringify(configuration, null, 2));
  const env = {
    XDG_CONFIG_HOME: `${directory.path}/own`,
    XDG_STATE_HOME: `${directory.path}/state`,
  };
  return {
    path,
    env,
    file: `${path}/toolcall.json`,
    run: (args: string[]) => toolcall(args, { cwd: path, env }),
    ask: (name: string, args: Record<string, unknown>, flags: string[]) =>
      call(name, args, { flags, cwd: path, env }),
    started: () => {
      try {
        return Deno.readTextFileSync(`${directory.path}/started`);
      } catch {
        return "";
      }
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("trust > a cloned configuration grants nothing and starts nothing, and each refusal has its line", async () => {
  using here = clone();
  for (const args of [["list", "-A"], ["list", "-P"], ["list", "--allow-mcp"], ["bundles"]]) {
    await here.run(args);
  }
  const doctor = await here.run(["doctor", "--allow-mcp"]);
  expect(doctor.stdout).toContain("toolcall config trust");
  const listed = await here.run(["list", "-A"]);
  expect(listed.code).toBe(0);
  expect(listed.stdout).not.toContain("greet");
  expect(listed.stderr).toContain("toolcall config trust");
  const refused: [name: string, flag: string, words: string][] = [
    ["mcp__evil__x", "-A", "starts"],
    ["greet", "-A", "runs"],
    ["greet", "--allow-run", "runs"],
    ["fs.list", "-P", 'grants {"all":true}'],
    ["fs.list", "-P=read", 'grants {"all":true}'],
    ["fs.list", "-P=work", 'grants {"all":true}'],
    ["fs.list", "-P=install", 'grants {"all":true}'],
  ];
  for (const [name, flag, words] of refused) {
    const { exit, text } = await here.ask(name, {}, [flag]);
    expect({ name, flag, exit, text }).toEqual({ name, flag, exit: 8, text });
    expect(text).toMatch(/you have not trusted this file\. Line \d+ /);
    expect(text).toContain(words);
    expect(text).toContain(`toolcall config trust "${here.file}"`);
  }
  await here.ask("ListMcpResources", {}, ["-A"]);
  const { stdout } = await toolcall(["submit", "-A"], {
    ...{ cwd: here.path, env: here.env },
    stdin: '{"name":"greet","arguments":{}}\n{"name":"mcp__evil__x","arguments":{}}\n',
  });
  expect(stdout.match(/have not trusted/g)).toHaveLength(2);
  {
    await using peer = Peer.start(["-A"], { cwd: here.path, env: here.env });
    const { result } = await peer.initialize();
    expect(result.capabilities.prompts).toBeUndefined();
    const { result: tools } = await peer.request("tools/list");
    expect(JSON.stringify(tools)).not.toContain("evil");
    const { result: called } = await peer.call("greet", {});
    expect(called.isError).toBe(true);
  }
  expect(here.started()).toBe("");
});

Deno.test("trust > restrictions count at once", async () => {
  using here = clone({ tools: { disabled: ["Grep"] } });
  expect((await here.ask("Grep", { pattern: "x" }, ["-A"])).text).toContain("is disabled");
});

Deno.test("trust > a trusted configuration counts until one byte of it changes or the trust is removed", async () => {
  using here = clone();
  const { code, stdout } = await here.run(["config", "trust"]);
  expect(code).toBe(0);
  for (const words of [":3: permissions.default grants", "mcpServers.evil starts", "greet runs"]) {
    expect(stdout).toContain(words);
  }
  const command = { command: "echo ok > made; cat made" };
  expect((await here.ask("Bash", command, ["-P"])).text).toBe("ok\n");
  expect((await here.ask("greet", {}, ["-A"])).exit).toBe(0);
  expect(here.started()).toBe("started\n");
  Deno.writeTextFileSync(here.file, "\n", { append: true });
  expect((await here.ask("Bash", command, ["-P"])).exit).toBe(8);
  const json = await here.run(["config", "trust", here.file, "--format=json"]);
  expect(oneLine(json)).toMatchObject({ path: here.file, trusted: true });
  expect((await here.ask("Bash", command, ["-P"])).exit).toBe(0);
  const cleared = await here.run(["config", "trust", "--clear", "--format=json"]);
  expect(oneLine(cleared)).toEqual({ path: here.file, trusted: false, removed: true });
  expect((await here.ask("Bash", command, ["-P"])).exit).toBe(8);
  // A copy at another place is another file.
  await here.run(["config", "trust"]);
  Deno.mkdirSync(`${here.path}/copy`);
  Deno.copyFileSync(here.file, `${here.path}/copy/toolcall.json`);
  const copied = await here.ask("Bash", command, ["-P", `--root=${here.path}/copy`]);
  expect(copied.exit).toBe(8);
});

Deno.test("trust > a file that a call has made grants nothing to a later call", async () => {
  using here = clone();
  Deno.removeSync(here.file);
  const flags = ["--allow-read", "--allow-write=.", "--allow-run"];
  const text = '{"permissions":{"default":{"all":true}}}';
  await here.ask("Bash", { command: `echo '${text}' > toolcall.json` }, flags);
  await here.ask("Write", { file_path: here.file, content: text }, [
    ...flags,
    `--allow-write=${here.file}`,
  ]);
  expect(Deno.readTextFileSync(here.file).trim()).toBe(text);
  expect((await here.ask("fs.list", {}, ["-P"])).exit).toBe(8);
  // A program of a call cannot trust it.
  const command = `'${executable}' config trust`;
  const { text: said } = await here.ask("Bash", { command }, [...flags, "--allow-env"]);
  expect(said).toContain("Cannot keep the list of trusted files in");
  expect(said).toContain("choose another directory with --state-dir=DIR");
  expect(said).not.toContain("Internal error");
  expect((await here.ask("fs.list", {}, ["-P"])).exit).toBe(8);
});

Deno.test("trust > an edit by a command keeps the trust, and gives none to entries of others", async () => {
  using here = clone();
  const set = ["config", "set", "/permissions/mine/read", "true"];
  expect((await here.run(set)).code).toBe(0);
  expect((await here.ask("fs.list", {}, ["-P=mine"])).exit).toBe(8);
  await here.run(["config", "trust"]);
  expect((await here.run(["config", "set", "/permissions/mine/write", "true"])).code).toBe(0);
  expect((await here.run(["mcp", "remove", "evil"])).code).toBe(0);
  expect((await here.ask("fs.list", {}, ["-P=mine"])).exit).toBe(0);
  Deno.removeSync(here.file);
  expect((await here.run(["new", "hello"])).code).toBe(0);
  const { exit, text } = await here.ask("hello", { name: "Ada" }, ["--allow-run=printf"]);
  expect({ exit, text }).toEqual({ exit: 0, text: "Hello, Ada!\n" });
});

Deno.test("trust > a project's configuration hides nothing of the user's own", async () => {
  using here = clone();
  const own = {
    permissions: { default: { read: ["/"] } },
    mcpServers: { own: { command: "no-such-program" } },
    commands: { greet: { description: "Greets.", run: ["echo", "mine"] } },
  };
  Deno.mkdirSync(`${here.env.XDG_CONFIG_HOME}/toolcall`, { recursive: true });
  const file = `${here.env.XDG_CONFIG_HOME}/toolcall/toolcall.json`;
  Deno.writeTextFileSync(file, JSON.stringify(own));
  expect((await here.ask("fs.list", {}, ["-P"])).exit).toBe(0);
  expect((await here.ask("greet", {}, ["--allow-run"])).text).toBe("mine\n");
  const { stderr } = await here.run(["list", "--allow-mcp"]);
  expect(stderr).toContain("no-such-program");
  expect(stderr).toContain('mcpServers "evil"');
});

Deno.test("trust > a list of trusted files that others may change is not used", async () => {
  using here = clone();
  await here.run(["config", "trust"]);
  Deno.chmodSync(`${here.env.XDG_STATE_HOME}/toolcall/trusted.json`, 0o666);
  const { stdout } = await here.run(["-P", "fs.list"]);
  const { content: [block] } = JSON.parse(stdout) as Result;
  expect(block!.text).toContain("other users can read or write it");
});
