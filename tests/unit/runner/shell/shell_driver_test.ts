/** The protocol between a host and the bash of a session, with a real bash and without a sandbox. */
import { expect } from "@std/expect";
import { isAlive } from "../../../support/processes.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import { nextTurn, until } from "../../../support/wait.ts";
import {
  type Hanging,
  only,
  openShell,
  prints,
  processes,
  type Sign,
  testHanging,
} from "./open_shell.ts";

/** Commands in one shell, each with its output and exit code. */
const KEPT: Readonly<Record<string, readonly [command: string, text: string, code: number][]>> = {
  "working directory, variables, functions, aliases, options and traps stay": [
    ["cd /usr; x=1; declare -A m=([a]=b); f() { echo f$x; }; alias g=f", "", 0],
    ["pwd; f; g; echo ${m[a]}", "/usr\nf1\nf1\nb\n", 0],
    ["shopt -s nullglob; trap 'echo usr' USR1; umask 077", "", 0],
    ["echo /proc/self/nothing*; umask; kill -USR1 $$", "\n0077\nusr\n", 0],
  ],
  "the output is exact, also without a newline and with a NUL character": [
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
  "streams that a command closes or redirects are restored for the next command": [
    ["exec >&- 2>&- <&-", "", 0],
    ["echo one", "one\n", 0],
    ["exec >/dev/null 2>&1", "", 0],
    ["echo two; echo three >&2", "two\nthree\n", 0],
    ["exec </dev/zero", "", 0],
    ['read -r line; echo "$? $line"', "1 \n", 0],
    ["cat", "", 0],
  ],
  "an option that traces or ignores commands does not hide the end of a command": [
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
  "a prompt and a hook of the prompt are not in the output": [
    ["PS1='(venv) '; PS2='> '; PS0=zero; PROMPT_COMMAND='echo prompt >&2'", "", 0],
    ["echo 'one\ntwo'", "one\ntwo\n", 0],
  ],
  "a function with the name of a builtin does not hide the end of a command": [
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
        const end = await shell.run(command);
        // The message of a syntax error depends on the version of bash.
        if (code === 2) end.text = "";
        expect({ command, ...end }).toEqual({ command, text, code, isKept: true });
      }
    },
  });
}

/** Commands that end the shell. An interactive bash prints "exit". */
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
    name: `shell driver > a command that ends the shell ends too: ${command}`,
    ...only,
    async fn() {
      await using shell = await openShell();
      expect(await shell.run(command)).toEqual({ text, code, isKept: false });
    },
  });
}

const sleeps: Sign = () => processes().some(({ line }) => line === "sleep 1000");
const isStopped: Sign = () => processes().some(({ state }) => state === "T");

const HANGING: readonly Hanging[] = [
  ["sleep 1000", sleeps, true],
  ["while :; do :; done", prints("begun"), true],
  ["while :; do sleep 0.1; done", prints("begun"), true],
  ["while :; do sleep 1000; done", sleeps, true],
  ["bash -c 'trap \"\" INT TERM; sleep 1000; sleep 1000'", sleeps, true],
  ["(trap '' INT; sleep 1000)", sleeps, true],
  ["cat /dev/zero | sleep 1000", sleeps, true],
  ["kill -STOP $$", isStopped, true],
  ["bash -c 'kill -STOP $$; sleep 1000'", isStopped, true],
  ["mkfifo $TMPDIR/f; echo made; cat < $TMPDIR/f", prints("made"), true],
  ["wait_for() { read -r line < <(sleep 1000); }; wait_for", sleeps, true],
  ["yes", prints("y\ny"), true],
  ["set -m; sleep 1000", sleeps, true],
  ["exec sleep 1000", sleeps, false],
];

for (const hanging of HANGING) testHanging(hanging);

/** A command that waits until the test creates a file. */
const WAIT = "until [ -e $GO ]; do sleep 0.02; done";

/** The sign that `cat` waits for output of the shell. */
const reads: Sign = () =>
  processes().some(({ line, state }) => line.startsWith("cat /proc/") && state === "S");

/** Attempts to print the end of a command before its end, each with the sign that it was made. */
const FORGED: readonly [commands: readonly string[], isTried: Sign][] = [
  [
    ['set; declare -p; export -p; env; echo "$BASH_COMMAND $BASH_EXECUTION_STRING $_"; echo tried'],
    prints("\ntried"),
  ],
  [["trap 'echo \"<$BASH_COMMAND>\"' DEBUG", "echo a; echo tried"], prints("\ntried")],
  [["set -xv", "echo a; echo tried"], prints("\ntried")],
  [
    ['for fd in {0..63}; do timeout=0.01; read -r -t 0.01 -u $fd line 2>/dev/null && echo "$fd $line"; done; echo; echo tried'],
    prints("\ntried"),
  ],
  [["cat /proc/$$/fd/* 2>/dev/null </dev/null &"], reads],
  [["set -o history", "history; fc -l 2>&1; echo; echo tried"], prints("\ntried")],
  [
    ["tr '\\0' '\\n' < /proc/$$/cmdline; cat /proc/$$/environ | tr '\\0' '\\n'; echo; echo tried"],
    prints("\ntried"),
  ],
];

for (const [commands, isTried] of FORGED) {
  Deno.test({
    name: `shell driver > no output of a command forges its end: ${commands[0]!.slice(0, 60)}`,
    ...only,
    async fn() {
      using directory = temporaryDirectory();
      await using shell = await openShell();
      const go = `${directory.path}/go`;
      const before = [];
      for (const command of [`GO=${go}`, ...commands.slice(0, -1)]) {
        before.push(await shell.run(command));
      }
      const attempt = commands.at(-1)!;
      const isBackground = attempt.endsWith("&");
      const end = isBackground ? "kill %% 2>/dev/null; wait; echo last" : "echo last";
      const running = shell.start(`${attempt}${isBackground ? "" : ";"} ${WAIT}; ${end}`);
      let isOver = false;
      running.end.then(() => isOver = true);
      expect(await until(() => isOver || isTried(running.output()))).toBe(true);
      // The attempt has not ended the command.
      expect(isOver).toBe(false);
      Deno.writeTextFileSync(go, "");
      const { text, isKept } = await running.end;
      expect([...before.map((each) => each.isKept), isKept]).not.toContain(false);
      expect(text).toMatch(/^last$/m);
      // The two halves of an old mark may be in a trace, but never together.
      expect(before.map((each) => each.text).join("") + text).not.toMatch(/\0[0-9a-f]{32} /);
    },
  });
}

Deno.test({
  name: "shell driver > the output of background jobs between commands comes with the next command",
  ...only,
  async fn() {
    using directory = temporaryDirectory();
    await using shell = await openShell();
    const go = `${directory.path}/go`;
    const { text: job } = await shell.run(`GO=${go}; (${WAIT}; echo late) & disown; echo pid=$!`);
    const pid = Number(/pid=(\d+)/.exec(job)![1]);
    Deno.writeTextFileSync(go, "");
    expect(await until(() => !isAlive(pid))).toBe(true);
    // The output is in the pipe now. The driver reads it when the event loop runs.
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect((await shell.run("echo now")).text).toBe(
      "[Printed by background jobs since the last command:]\nlate\n[Output of this command:]\nnow\n",
    );
  },
});

Deno.test({
  name: "shell driver > the end of a command is found after a flood of output",
  ...only,
  async fn() {
    await using shell = await openShell();
    const { text, code } = await shell.run("head -c 5000000 /dev/zero; echo end");
    expect([text.length, code]).toEqual([5_000_004, 0]);
  },
});
