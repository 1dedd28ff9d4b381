/** Attacks S3 to S5 of docs/attacks.md: other processes, kernel interfaces and privileges. */
import { expect } from "@std/expect";
import {
  attackCommand,
  attackFlags,
  attemptsIn,
  bash,
  grantsOf,
  isThere,
  makeWorld,
  obstacle,
  oddNap,
  pause,
  place,
  processesWith,
  startBash,
  Tally,
  testAs,
  testInShells,
  until,
  type World,
} from "./world.ts";
import { threadsOf } from "../../support/processes.ts";

/** Starts a process of the user's that has nothing to do with the call. */
function startOther(world: World): Deno.ChildProcess {
  const { uid } = world.user;
  const command = [
    ...(uid === undefined ? [] : ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"]),
    ...["sleep", "30"],
  ];
  return new Deno.Command(command[0]!, { args: command.slice(1), stdin: "null" }).spawn();
}

/** The group of a process, as /proc tells it. */
const groupOf = (pid: number) =>
  Number(Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" ")[2]);

/**
 * Runs the section of signals; what it needs to know of toolcall is found from outside meanwhile.
 */
async function trySignals(world: World, { more, other }: { more: string[]; other: number }) {
  // First some output, so that toolcall has all its threads.
  const command = `echo begun; while [ ! -s params ]; do :; done; ` +
    attackCommand(world, "signals").replace("'{}'", '"$(<params)"');
  const flags = attackFlags(world, more);
  const { child, answer } = startBash(world, command, { flags, isAlone: true });
  const children = (pid: number) =>
    Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim().split(" ").map(Number);
  // A server has started the process that runs the call.
  if (world.user.server !== undefined) await until(() => children(child.pid)[0] !== 0);
  const pid = world.user.server !== undefined ? children(child.pid)[0]! : child.pid;
  await until(() => children(pid).length === 2);
  await pause(100);
  const keeper = children(pid).find((each) =>
    Deno.readTextFileSync(`/proc/${each}/cmdline`).includes("toolcall-keeper")
  );
  const threads = threadsOf(pid);
  const params = { threads, keeper, group: groupOf(pid), other };
  Deno.writeTextFileSync(`${world.G}/params`, JSON.stringify(params));
  const attempts = attemptsIn(await answer());
  Deno.removeSync(`${world.G}/params`);
  return { attempts, threads: threads.length };
}

testAs(
  "children > S3 no signal reaches toolcall, its threads, its keeper or another program",
  async (t, user) => {
    const world = makeWorld(user);
    const other = startOther(world);
    try {
      await t.step("what the attacks come to where nothing holds them", async () => {
        const { attempts } = await trySignals(world, {
          more: ["--unconfined-run"],
          other: other.pid,
        });
        const held = attempts.filter(({ outcome }) => outcome !== "escaped").map(({ id }) => id);
        // toolcall is no leader of a group when the harness starts it.
        expect(held).toEqual(["kill group of pid"]);
      });
      const { attempts, threads } = await trySignals(world, { more: [], other: other.pid });
      expect(threads).toBeGreaterThan(1);
      const WAYS = 11;
      await new Tally().add(attempts).report(t, WAYS * (threads + 2) + 3);
    } finally {
      other.kill("SIGKILL");
      await other.status;
    }
  },
);

testInShells(
  "children > S3 toolcall and another program survive what is meant to kill",
  async (t, user) => {
    const world = makeWorld(user);
    const other = startOther(world);
    const tally = new Tally();
    const attacks: [name: string, command: string][] = [
      ["kill -9 of toolcall", "kill -9 $PPID"],
      ["kill -9 of the other program", `kill -9 ${other.pid}`],
      ["kill -9 of its group", "kill -9 -- -$PPID"],
      ["kill -STOP of toolcall", "kill -STOP $PPID"],
      ["SIGIO by an ioctl", attackCommand(world, "sigio").replace("exec ", "")],
    ];
    try {
      for (const [name, command] of attacks) {
        const { child, answer } = startBash(world, `${command}; echo alive`, {
          flags: attackFlags(world),
        });
        // A stopped toolcall would wait for ever.
        const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
        const survives = await answer().then(({ text }) => text.endsWith("alive\n"), () => false);
        clearTimeout(timer);
        tally.note(name, survives && isThere(`/proc/${other.pid}`));
      }
      await tally.report(t, attacks.length);
    } finally {
      other.kill("SIGKILL");
      await other.status;
    }
  },
);

