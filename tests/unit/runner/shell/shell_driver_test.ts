/** The protocol between a host and the bash of a session, with a real bash and no sandbox. */
import { expect } from "@std/expect";
import { BASH_ARGUMENTS, ShellDriver } from "../../../../src/runner/shell/shell_driver.ts";
import {
  endNewProcesses,
  processesBelow,
  ticksOfClock,
} from "../../../../src/runner/shell/new_processes.ts";
import { birthOf } from "../../../../src/runner/sandbox/executors/process.ts";
import { has } from "../../../support/programs.ts";

/** A bash, and commands for it one after the other. */
async function openShell() {
  const child = new Deno.Command("bash", {
    ...{ args: BASH_ARGUMENTS, clearEnv: true, env: { PATH: Deno.env.get("PATH")! } },
    ...{ stdin: "piped", stdout: "piped", stderr: "null", detached: true },
  }).spawn();
  const kill = () => {
    try {
      Deno.kill(-child.pid, "SIGKILL");
    } catch { /* It has ended. */ }
    return Promise.resolve();
  };
  const driver = new ShellDriver(child, kill);
  await driver.begin();
  const clock = ticksOfClock();
  return {
    child,
    /** Runs a command. The text has the output, with a line for what became of the shell. */
    async run(
      command: string,
      ms?: number,
    ): Promise<{ text: string; code: number; isKept: boolean }> {
      const decoder = new TextDecoder();
      const stop = new AbortController();
      const timer = ms === undefined ? undefined : setTimeout(() => stop.abort(), ms);
      let text = "";
      const [since, old] = [clock(), processesBelow(Deno.pid)];
      const { code, isKept } = await driver.run(command, {
        take: (bytes) => {
          text += decoder.decode(bytes, { stream: true });
          return Promise.resolve();
        },
        stop: stop.signal,
        endForeground: () => {
          const host = { host: Deno.pid, born: birthOf(Deno.pid)!, shell: child.pid };
          return Promise.resolve(endNewProcesses({ ...host, since, old }));
        },
      });
      clearTimeout(timer);
      return { text, code, isKept };
    },
    async [Symbol.asyncDispose]() {
      await kill();
      await driver.ended;
      const all = { shell: 0, since: 0, old: new Map() };
      endNewProcesses({ host: Deno.pid, born: birthOf(Deno.pid)!, ...all });
      await driver.drained;
      await child.stdin.abort().catch(() => {});
    },
  };
}

const only = { ignore: Deno.build.os !== "linux" || !has("bash") };

/** Commands in one shell, each with its output and its exit code. */
const KEPT: Readonly<Record<string, readonly [command: string, text: string, code: number][]>> = {
  "working directory, variables, functions, aliases, options and traps stay": [
    ["cd /usr; x=1; declare -A m=([a]=b); f() { echo f$x; }; alias g=f", "", 0],
    ["pwd; f; g; echo ${m[a]}", "/usr\nf1\nf1\nb\n", 0],
    ["shopt -s nullglob; trap 'echo usr' USR1; umask 077", "", 0],
    ["echo /nothing*; umask; kill -USR1 $$", "\n0077\nusr\n", 0],
  ],
  "output is exact, also without a newline and in bytes": [
    ["printf a", "a", 0],
    ["printf 'a\\0b'", "a\0b", 0],
    ["echo out; echo err >&2; echo out", "out\nerr\nout\n", 0],
    ["printf 'é\\n'; echo \"it's \\\\ \\$x\"", "é\nit's \\ $x\n", 0],
    ["cat <<'E'\none\n\ttwo\nE", "one\n\ttwo\n", 0],
    ["# nothing", "", 0],
    ["-x 2>/dev/null", "", 127],
    ["false", "", 1],
    ["echo $?", "1\n", 0],
    ["(exit 7)", "", 7],
  ],
  "a syntax error is an error of the command": [
    ["echo (", "", 2],
    ["if", "", 2],
    ['echo "open', "", 2],
    ["echo good", "good\n", 0],
  ],
  "streams that a command closes or moves are back for the next one": [
    ["exec >&- 2>&- <&-", "", 0],
    ["echo one", "one\n", 0],
    ["exec >/dev/null 2>&1", "", 0],
    ["echo two; echo three >&2", "two\nthree\n", 0],
    ["exec </dev/zero", "", 0],
    ['read -r line; echo "$? $line"', "1 \n", 0],
    ["cat", "", 0],
  ],
  "an option that traces or ignores commands does not hide the end": [
    ["set -v", "", 0],
    ["echo v", "echo v\nv\n", 0],
    ["set +v -n", "set +v -n\n", 0],
    ["echo n", "n\n", 0],
    ["set -u", "", 0],
    ["echo $nothing; echo more", "bash: nothing: unbound variable\n", 1],
    ["set +u", "", 0],
    ["set -o posix", "", 0],
    ["echo posix; shift 5 2>/dev/null; echo more", "posix\nmore\n", 0],
  ],
  "a prompt and a hook of the prompt do not show": [
    ["PS1='(venv) '; PS2='> '; PS0=zero; PROMPT_COMMAND='echo prompt >&2'", "", 0],
    ["echo 'one\ntwo'", "one\ntwo\n", 0],
  ],
  "a function with the name of a builtin does not hide the end": [
    ["printf() { echo mine; }; eval() { echo mine; }", "", 0],
    ["printf x", "mine\n", 0],
    ["unset -f printf eval; printf x", "x", 0],
  ],
};

