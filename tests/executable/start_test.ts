/** Attack L8 of docs/attacks.md: in every state of the machine, the caller gets a line of JSON. */
import { join } from "node:path";
import { expect } from "@std/expect";
import { FALLBACK_PARENT } from "../../src/runner/sandbox/policy/own_paths.ts";
import { executable, oneLine, type Result, temporaryDirectory } from "../support/executable.ts";
import { has, works } from "../support/programs.ts";
import { type Ended, run, startWith } from "../support/stand_in.ts";

const isLinux = Deno.build.os === "linux";

const ENV = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", TOOLCALL_CACHE_DIR: usualCache() };

/** The cache of the other tests, so that nothing is unpacked here. */
function usualCache(): string {
  const [chosen, cache, home] = ["TOOLCALL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"].map((name) =>
    Deno.env.get(name)
  );
  if (chosen) return chosen;
  if (cache?.startsWith("/")) return `${cache}/toolcall`;
  if (home?.startsWith("/")) return `${home}/.cache/toolcall`;
  return `${FALLBACK_PARENT}/toolcall-${Deno.uid()}`;
}

/** A call that reads a file of its working directory. */
const READ = ["--allow-read=.", "fs.read", '{"path":"hello.txt"}'];

/** A directory with that file. */
function setUp() {
  const directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/hello.txt`, "hello\n");
  return directory;
}

function resultOf({ text: stdout, ...ended }: Ended): Result & { text: string } {
  const result = oneLine({ ...ended, stdout }) as Result;
  return { ...result, text: result.content[0]?.text ?? "" };
}

/** Checks that the call was answered, and that nothing else was printed. */
function expectRead(ended: Ended) {
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" });
  expect(resultOf(ended).text).toBe("hello\n");
}

/** Checks that the call failed as `unavailable`, for this reason. */
function expectUnavailable(ended: Ended, reason: string) {
  const { isError, text, _meta } = resultOf(ended);
  expect({ code: ended.code, isError, _meta }).toEqual({
    code: 8,
    isError: true,
    _meta: { "toolcall/error": { code: "unavailable" } },
  });
  expect(text).toContain(reason);
}

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
  for (const name of names) {
    await t.step(name, async () => {
      for (const value of ["x", "1", ""]) {
        const env = { ...ENV, HOME: at.path, [name]: value };
        expectRead(await run([executable, ...READ], { env, cwd: at.path }));
      }
      const env = { ...ENV, HOME: at.path, [name]: "x" };
      const bash = [`--allow-env=${name}`, "--allow-run=bash,env", "Bash", '{"command":"env"}'];
      const { text } = resultOf(await run([executable, ...bash], { env, cwd: at.path }));
      expect(text.split("\n")).toContain(`${name}=x`);
    });
  }
});

Deno.test({
  name: "start > a system limit that is too low for the runtime is reported",
  ignore: !isLinux,
  async fn(t) {
    using at = setUp();
    const env = { ...ENV, HOME: at.path };
    const limited = (limit: string, ...args: string[]) => {
      const script = `ulimit ${limit} && exec "$@"`;
      return run(["sh", "-c", script, "sh", executable, ...args], { env, cwd: at.path });
    };
    const tooLow = ["-n 14", "-n 16", "-n 24", "-n 31", "-v 100000", "-v 4000000"];
    tooLow.push("-v 30000000", "-d 10000", "-d 200000", "-d 1000000", "-s 64", "-s 256", "-s 1024");
    for (const limit of tooLow) {
      await t.step(`ulimit ${limit}`, async () => {
        const [option, value] = limit.split(" ");
        const ended = await limited(limit, ...READ);
        expectUnavailable(ended, ` is ${value}; toolcall needs at least `);
        expect(ended.stderr).toMatch(new RegExp(`^toolcall: .* ulimit ${option} \\d+\n$`));
      });
    }
    await t.step("ulimit -n 32 is enough for a call that starts nothing", async () => {
      expectRead(await limited("-n 32", ...READ));
    });
    for (const limit of ["-n 64", "-v 64000000", "-d 2000000", "-s 2048", "-f 0", "-c 0"]) {
      await t.step(`ulimit ${limit} is enough`, async () => {
        expectRead(await limited(limit, ...READ));
        const grep = ["-R", "Grep", JSON.stringify({ pattern: "hello", path: at.path })];
        expect(resultOf(await limited(limit, ...grep)).isError).toBe(false);
        const bash = ["--allow-run=bash", "Bash", '{"command":"echo hi"}'];
        expect(resultOf(await limited(limit, ...bash)).text).toBe("hi\n");
      });
    }
    await t.step("a write beyond ulimit -f fails with an error", async () => {
      const todos = [{ content: "x", status: "pending", activeForm: "x" }];
      const store = await limited("-f 8", "TodoWrite", JSON.stringify({ todos }));
      expect(store.code).toBe(8);
      expect(resultOf(store).isError).toBe(true);
      const content = "x".repeat(100_000);
      const call = { file_path: `${at.path}/large`, content };
      const file = await limited("-f 8", "--allow-write=.", "Write", JSON.stringify(call));
      expect(file.code).toBe(1);
      expect(resultOf(file).text).toMatch(/too large|larger than/);
    });
  },
});

Deno.test({
  name: "start > a limit on processes that is too low for the runtime is reported, in every shell",
  ignore: !isLinux || Deno.uid() !== 0 || !has("setpriv"),
  async fn(t) {
    using at = setUp();
    // No other user has processes of this user id.
    const uid = 1_000_000 + Math.floor(Math.random() * 1_000_000);
    const program = `${at.path}/toolcall`;
    Deno.copyFileSync(executable, program);
    const user = ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
    const home = `${at.path}/home`;
    const env = { ...ENV, HOME: home, TOOLCALL_CACHE_DIR: `${home}/cache` };
    Deno.mkdirSync(home);
    Deno.chownSync(home, uid, uid);
    Deno.chmodSync(at.path, 0o755);
    const limited = (limit: string, ...command: string[]) => {
      const script = `ulimit -u ${limit} && exec "$@"`;
      return run([...user, "bash", "-c", script, "bash", ...command], { env, cwd: home });
    };
    const call = [program, "--allow-all", "Bash", '{"command":"echo hi"}'];
    expect(resultOf(await limited("100", ...call)).text).toBe("hi\n");
    await t.step("a program starts in the sandbox with ulimit -f 0", async () => {
      const script = 'ulimit -f 0 && exec "$@"';
      const scoped = [program, "--allow-run=bash", ...call.slice(2)];
      const ended = await run([...user, "bash", "-c", script, "bash", ...scoped], {
        env,
        cwd: home,
      });
      expect(resultOf(ended).text).toBe("hi\n");
    });
    for (const shell of [["dash"], ["bash", "--posix"], ["busybox", "sh"]]) {
      if (!has(shell[0]!)) continue;
      // With a limit of one process, bash tries to start another one for 15 seconds.
      for (const limit of [...(shell[0] === "bash" ? [] : ["1"]), "2", "4", "7", "8", "31"]) {
        await t.step(`${shell.join(" ")}: ulimit -u ${limit}`, async () => {
          const [program, ...args] = call;
          const ended = await limited(limit, ...await startWith(shell, program!), ...args);
          expect(ended.code).toBe(8);
          expect(resultOf(ended).isError).toBe(true);
          expect(resultOf(ended).text).toMatch(/^Cannot start toolcall: the (limit|message) on /);
        });
      }
      await t.step(`${shell.join(" ")}: ulimit -u 32 is enough`, async () => {
        const [program, ...args] = call;
        const command = await startWith(shell, program!);
        expect(resultOf(await limited("32", ...command, ...args)).text).toBe("hi\n");
      });
    }
  },
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
  name: "start > a working directory that the user may not enter affects only calls that need it",
  ignore: !isLinux ||
    !works(["setpriv", "--reuid=54321", "--clear-groups", "true"], "another user"),
  async fn(t) {
    using at = setUp();
    Deno.chmodSync(at.path, 0o755);
    const [program, cache, shut] = ["toolcall", "cache", "shut"].map((name) =>
      join(at.path, name)
    ) as [string, string, string];
    Deno.copyFileSync(executable, program);
    Deno.chmodSync(program, 0o755);
    Deno.mkdirSync(cache, { mode: 0o700 });
    Deno.chownSync(cache, 54321, 54321);
    Deno.mkdirSync(`${shut}/inner`, { recursive: true });
    Deno.chmodSync(shut, 0o700);
    const user = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"];
    const start = (...args: string[]) =>
      run([...user, program, ...args], {
        env: { ...ENV, TOOLCALL_CACHE_DIR: cache },
        cwd: `${shut}/inner`,
      });
    await t.step("a call with paths in other directories works", async () => {
      const file = JSON.stringify({ file_path: `${at.path}/hello.txt` });
      const { isError, text } = resultOf(await start(`--allow-read=${at.path}`, "Read", file));
      expect({ isError, text }).toMatchObject({ isError: false });
      const rooted = await start(`--root=${at.path}`, `--allow-read=${at.path}`, ...READ.slice(1));
      expectRead(rooted);
    });
    await t.step("a path relative to it fails with permission denied", async () => {
      const { text } = resultOf(await start("--allow-read=/etc", "fs.list", '{"path":"."}'));
      expect(text.toLowerCase()).toContain("permission denied");
      expect(text).not.toContain("not there");
    });
    await t.step("the error names the working directory, not the program", async () => {
      const bash = await start("--allow-run=bash", "Bash", '{"command":"echo hi"}');
      expectUnavailableProgram(bash, `working directory "${shut}/inner" cannot be entered`);
    });
  },
});

function expectUnavailableProgram(ended: Ended, reason: string) {
  const { text, _meta } = resultOf(ended);
  expect(ended.code).toBe(8);
  expect(_meta?.["toolcall/error"].code).toBe("unavailable");
  expect(text).toContain(reason);
}

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
