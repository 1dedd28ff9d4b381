/** Attack L8 of docs/attacks.md: in every state of the machine, the caller gets a line of JSON. */
import { join } from "node:path";
import { expect } from "@std/expect";
import { executable } from "../support/executable.ts";
import { works } from "../support/programs.ts";
import { run } from "../support/stand_in.ts";
import { ENV, expectRead, expectUnavailable, isLinux, READ, resultOf, setUp } from "./starts.ts";

Deno.test("start > an .npmrc of the user neither ends nor delays a call", async (t) => {
  const files: [name: string, make: (path: string) => unknown][] = [
    ["a registry in a variable that is not set", write("registry=${NPM_REGISTRY_UNSET}")],
    ["a registry of a scope", write("@corp:registry=${NPM_REGISTRY_UNSET}")],
    ["an empty registry", write("registry=")],
    ["a registry without a scheme", write("registry=npm.corp.example")],
    ["bytes that are not UTF-8", (path) => Deno.writeFileSync(path, new Uint8Array([0xff, 0xfe]))],
    ["a directory", (path) => Deno.mkdirSync(path)],
    ["a FIFO", (path) => works(["mkfifo", path], "a FIFO")],
    ["a symlink that leads to itself", (path) => Deno.symlinkSync(path, path)],
  ];
  for (const [name, make] of files) {
    await t.step(name, async () => {
      using at = setUp();
      make(`${at.path}/.npmrc`);
      // The runtime reads it in the home directory, and beside a package.json.
      Deno.writeTextFileSync(`${at.path}/package.json`, "{}");
      const env = { ...ENV, HOME: at.path };
      expectRead(await run(["timeout", "60", executable, ...READ], { env, cwd: at.path }));
      const version = await run(["timeout", "60", executable, "--version"], { env });
      expect(version.text).toMatch(/^toolcall \d/);
    });
  }
});

function write(text: string): (path: string) => void {
  return (path) => Deno.writeTextFileSync(path, text);
}

Deno.test("start > a call works with every value of HOME, and programs get that value", async (t) => {
  using at = setUp();
  works(["mkfifo", `${at.path}/fifo`], "a FIFO");
  const homes = [undefined, "", "/dev/null", `${at.path}/missing`, "relative", "/", at.path];
  homes.push(`${at.path}/fifo`, `${at.path}/hello.txt`, `${at.path}/a\nb`, "x".repeat(5000));
  for (const home of homes) {
    await t.step(JSON.stringify(home?.slice(0, 60) ?? "unset"), async () => {
      const env = { ...ENV, ...(home !== undefined && { HOME: home }) };
      expectRead(await run([executable, ...READ], { env, cwd: at.path }));
      const command = 'echo "${HOME-unset}"; env | grep -c TOOLCALL_ENV_';
      const bash = ["-A", "Bash", JSON.stringify({ command })];
      const { text } = resultOf(await run([executable, ...bash], { env, cwd: at.path }));
      expect(text).toContain(`${home ?? "unset"}\n0\n`);
    });
  }
});

Deno.test("start > configuration files of the runtime in the working directory and above it are ignored", async () => {
  using at = setUp();
  const inner = `${at.path}/a/b`;
  Deno.mkdirSync(inner, { recursive: true });
  Deno.copyFileSync(`${at.path}/hello.txt`, `${inner}/hello.txt`);
  for (const directory of [at.path, inner]) {
    for (const name of ["deno.json", "deno.jsonc", "package.json", "deno.lock", ".npmrc", ".env"]) {
      Deno.writeTextFileSync(`${directory}/${name}`, "{ registry=");
    }
    Deno.mkdirSync(`${directory}/node_modules`);
  }
  expectRead(await run([executable, ...READ], { env: { ...ENV, HOME: at.path }, cwd: inner }));
});

