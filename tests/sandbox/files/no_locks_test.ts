// deno-lint-ignore-file no-console
/**
 * File systems without locks, a lock that a reader keeps, and a read-only state directory.
 */
// tier: machine
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { call, executable, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { has } from "../../support/programs.ts";

const FLOCK = { x86_64: 73, aarch64: 32 }[Deno.build.arch];
const isLinux = Deno.build.os === "linux";
if (!isLinux) console.log("skipped: only Linux refuses single system calls to a program");

const refusals: [name: string, number: number][] = [
  ["ENOLCK", 37],
  ["ENOSYS", 38],
  ["EOPNOTSUPP", 95],
];

/** Compiles a program that runs another one, for which one system call fails. */
function compile(directory: string): string {
  const program = `${directory}/refusing`;
  const source = fileURLToPath(new URL("./refusing.c", import.meta.url));
  const { success } = new Deno.Command("gcc", { args: ["-O2", "-o", program, source] })
    .outputSync();
  expect(success).toBe(true);
  return program;
}

Deno.test({
  name: "edits, the audit log and background tasks work on a file system without locks",
  ignore: !isLinux || !has("gcc"),
  fn: async (t) => {
    using directory = temporaryDirectory();
    const refusing = compile(directory.path);
    for (const [name, number] of refusals) {
      const path = `${directory.path}/${name}`;
      Deno.mkdirSync(path);
      const run = (...args: string[]) => {
        const command = [`${FLOCK}`, `${number}`, executable, ...args];
        const { code, stdout, stderr } = new Deno.Command(refusing, { args: command, cwd: path })
          .outputSync();
        const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
        return { code, text: JSON.parse(out!).content[0].text as string, error };
      };
      await t.step(`${name}: Edit and Write`, () => {
        const file_path = `${path}/file`;
        const flags = [`--allow-read=${path}`, `--allow-write=${path}`];
        Deno.writeTextFileSync(file_path, "before\n");
        const edit = { file_path, old_string: "before", new_string: "after" };
        expect(run(...flags, "Edit", JSON.stringify(edit))).toMatchObject({ code: 0 });
        expect(Deno.readTextFileSync(file_path)).toBe("after\n");
        const write = { file_path, content: "new\n" };
        expect(run(...flags, "Write", JSON.stringify(write))).toMatchObject({ code: 0 });
        expect(Deno.readTextFileSync(file_path)).toBe("new\n");
      });
      await t.step(`${name}: the line of the audit`, () => {
        const log = `${path}/audit.log`;
        const args = JSON.stringify({ path: "." });
        expect(run(`--audit=${log}`, `--allow-read=${path}`, "fs.list", args))
          .toMatchObject({ code: 0, error: "" });
        expect(Deno.readTextFileSync(log)).toContain("fs.list");
      });
      await t.step(`${name}: a background task`, () => {
        const state = `--state-dir=${path}/state`;
        const command = JSON.stringify({ command: "echo from the task", run_in_background: true });
        const started = run("-A", state, "Bash", command);
        expect(started).toMatchObject({ code: 0 });
        const id = /task_\w+/.exec(started.text)![0];
        const output = JSON.stringify({ task_id: id, block: true, timeout: 60_000 });
        expect(run("-A", state, "TaskOutput", output).text).toContain("from the task");
      });
    }
  },
});

const holders: [what: string, ways: string][] = [
  ["lock", "import fcntl, os; fcntl.flock(f, fcntl.LOCK_EX)"],
  ["lease", "import fcntl; fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_RDLCK)"],
];

for (const [what, way] of holders) {
  Deno.test({
    name: `Edit and Write succeed although a reader keeps a ${what} on the file`,
    ignore: !isLinux || !has("python3"),
    fn: async () => {
      using directory = temporaryDirectory();
      const file_path = `${directory.path}/file`;
      Deno.writeTextFileSync(file_path, "before\n");
      const holding = `import signal, time
signal.signal(signal.SIGIO, signal.SIG_IGN)
f = open(${JSON.stringify(file_path)})
${way}
print("held", flush=True)
time.sleep(200)`;
      const holder = new Deno.Command("python3", { args: ["-c", holding], stdout: "piped" })
        .spawn();
      const reader = holder.stdout.getReader();
      expect(new TextDecoder().decode((await reader.read()).value)).toContain("held");
      const flags = [`--allow-read=${directory.path}`, `--allow-write=${directory.path}`];
      const edit = { file_path, old_string: "before", new_string: "after" };
      // Calls that wait for the lock reach the time limit of 30 s and fail.
      expect(await call("Edit", edit, { flags })).toMatchObject({ isError: false });
      expect(Deno.readTextFileSync(file_path)).toBe("after\n");
      expect(await call("Write", { file_path, content: "new\n" }, { flags }))
        .toMatchObject({ isError: false });
      expect(Deno.readTextFileSync(file_path)).toBe("new\n");
      holder.kill();
      await reader.cancel();
      await holder.status;
    },
  });
}

Deno.test({
  name: "a read-only state directory can be read, and starting a task in it is unavailable",
  ignore: !isLinux || (Deno.uid() === 0 && !has("setpriv")),
  fn: async (t) => {
    using directory = temporaryDirectory();
    const state = `${directory.path}/state`;
    const set = ["-A", `--state-dir=${state}`, "Config"];
    const args = JSON.stringify({ setting: "model.default", value: "Esperanto" });
    expect(await toolcall([...set, args])).toMatchObject({ code: 0 });
    // Root can write every directory, so another user makes the calls.
    const user = 4242;
    for (const path of [state, `${state}/tasks`, ...files(state)]) {
      if (Deno.uid() === 0) Deno.chownSync(path, user, user);
    }
    const [home, copy] = [`${directory.path}/home`, `${directory.path}/toolcall`];
    Deno.mkdirSync(home);
    Deno.chownSync(home, Deno.uid() === 0 ? user : null, null);
    Deno.copyFileSync(executable, copy);
    Deno.chmodSync(directory.path, 0o755);
    for (const path of [`${state}/tasks`, state]) Deno.chmodSync(path, 0o555);
    const program = Deno.uid() === 0
      ? ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", copy]
      : [copy];
    const run = (...args: string[]) => {
      const { code, stdout } = new Deno.Command(program[0]!, {
        args: [...program.slice(1), ...args],
        cwd: "/",
        env: { HOME: home },
      }).outputSync();
      return { code, text: new TextDecoder().decode(stdout) };
    };
    await t.step("toolcall tasks lists the tasks", () => {
      expect(run("tasks", `--state-dir=${state}`)).toMatchObject({ code: 0 });
    });
    await t.step("Config reads a setting", () => {
      const { code, text } = run(...set, JSON.stringify({ setting: "model.default" }));
      expect({ code, text }).toMatchObject({ code: 0 });
      expect(text).toContain("Esperanto");
    });
    await t.step("changing a setting and starting a task fail with advice", () => {
      const plan = JSON.stringify({ setting: "plan_mode", value: true });
      for (const each of [args, plan]) {
        const { code, text } = run(...set, each);
        expect({ code, text }).toMatchObject({ code: 8 });
        expect(text).toContain("another directory with --state-dir");
      }
      const command = JSON.stringify({ command: "echo", run_in_background: true });
      const { code, text } = run("-A", `--state-dir=${state}`, "Bash", command);
      expect({ code, text }).toMatchObject({ code: 8 });
      expect(text).toContain("--state-dir");
    });
    Deno.chmodSync(state, 0o755);
    Deno.chmodSync(`${state}/tasks`, 0o755);
  },
});

function files(directory: string): string[] {
  return [...Deno.readDirSync(directory)].filter(({ isFile }) => isFile)
    .map(({ name }) => `${directory}/${name}`);
}
