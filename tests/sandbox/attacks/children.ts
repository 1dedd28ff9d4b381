/** Attacks S3 to S5 of docs/attacks.md: other processes, kernel interfaces and privileges. */
import { expect } from "@std/expect";
import {
  attackCommand,
  attackFlags,
  attemptsIn,
  bash,
  grantsOf,
  installation,
  isThere,
  makeWorld,
  obstacle,
  oddNap,
  processesWith,
  sleepers,
  startBash,
  Tally,
  testAs,
  testInShells,
  type World,
} from "./world.ts";
import { threadsOf } from "../../support/processes.ts";
import { killWhenStuck, until, waitFor } from "../../support/wait.ts";

/** Starts a process of the user that does not belong to the call. */
function startOther(world: World): Deno.ChildProcess {
  const { uid } = world.user;
  const command = [
    ...(uid === undefined ? [] : ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"]),
    ...["sleep", "600"],
  ];
  return new Deno.Command(command[0]!, { args: command.slice(1), stdin: "null" }).spawn();
}

/** The process group of a process, from /proc. */
const groupOf = (pid: number) =>
  Number(Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" ")[2]);

/** The processes that a process has started. */
const childrenOf = (pid: number) =>
  Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);

/** Whether each thread of a process waits for something. */
function isIdle(pid: number): boolean {
  try {
    return threadsOf(pid).every((thread) =>
      /^State:\s+S/m.test(Deno.readTextFileSync(`/proc/${pid}/task/${thread}/status`))
    );
  } catch {
    // A thread has ended meanwhile.
    return false;
  }
}

/**
 * Runs the section of signals. It waits for a file with the numbers of toolcall's processes and
 * threads, which this function finds from outside.
 */
async function trySignals(world: World, { more, other }: { more: string[]; other: number }) {
  // The output makes toolcall start all of its threads.
  const command = `echo begun; : >begun; while [ ! -s params ]; do :; done; ` +
    attackCommand(world, "signals").replace("'{}'", '"$(<params)"');
  const flags = attackFlags(world, more);
  const { child, answer } = startBash(world, command, { flags, isAlone: true });
  // A server starts a process that runs the call.
  const pid = world.user.server === undefined
    ? child.pid
    : await waitFor("the process of the call", () => childrenOf(child.pid)[0]);
  const keeper = await waitFor(
    "the keeper of the call",
    () => processesWith("toolcall-keeper").find((each) => childrenOf(pid).includes(each)),
  );
  // When its threads wait, toolcall has read the output and has started no thread since.
  await until(() => isThere(`${world.G}/begun`) && isIdle(pid));
  const threads = threadsOf(pid);
  const params = { threads, keeper, group: groupOf(pid), other };
  Deno.writeTextFileSync(`${world.G}/params`, JSON.stringify(params));
  const attempts = attemptsIn(await answer());
  for (const name of ["params", "begun"]) Deno.removeSync(`${world.G}/${name}`);
  return { attempts, threads: threads.length };
}

testAs(
  "children > S3 no signal reaches toolcall, its threads, its keeper or another program",
  async (t, user) => {
    const world = makeWorld(user);
    const other = startOther(world);
    try {
      await t.step("all signals but one succeed without the sandbox", async () => {
        const { attempts } = await trySignals(world, {
          more: ["--unconfined-run"],
          other: other.pid,
        });
        const failed = attempts.filter(({ outcome }) => outcome !== "escaped").map(({ id }) => id);
        // In these tests toolcall is not the leader of a process group.
        expect(failed).toEqual(["kill group of pid"]);
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
  "children > S3 toolcall and another program survive signals that would end or stop them",
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
        // A stopped toolcall would never answer.
        using _ = killWhenStuck(child);
        const survives = await answer().then(({ text }) => text.endsWith("alive\n"), () => false);
        tally.note(name, survives && isThere(`/proc/${other.pid}`));
      }
      await tally.report(t, attacks.length);
    } finally {
      other.kill("SIGKILL");
      await other.status;
    }
  },
);

/** Whether the kernel has `listmount` and `statmount`, as Linux has since 6.8. */
const [major = 0, minor = 0] = Deno.osRelease().split(".").map((part) => parseInt(part));
const knowsMountCalls = major > 6 || major === 6 && minor >= 8;

testInShells(
  "children > S3 the sandbox refuses the memory of other processes and interfaces of the kernel",
  async (t, user) => {
    const world = makeWorld(user);
    const run = async (more: string[], params: Record<string, unknown>) =>
      attemptsIn(
        await bash(world, attackCommand(world, "kernel", params), {
          flags: attackFlags(world, more),
        }),
      );
    await t.step("most of the attacks succeed without the sandbox", async () => {
      const attempts = await run(["--unconfined-run"], { harmless: true });
      const out = attempts.filter(({ outcome }) => outcome === "escaped").map(({ id }) => id);
      const expected = [
        ...["aio", "io_uring", "ptrace", "kcmp", "getfd", "keyctl", "add_key", "userfaultfd"],
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
    for (const call of ["aio", "clone3", "listmount", "statmount"]) {
      expect([call, attempts.find(({ id }) => id === call)?.detail]).toEqual([call, "ENOSYS"]);
    }
    await new Tally().add(attempts).report(t, 45);
  },
);

const compiler = obstacle === undefined && installation !== undefined &&
  compileInt80(installation.path);

/** Compiles a program that gets its pid and a socket by the system calls of a 32-bit program. */
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
  let fault = "gcc is missing";
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

testAs(
  "children > S3 the sandbox refuses the system calls of a 32-bit program",
  async (t, user) => {
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
  },
);

testInShells(
  "children > S4 no call can read the environment or the memory of another process",
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
    await t.step("a command reads the environment of toolcall without the sandbox", async () => {
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
  "children > S4 S5 a program has no capabilities, gains no privileges, and has a filter",
  async (_t, user) => {
    const world = makeWorld(user);
    const nap = oddNap();
    const { answer } = startBash(world, `bash -c 'sleep ${nap}'`, {
      flags: grantsOf(world, ["sleep"]),
      timeout: 600_000,
    });
    const program = await waitFor("the program", () => sleepers(nap)[0]);
    const status = Deno.readTextFileSync(`/proc/${program}/status`);
    const value = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(status)?.[1];
    for (const name of ["CapInh", "CapPrm", "CapEff", "CapAmb"]) {
      expect([name, value(name)]).toEqual([name, "0000000000000000"]);
    }
    expect(value("NoNewPrivs")).toBe("1");
    expect(value("Seccomp")).toBe("2");
    Deno.kill(program, "SIGKILL");
    expect((await answer()).exit).toBe(1);
  },
);

testInShells(
  "children > S5 a set-user-id program and a user namespace give no privileges",
  async (t, user) => {
    const world = makeWorld(user);
    const id = `${installation!.path}/id`;
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
    await t.step("the attacks that fit the user succeed without the sandbox", async () => {
      const out: boolean[] = [];
      for (const [command, given] of attacks.slice(0, -1)) {
        const flags = grantsOf(world, programs, ["--unconfined-run"]);
        out.push(given.test((await bash(world, command, { flags })).text));
      }
      // A set-user-id program of root changes nothing for root.
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