for (const [name, commands] of Object.entries(KEPT)) {
  Deno.test({
    name: `shell driver > ${name}`,
    ...only,
    async fn() {
      await using shell = await openShell();
      for (const [command, text, code] of commands) {
        const end = await shell.run(command, 20_000);
        // The words of a syntax error are those of the version of bash.
        if (code === 2) end.text = "";
        expect({ command, ...end }).toEqual({ command, text, code, isKept: true });
      }
    },
  });
}

/** Commands after which no shell is left. An interactive bash says "exit". */
const ENDED: readonly [command: string, text: string, code: number][] = [
  ["echo a; exit 3", "a\nexit\n", 3],
  ["exec bash -c 'echo b; exit 4'", "b\n", 4],
  ["set -e; echo c; false; echo d", "c\n", 1],
  ["trap 'echo trapped' EXIT; exit 5", "exit\ntrapped\n", 5],
  ["kill -9 $$", "", 137],
  ["exec 10>&- 11>&- 12>&-; exit 6", "exit\n", 6],
];

for (const [command, text, code] of ENDED) {
  Deno.test({
    name: `shell driver > the end of the shell is the end of the command: ${command}`,
    ...only,
    async fn() {
      await using shell = await openShell();
      expect(await shell.run(command, 20_000)).toEqual({ text, code, isKept: false });
    },
  });
}

/** Commands that hang, and whether the shell outlives them. */
const HANGING: readonly [command: string, isKept: boolean][] = [
  ["sleep 1000", true],
  ["while :; do :; done", true],
  ["while :; do sleep 0.1; done", true],
  ["bash -c 'trap \"\" INT TERM; sleep 1000; sleep 1000'", true],
  ["(trap '' INT; sleep 1000)", true],
  ["cat /dev/zero | sleep 1000", true],
  ["kill -STOP $$", true],
  ["bash -c 'kill -STOP $$; sleep 1000'", true],
  ["mkfifo $TMPDIR/f; cat < $TMPDIR/f", true],
  ["wait_for() { read -r line < <(sleep 1000); }; wait_for", true],
  ["yes", true],
  ["set -m; sleep 1000", true],
  ["exec sleep 1000", false],
  ["trap '' INT; while :; do :; done", false],
  ["builtin() { :; }", false],
];

for (const [command, isKept] of HANGING) {
  Deno.test({
    name: `shell driver > a command that hangs is ended${
      isKept ? ", and the shell stays" : ""
    }: ${command}`,
    ...only,
    async fn() {
      const directory = await Deno.makeTempDir();
      await using shell = await openShell();
      await shell.run(`cd /usr; export TMPDIR=${directory}; sleep 1001 & kept=$!`, 20_000);
      expect((await shell.run(`echo begun; ${command}`, 700)).isKept).toBe(isKept);
      if (isKept) {
        const { text } = await shell.run("pwd; kill -0 $kept && echo job", 20_000);
        expect(text).toBe("/usr\njob\n");
      }
      await Deno.remove(directory, { recursive: true });
    },
  });
}

/** Attempts to print the end of a command before its end, in one call or two. */
const FORGED: readonly (readonly string[])[] = [
  ['set; declare -p; export -p; env; echo "$BASH_COMMAND $BASH_EXECUTION_STRING $_"; sleep 1'],
  ["trap 'echo \"<$BASH_COMMAND>\"' DEBUG", "echo a; sleep 1"],
  ["set -xv", "echo a; sleep 1"],
  ['for fd in {0..63}; do timeout=0.01; read -r -t 0.01 -u $fd line 2>/dev/null && echo "$fd $line"; done; sleep 1'],
  ["cat /proc/$$/fd/* 2>/dev/null </dev/null & sleep 0.3; kill %% 2>/dev/null; sleep 1"],
  ["set -o history", "history; fc -l 2>&1; sleep 1"],
  ["tr '\\0' '\\n' < /proc/$$/cmdline; cat /proc/$$/environ | tr '\\0' '\\n'; sleep 1"],
];

for (const commands of FORGED) {
  Deno.test({
    name: `shell driver > nothing that a command can print is its end: ${
      commands.at(-1)!.slice(0, 60)
    }`,
    ...only,
    async fn() {
      await using shell = await openShell();
      let said = "";
      for (const command of commands) {
        const start = performance.now();
        // A mark that was found is printed once more, as the end would be.
        const end = await shell.run(command, 20_000);
        said += end.text;
        expect(end.isKept).toBe(true);
        if (command.includes("sleep 1")) expect(performance.now() - start).toBeGreaterThan(950);
      }
      // The two halves of a mark that has ended may show in a trace. Together they never do.
      expect(said).not.toMatch(/\0[0-9a-f]{32} /);
    },
  });
}

Deno.test({
  name: "shell driver > the output of background jobs between commands comes with the next one",
  ...only,
  async fn() {
    await using shell = await openShell();
    await shell.run("(sleep 0.2; echo late) & disown");
    let text = "now\n";
    for (let again = 0; again < 20 && text === "now\n"; again++) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      text = (await shell.run("echo now")).text;
    }
    expect(text).toBe(
      "[Printed by background jobs since the last command:]\nlate\n[Output of this command:]\nnow\n",
    );
  },
});

Deno.test({
  name: "shell driver > a flood of output passes, and its end is found",
  ...only,
  async fn() {
    await using shell = await openShell();
    const { text, code } = await shell.run("head -c 5000000 /dev/zero; echo end", 60_000);
    expect([text.length, code]).toEqual([5_000_004, 0]);
  },
});