/** Whether the kernel has `listmount` and `statmount`: from Linux 6.8 on. */
const [major = 0, minor = 0] = Deno.osRelease().split(".").map((part) => parseInt(part));
const knowsMountCalls = major > 6 || major === 6 && minor >= 8;

testInShells(
  "children > S3 the memory of others and the kernel's own interfaces are refused",
  async (t, user) => {
    const world = makeWorld(user);
    const run = async (more: string[], params: Record<string, unknown>) =>
      attemptsIn(
        await bash(world, attackCommand(world, "kernel", params), {
          flags: attackFlags(world, more),
        }),
      );
    await t.step("what the attacks come to where nothing holds them", async () => {
      const attempts = await run(["--unconfined-run"], { harmless: true });
      const out = attempts.filter(({ outcome }) => outcome === "escaped").map(({ id }) => id);
      const expected = [
        ...["io_uring", "ptrace", "kcmp", "getfd", "keyctl", "add_key", "userfaultfd"],
        ...["shmget", "msgget", "semget", "mq_open"],
        ...(knowsMountCalls ? ["listmount", "statmount"] : []),
        ...(user.isRoot
          ? [
            "perf",
            "bpf",
            "fsopen",
            "fspick",
            "open_tree",
            "unshare-mount",
            "setns",
            "memory device",
          ]
          : []),
      ];
      expect(expected.filter((id) => !out.includes(id))).toEqual([]);
    });
    const attempts = await run([], {});
    for (const call of ["clone3", "listmount", "statmount"]) {
      expect([call, attempts.find(({ id }) => id === call)?.detail]).toEqual([call, "ENOSYS"]);
    }
    await new Tally().add(attempts).report(t, 44);
  },
);

const compiler = obstacle === undefined && place !== undefined && compileInt80(place.path);

/** Compiles a program that asks for its pid and for a socket as a 32-bit program would. */
function compileInt80(directory: string): string | undefined {
  Deno.writeTextFileSync(
    `${directory}/int80.c`,
    `#include <stdio.h>
static long call(long n, long a, long b, long c) {
  long r;
  __asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(a), "c"(b), "d"(c) : "memory");
  return r;
}
int main(void) { printf("%ld %ld %ld\\n", call(20, 0, 0, 0), call(359, 1, 1, 0), call(26, 16, 0, 0)); }
`,
  );
  const program = `${directory}/int80`;
  let fault = "there is no gcc";
  try {
    const args = ["-O1", "-o", program, `${program}.c`];
    const { success } = new Deno.Command("gcc", { args, stderr: "null" }).outputSync();
    if (success) {
      if (new Deno.Command(program).outputSync().success) return program;
      fault = "this system ends a program that uses it";
    }
  } catch { /* The line below reports it. */ }
  // deno-lint-ignore no-console
  console.log(`skipped: int 0x80, because ${fault}`);
  return undefined;
}

testAs("children > S3 the system calls of a 32-bit program do not exist", async (t, user) => {
  if (!compiler) return;
  const world = makeWorld(user);
  const run = async (more: string[]) => {
    const flags = grantsOf(world, [compiler], more);
    const { text } = await bash(world, compiler, { flags });
    return text.trim().split(" ").map(Number);
  };
  const [pid, socket] = await run(["--unconfined-run"]);
  expect(pid).toBeGreaterThan(0);
  expect(socket).toBeGreaterThan(0);
  const tally = new Tally();
  const ENOSYS = 38;
  for (const result of await run([])) tally.note("int 0x80", result === -ENOSYS, String(result));
  await tally.report(t, 3);
});

