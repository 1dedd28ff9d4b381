/** Time limits, signals, endless output, and the environment of a program. */
import { expect } from "@std/expect";
import { until } from "../support/wait.ts";
import {
  call,
  executable,
  oneLine,
  type Result,
  temporaryDirectory,
} from "../support/executable.ts";

/** Starts a call. The returned process takes signals. */
function start(name: string, args: Record<string, unknown>, flags: string[]) {
  return new Deno.Command(executable, {
    args: [name, JSON.stringify(args), ...flags],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** How long a program of the tests sleeps, in seconds: far longer than a call that is to end it. */
const NAP_SECONDS = 600;

/** The longest time of a call that must not wait for such a program, in milliseconds. */
const MAX_MS_WITHOUT_NAP = NAP_SECONDS * 500;

/** A duration that no other process sleeps for, in seconds. */
function oddNap(): string {
  return `${NAP_SECONDS}.${Math.floor(Math.random() * 1e6)}`;
}

/** Whether a process with exactly this command line runs. A process that has ended has none. */
function runs(commandLine: string): boolean {
  return [...Deno.readDirSync("/proc")].some(({ name }) => {
    try {
      const words = Deno.readTextFileSync(`/proc/${name}/cmdline`).split("\0").slice(0, -1);
      return words.join(" ") === commandLine;
    } catch {
      return false;
    }
  });
}

Deno.test("limits > SIGINT, SIGTERM and SIGHUP give a cancelled result and leave no process", async (t) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    await t.step(signal, async () => {
      const nap = oddNap();
      const child = start("Bash", { command: `echo begun; sleep ${nap} & sleep ${nap}` }, ["-A"]);
      expect(await until(() => runs(`sleep ${nap}`))).toBe(true);
      child.kill(signal);
      const { code, stdout, stderr } = await child.output();
      const decoder = new TextDecoder();
      const result = oneLine({
        code,
        stdout: decoder.decode(stdout),
        stderr: decoder.decode(stderr),
      });
      expect(code).toBe(7);
      expect(result).toMatchObject({
        isError: true,
        _meta: { "toolcall/error": { code: "cancelled" } },
      });
      expect((result as Result).content[0]?.text).toContain("begun\n");
      expect(runs(`sleep ${nap}`)).toBe(false);
    });
  }
});

Deno.test("limits > S9 a call that times out returns its output so far and ends the process group", async () => {
  const nap = oddNap();
  const begin = performance.now();
  const result = await call("Bash", {
    command: `trap '' TERM; echo part; sleep ${nap} & sleep ${nap}`,
    timeout: 2_000,
  }, { flags: ["-A"] });
  expect(performance.now() - begin).toBeLessThan(MAX_MS_WITHOUT_NAP);
  expect(result.exit).toBe(7);
  expect(result._meta?.["toolcall/error"].code).toBe("timeout");
  expect(result.text).toContain("part\n");
  expect(result.text).toContain("2000 ms");
  expect(runs(`sleep ${nap}`)).toBe(false);
});

Deno.test("limits > S6 a background program neither delays nor outlives the call", async (t) => {
  for (
    const [name, tail] of [["with the output pipe open", "&"], [
      "with other streams",
      ">/dev/null 2>&1 &",
    ]] as const
  ) {
    await t.step(name, async () => {
      const nap = oddNap();
      const begin = performance.now();
      const started = "until grep -qa ^sleep /proc/$!/cmdline; do sleep 0.02; done";
      const result = await call("Bash", { command: `sleep ${nap} ${tail} ${started}; echo done` }, {
        flags: ["-A"],
      });
      expect(performance.now() - begin).toBeLessThan(MAX_MS_WITHOUT_NAP);
      const ended =
        `done\n[Ended with the command: sleep ${nap}; use run_in_background to keep it running]`;
      expect(result).toMatchObject({ exit: 0, text: ended });
      expect(runs(`sleep ${nap}`)).toBe(false);
    });
  }
});

Deno.test("limits > S7 long output is truncated in the middle, and a private file has all of it", async (t) => {
  const commands: [name: string, command: string][] = [
    ["yes", "yes | head -c 200000000"],
    ["one line of 100 MB", "head -c 100000000 /dev/zero | tr '\\0' x"],
    ["stderr", "yes | head -c 50000000 >&2"],
  ];
  for (const [name, command] of commands) {
    await t.step(name, async () => {
      const run = await new Deno.Command("sh", {
        args: [
          "-c",
          `ulimit -v unlimited; printf '%s' "$1" | "$0" -A`,
          executable,
          JSON.stringify({ name: "Bash", arguments: { command } }),
        ],
      }).output();
      const result = JSON.parse(new TextDecoder().decode(run.stdout)) as Result;
      const text = result.content[0]!.text;
      expect(text.length).toBeLessThan(31_000);
      const [, cut, bytes, path] = text.match(
        /\[(\d+) characters omitted; the whole output, (\d+) bytes, is in "([^"]+)"\]/,
      )!;
      expect(Deno.statSync(path!).size).toBe(Number(bytes));
      expect(Number(cut) + 30_000).toBe(Number(bytes));
      expect((Deno.statSync(path!).mode ?? 0) & 0o077).toBe(0);
      Deno.removeSync(path!.replace(/\/[^/]+$/, ""), { recursive: true });
    });
  }
});

