/** Attack L8 of docs/attacks.md: with low limits or few rights, the caller gets a line of JSON. */
// tier: machine
import { join } from "node:path";
import { expect } from "@std/expect";
import { executable } from "../support/executable.ts";
import { has, works } from "../support/programs.ts";
import { type Ended, run, startWith } from "../support/stand_in.ts";
import { ENV, expectRead, expectUnavailable, isLinux, READ, resultOf, setUp } from "./starts.ts";

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