testInShells(
  "children > S4 no environment and no memory of another process can be read",
  async (t, user) => {
    const world = makeWorld(user);
    const token = `token-${crypto.randomUUID()}`;
    const env = { SECRET_TOKEN: token };
    const names = [
      ...["environ", "mem", "maps", "smaps", "auxv", "cmdline", "fd/0", "root/etc/passwd", "cwd/x"],
      ...["task/$PPID/environ", "task/$PPID/mem", "stack", "syscall", "io"],
    ];
    const paths = [
      ...names.map((name) => `/proc/$PPID/${name}`),
      ...["/proc/1/environ", "/proc/self/environ", "/proc/$$/environ", "/proc/thread-self/environ"],
      ...["/proc/kcore", "/proc/kmsg", "/dev/mem", "/dev/kmsg", "/proc/$PPID/task/*/environ"],
    ];
    await t.step("what the attacks come to where nothing holds them", async () => {
      const flags = grantsOf(world, [], ["--unconfined-run"]);
      const command = "tr '\\0' '\\n' </proc/$PPID/environ";
      expect((await bash(world, command, { env, flags })).text).toContain(token);
    });
    const tally = new Tally();
    for (const read of [`--allow-read=${world.G}`, "--allow-read", "--allow-read=/,/proc"]) {
      const flags = [read, "--allow-run=bash,head", "--allow-env=PATH"];
      const command = paths.map((path) =>
        `head -c 1 ${path} >/dev/null 2>&1 && echo "read ${path}"; ` +
        `(exec <${path}; read -rN 1) 2>/dev/null && echo "opened ${path}"`
      ).join("\n");
      const { text } = await bash(world, `${command}\nset`, { env, flags });
      const out = text.split("\n").filter((line) => /^(read|opened) /.test(line));
      for (const path of paths) {
        tally.note(
          `${path} under ${read}`,
          !out.some((line) => line.endsWith(` ${path}`)),
        );
      }
      if (text.includes(token)) tally.note(`the token under ${read}`, false);
    }
    await tally.report(t, 3 * paths.length);
  },
);

testAs(
  "children > S4 S5 what a call starts has no capability, no new privileges, and a filter",
  async (_t, user) => {
    const world = makeWorld(user);
    const nap = oddNap();
    const { answer } = startBash(world, `bash -c 'sleep ${nap}'`, {
      flags: grantsOf(world, ["sleep"]),
      timeout: 30_000,
    });
    const napping = () =>
      processesWith(`sleep ${nap}`).filter((pid) =>
        Deno.readTextFileSync(`/proc/${pid}/cmdline`).startsWith("sleep\0")
      );
    expect(await until(() => napping().length === 1)).toBe(true);
    const status = Deno.readTextFileSync(`/proc/${napping()[0]}/status`);
    const value = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(status)?.[1];
    for (const name of ["CapInh", "CapPrm", "CapEff", "CapAmb"]) {
      expect([name, value(name)]).toEqual([name, "0000000000000000"]);
    }
    expect(value("NoNewPrivs")).toBe("1");
    expect(value("Seccomp")).toBe("2");
    Deno.kill(napping()[0]!, "SIGKILL");
    expect((await answer()).exit).toBe(1);
  },
);

testInShells(
  "children > S5 a set-user-id program and a namespace of users give nothing",
  async (t, user) => {
    const world = makeWorld(user);
    const id = `${place!.path}/id`;
    if (!isThere(id)) {
      const found = new Deno.Command("sh", { args: ["-c", "command -v id"] }).outputSync();
      Deno.copyFileSync(Deno.realPathSync(new TextDecoder().decode(found.stdout).trim()), id);
    }
    Deno.chmodSync(id, 0o4755);
    const programs = [id, "unshare", "mount", "true"];
    const attacks: [command: string, given: RegExp][] = [
      [id, /euid=0/],
      [`bash -c 'exec -a id ${id}'`, /euid=0/],
      ["unshare -U true && echo given", /^given$/m],
      ["unshare -Ur bash -c 'echo given'", /^given$/m],
      ["unshare -Urm mount -t tmpfs none . && echo given", /^given$/m],
      ["unshare -Urn true && echo given", /^given$/m],
      ["mount -t tmpfs none . && echo given", /^given$/m],
    ];
    await t.step("what the attacks come to where nothing holds them", async () => {
      const out: boolean[] = [];
      for (const [command, given] of attacks.slice(0, -1)) {
        const flags = grantsOf(world, programs, ["--unconfined-run"]);
        out.push(given.test((await bash(world, command, { flags })).text));
      }
      // Root has no other effective user to become.
      const byBit = Deno.uid() === 0 && !user.isRoot;
      expect(out).toEqual([byBit, byBit, true, true, true, true]);
    });
    const tally = new Tally();
    for (const [command, given] of attacks) {
      const { text } = await bash(world, command, { flags: grantsOf(world, programs) });
      tally.note(command, !given.test(text), text);
    }
    await tally.report(t, attacks.length);
  },
);