Deno.test("limits > C3 a program gets PATH, HOME, LANG, TERM, TMPDIR and the variables of --allow-env", async () => {
  const env = {
    SECRET: "s3cret",
    NAMED: "named",
    LD_PRELOAD: "",
    BASH_ENV: "/x",
    GIT_SSH_COMMAND: "y",
  };
  const names = async (flags: string[]) => {
    const result = await call("Bash", { command: "env | cut -d= -f1" }, { flags, env });
    return result.text.trim().split("\n");
  };
  const allowed = ["PATH", "HOME", "LANG", "TERM", "TMPDIR", "PWD", "SHLVL", "OLDPWD", "_"];
  expect((await names(["-A"])).filter((name) => !allowed.includes(name))).toEqual([]);
  const more = await names(["-A", "--allow-env=NAMED"]);
  expect(more.filter((name) => !allowed.includes(name))).toEqual(["NAMED"]);
});

Deno.test("limits > Bash is refused unless --allow-run allows bash", async (t) => {
  const flagSets = [
    [],
    ["--allow-run=git"],
    ["--allow-read", "--allow-write", "--allow-net", "--allow-env", "--allow-sys"],
    ["--unconfined-run"],
    ["-A", "--deny-run=bash"],
    ["-A", "--deny-run=/bin/bash"],
    ["-A", "--deny-run"],
  ];
  for (const flags of flagSets) {
    await t.step(flags.join(" ") || "no flag", async () => {
      using directory = temporaryDirectory();
      const result = await call("Bash", { command: "touch ran" }, { flags, cwd: directory.path });
      expect(result.exit).toBe(6);
      expect(result._meta?.["toolcall/error"].code).toBe("permission_denied");
      expect(result.text).toMatch(
        /^Permission denied: running "bash" (needs --allow-run=bash|is denied by --deny-run\S*)$/,
      );
      expect([...Deno.readDirSync(directory.path)]).toEqual([]);
    });
  }
});

Deno.test("limits > a non-zero exit code and a fatal signal are reported as failures", async () => {
  const failed = await call("Bash", { command: "echo out; echo err >&2; exit 3" }, {
    flags: ["-A"],
  });
  expect(failed).toMatchObject({ exit: 1, text: "out\nerr\nExit code 3" });
  expect(failed._meta?.["toolcall/error"]["exitCode"]).toBe(3);
  const killed = await call("Bash", { command: "kill -9 $$" }, { flags: ["-A"] });
  expect(killed).toMatchObject({ exit: 1, text: "Ended by SIGKILL" });
});

Deno.test("limits > a result says that long output could not be kept, and no process is left", async () => {
  const nap = oddNap();
  using directory = temporaryDirectory();
  const result = await call("Bash", { command: `seq 100000; sleep ${nap} & true` }, {
    flags: ["-A"],
    env: { TMPDIR: `${directory.path}/missing` },
  });
  expect(result.exit).toBe(0);
  expect(result.text).toContain("could not be kept in a file");
  expect(runs(`sleep ${nap}`)).toBe(false);
});

Deno.test("limits > a stdout that cannot be written gives one line on stderr and exit code 8", async () => {
  const run = await new Deno.Command("sh", {
    args: ["-c", '"$0" list >/dev/full', executable],
  }).output();
  expect(run.code).toBe(8);
  expect(new TextDecoder().decode(run.stderr)).toMatch(/^toolcall: [^\n]+\n$/);
});

Deno.test("limits > Bash is unavailable without bash, and the message names it", async () => {
  using directory = temporaryDirectory();
  for (const name of ["sh", "ls", "env"]) {
    const { stdout } = new Deno.Command("sh", { args: ["-c", `command -v ${name}`] }).outputSync();
    Deno.symlinkSync(new TextDecoder().decode(stdout).trim(), `${directory.path}/${name}`);
  }
  const result = await call("Bash", { command: "true" }, {
    flags: ["-A"],
    env: { PATH: directory.path },
  });
  expect(result.exit).toBe(8);
  expect(result.text).toContain('"bash"');
});

Deno.test("limits > Grep stops after the requested lines and a limited count of the others", async () => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/many`;
  Deno.writeTextFileSync(path, "a line of some text here\n".repeat(3_000_000));
  const args = { pattern: "line", path, output_mode: "content", head_limit: 2 };
  const texts = await Promise.all(
    [["-A"], [`--allow-read=${directory.path}`]].map(async (flags) => {
      const { text, exit } = await call("Grep", args, { flags });
      expect(exit).toBe(0);
      return text;
    }),
  );
  expect(texts[0]).toContain("of at least 100002; for more set offset to 2");
  expect(texts[1]).toBe(texts[0]);
});