Deno.test("start > variables of the runtime do not affect a call, and programs get them unchanged", async (t) => {
  using at = setUp();
  const names = ["DENO_AUTH_TOKENS", "DENO_TOKIO_METRICS", "DENO_PERMISSION_BROKER_PATH"];
  names.push("DENO_STARTUP_PHASES", "DENO_CONNECTED", "OTEL_SDK_DISABLED", "NODE_OPTIONS");
  names.push("NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG", "DENO_NO_PACKAGE_JSON", "DENO_LOG");
  names.push("DENO_CERT", "DENO_TLS_CA_STORE", "RUST_MIN_STACK", "TOKIO_WORKER_THREADS", "JSR_URL");
  const bash = [`--allow-env=${names}`, "--allow-run=bash,env", "Bash", '{"command":"env"}'];
  const set = { ...ENV, HOME: at.path, ...Object.fromEntries(names.map((name) => [name, "x"])) };
  const { text } = resultOf(await run([executable, ...bash], { env: set, cwd: at.path }));
  for (const name of names) {
    await t.step(name, async () => {
      for (const value of ["x", "1", ""]) {
        const env = { ...ENV, HOME: at.path, [name]: value };
        expectRead(await run([executable, ...READ], { env, cwd: at.path }));
      }
      expect(text.split("\n")).toContain(`${name}=x`);
    });
  }
});

Deno.test("start > a call works with closed descriptors, or reports that its result cannot be written", async (t) => {
  using at = setUp();
  const env = { ...ENV, HOME: at.path };
  const redirected = (redirection: string, ...args: string[]) =>
    run(["sh", "-c", `exec "$@" ${redirection}`, "sh", executable, ...args], { env, cwd: at.path });
  for (const redirection of ["<&-", "2>&-", "<&- 2>&-", "3>&-", "3</dev/null 9</dev/null"]) {
    await t.step(redirection, async () => {
      expectRead(await redirected(redirection, ...READ));
    });
  }
  for (const redirection of [">&-", "<&- >&-", ...(isLinux ? [">/dev/full"] : [])]) {
    await t.step(redirection, async () => {
      for (const args of [READ, ["--version"]]) {
        const ended = await redirected(redirection, ...args);
        expect({ code: ended.code, text: ended.text }).toEqual({ code: 8, text: "" });
        expect(ended.stderr).toMatch(/^toolcall: Cannot write (a|the) result: \S/);
      }
    });
  }
  await t.step("all descriptors are closed", async () => {
    expect((await redirected("<&- >&- 2>&-", ...READ)).code).toBe(8);
  });
  await t.step("a call whose result cannot be written is not run", async () => {
    const call = JSON.stringify({ file_path: `${at.path}/written`, content: "x" });
    expect((await redirected(">&-", "--allow-write=.", "Write", call)).code).toBe(8);
    expect(() => Deno.statSync(`${at.path}/written`)).toThrow(Deno.errors.NotFound);
  });
});

Deno.test("start > a removed working directory is reported", async () => {
  using at = setUp();
  const gone = join(at.path, "gone");
  Deno.mkdirSync(gone);
  const script = 'cd "$0" && rmdir "$0" && exec "$@"';
  const command = ["sh", "-c", script, gone, executable, ...READ];
  expectUnavailable(await run(command, { env: ENV }), "working directory: it was removed");
});

Deno.test({
  name: "start > a call that needs the sandbox fails without /proc, and names it",
  ignore: !isLinux || !works(["unshare", "-m", "true"], "the right to mount"),
  async fn(t) {
    using at = setUp();
    const script = 'mount --make-rprivate / && umount -l /proc && exec "$@"';
    const start = (...args: string[]) =>
      run(["unshare", "-m", "sh", "-c", script, "sh", executable, ...args], {
        env: { ...ENV, HOME: at.path },
        cwd: at.path,
      });
    expect((await start("--version")).text).toMatch(/^toolcall \d/);
    expect(resultOf(await start("-A", "Bash", '{"command":"echo hi"}')).text).toBe("hi\n");
    const calls = [
      READ,
      ["--allow-write=.", "fs.write", '{"path":"new.txt","content":"x"}'],
      ["--allow-read=.", "Grep", '{"pattern":"hello"}'],
      ["--allow-run=bash", "Bash", '{"command":"echo hi"}'],
    ];
    for (const args of calls) {
      await t.step(args[1]!, async () => {
        expectUnavailable(await start(...args), "/proc is not mounted");
      });
    }
  },
});
