/** Attacks S6 to S9 of docs/attacks.md: the processes of a call end with it, and have limits. */
import { expect } from "@std/expect";
import { until } from "../../support/wait.ts";
import {
  type Answer,
  bash,
  grantsOf,
  isThere,
  makeWorld,
  MAX_MS_WITHOUT_NAP,
  oddNap,
  ofOneCall,
  processesWith,
  sleepers,
  startBash,
  Tally,
  testAs,
  type User,
  type World,
} from "./world.ts";

const PROGRAMS = ["sleep", "setsid", "nohup", "sh"];
/** Ways to outlive a call. Each starts a sleep of `nap` seconds in the background. */
const WAYS: [name: string, command: (nap: string) => string][] = [
  ["with the output pipe open", (nap) => `sleep ${nap} &`],
  ["in a new session", (nap) => `setsid nohup sleep ${nap} >/dev/null 2>&1 &`],
  ["in a new session, with the output pipe open", (nap) => `setsid sleep ${nap} &`],
  ["forked twice", (nap) => `(setsid sh -c "sleep ${nap} & " &)`],
  ["forked twice, with a parent", (nap) => `(setsid sh -c "sleep ${nap}; true" &)`],
  ["ignoring TERM", (nap) => `(trap '' TERM HUP; sleep ${nap}) & `],
  [
    "ignoring TERM, in a new session",
    (nap) => `setsid sh -c "trap '' TERM HUP; sleep ${nap}; true" &`,
  ],
];
const flagSets = (world: World): string[][] => [
  grantsOf(world, PROGRAMS),
  grantsOf(world, PROGRAMS, ["--unconfined-run"]),
  ["-A"],
];

testAs("children > S6 background processes end with the call", async (t, user) => {
  const world = makeWorld(user);
  const tally = new Tally();
  const attempt = async (flags: string[], [name, command]: (typeof WAYS)[number]) => {
    const nap = oddNap();
    const stamp = `${world.G}/${nap}`;
    const { answer: answerOf } = startBash(
      world,
      `${command(nap)}\nuntil [ -e ${stamp}.go ]; do sleep 0.1; done\necho done; : >${stamp}`,
      { flags, timeout: 600_000 },
    );
    const answered = answerOf();
    expect(await until(() => sleepers(nap).length > 0)).toBe(true);
    Deno.writeTextFileSync(`${stamp}.go`, "");
    const answer = await answered;
    const ms = Date.now() - Deno.statSync(stamp).mtime!.getTime();
    const isEnded = await until(() => processesWith(`sleep ${nap}`).length === 0);
    const label = `${name} under ${flags.at(-1)}`;
    expect([label, answer.exit]).toEqual([label, 0]);
    // A process that has just been started has no command line yet. The message names it by its number,
    // or by the program before.
    expect(answer.text).toMatch(
      /^done\n\[Ended with the command: .*(sleep 600\.\d+|process \d+|nohup|setsid|sh).*\]$/,
    );
    tally.note(
      label,
      isEnded && ms < MAX_MS_WITHOUT_NAP,
      `ended: ${isEnded}, after ${Math.round(ms)} ms`,
    );
  };
  const attempts = flagSets(world).flatMap((flags) => WAYS.map((way) => [flags, way] as const));
  // Each attempt waits for most of its time, so many of them run at once.
  for (let at = 0; at < attempts.length; at += 21) {
    await Promise.all(attempts.slice(at, at + 21).map(([flags, way]) => attempt(flags, way)));
  }
  await tally.report(t, 3 * WAYS.length);
});

/** Kills toolcall itself while the processes in the background sleep. */
async function killToolcall(
  world: World,
  ways: typeof WAYS,
  sets = flagSets(world),
): Promise<Tally> {
  const tally = new Tally();
  const attempt = async (flags: string[], [name, command]: (typeof WAYS)[number]) => {
    const [nap, last] = [oddNap(), oddNap()];
    const { child, answer } = startBash(world, `${command(nap)}\nsleep ${last}`, {
      flags,
      isAlone: true,
      timeout: 600_000,
    });
    const ended = answer().catch(() => {});
    const naps = () => processesWith(`sleep ${nap}`);
    const isNapping = await until(() => sleepers(nap).length > 0 && sleepers(last).length > 0);
    child.kill("SIGKILL");
    const isEnded = await until(() => naps().length === 0);
    for (const pid of naps()) Deno.kill(pid, "SIGKILL");
    await ended;
    tally.note(`${name} under ${flags.at(-1)}`, isNapping && isEnded);
  };
  await Promise.all(
    sets.flatMap((flags) => ways.map((way) => attempt(flags, way))),
  );
  return tally;
}

const inGroup = WAYS.filter(([, command]) => !command("").includes("setsid"));

testAs(
  "children > S6 background processes of the same group end when toolcall is killed",
  async (t, user) => {
    const tally = await killToolcall(makeWorld(user), inGroup);
    await tally.report(t, 3 * inGroup.length);
  },
);

// Without the sandbox, processes that left the group cannot be found.
testAs(
  "children > S6 sandboxed processes that left their group end too when toolcall is killed",
  async (t, user) => {
    const world = makeWorld(user);
    const ways = WAYS.filter((way) => !inGroup.includes(way));
    const tally = await killToolcall(world, ways, [grantsOf(world, PROGRAMS)]);
    await tally.report(t, ways.length);
  },
);

testAs(
  "children > S6 the private directory is removed with the call, also when toolcall is killed",
  async (_t, user) => {
    const world = makeWorld(user);
    const flags = grantsOf(world, ["sleep"]);
    const left = () => [...Deno.readDirSync(world.tmp)].map(({ name }) => name);
    expect((await bash(world, ": >$TMPDIR/file; echo $TMPDIR", { flags })).text).toContain(
      world.tmp,
    );
    expect(await until(() => left().length === 0)).toBe(true);
    const nap = oddNap();
    const { child, answer } = startBash(world, `: >$TMPDIR/file; sleep ${nap}`, { flags });
    const ended = answer().catch(() => {});
    expect(await until(() => sleepers(nap).length > 0)).toBe(true);
    expect(left().length).toBe(1);
    child.kill("SIGKILL");
    expect(await until(() => left().length === 0)).toBe(true);
    expect(await until(() => processesWith(`sleep ${nap}`).length === 0)).toBe(true);
    await ended;
  },
  ofOneCall,
);

/** Runs a command. Also returns the most memory that toolcall used, in MB. */
async function withMemory(
  world: World,
  command: string,
  way: { flags: string[]; timeout: number },
): Promise<Answer & { megabytes: number }> {
  const { child, answer } = startBash(world, command, way);
  let megabytes = 0;
  const timer = setInterval(() => {
    try {
      const status = Deno.readTextFileSync(`/proc/${child.pid}/status`);
      const kilobytes = Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? 0);
      megabytes = Math.max(megabytes, kilobytes / 1024);
    } catch { /* it has ended */ }
  }, 10);
  try {
    return { ...await answer(), megabytes };
  } finally {
    clearInterval(timer);
  }
}

testAs(
  "children > S7 S9 endless output takes bounded memory, and the result has a shortened part of it",
  async (t, user) => {
    const world = makeWorld(user);
    const tally = new Tally();
    const endless: [name: string, command: string, code: "timeout" | undefined][] = [
      ["yes", "echo first; exec yes", "timeout"],
      ["zeros", "echo first; exec cat /dev/zero", "timeout"],
      ["stderr", "echo first; exec yes >&2", "timeout"],
      ["one line of 300 MB", "echo first; head -c 300000000 /dev/zero | tr '\\0' x", undefined],
      ["stderr of 100 MB", "echo first; yes | head -c 100000000 >&2", undefined],
    ];
    const flags = grantsOf(world, ["yes", "cat", "head", "tr"]);
    for (const [name, command, code] of endless) {
      const timeout = code === undefined ? 600_000 : 3_000;
      const answer = await withMemory(world, command, { flags, timeout });
      const { text, megabytes, exit } = answer;
      const isRight = megabytes > 10 && megabytes < 400 && exit === (code === undefined ? 0 : 7) &&
        answer._meta?.["toolcall/error"].code === code && text.startsWith("first\n") &&
        text.includes("characters omitted;") &&
        (code === undefined || text.includes(`The time limit of ${timeout} ms passed`));
      tally.note(name, isRight, `${Math.round(megabytes)} MB, exit ${exit}: ${text.slice(-200)}`);
      for (const entry of Deno.readDirSync(world.tmp)) {
        Deno.removeSync(`${world.tmp}/${entry.name}`, { recursive: true });
      }
    }
    await tally.report(t, endless.length);
  },
  ofOneCall,
);

testAs(
  "children > S9 a call that times out returns its output so far and leaves no process",
  async (_t, user) => {
    const world = makeWorld(user);
    const nap = oddNap();
    const flags = grantsOf(world, PROGRAMS);
    // A server may start a process for the call first, which takes half a second on a busy machine.
    const timeout = 5_000;
    const answer = await bash(
      world,
      `trap '' TERM; echo half; setsid sleep ${nap} & sleep ${nap}; echo whole`,
      { flags, timeout },
    );
    expect(answer.ms).toBeLessThan(MAX_MS_WITHOUT_NAP);
    expect([answer.exit, answer._meta?.["toolcall/error"].code]).toEqual([7, "timeout"]);
    expect(answer.text).toBe(
      `half\nThe time limit of ${timeout} ms passed; the output is what there was by then`,
    );
    expect(await until(() => processesWith(`sleep ${nap}`).length === 0)).toBe(true);
  },
);

/**
 * The processes of a user, each with its state and its command line. Processes that have ended and
 * wait for init are omitted, and so are a server and the processes that it keeps.
 */
function processesOf({ uid, server }: User): string[] {
  return [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    try {
      if (!/^\d+$/.test(name) || Deno.statSync(`/proc/${name}`).uid !== uid) return [];
      const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
      if (/\) [ZX] /.test(stat)) return [];
      const command = Deno.readTextFileSync(`/proc/${name}/cmdline`).replaceAll("\0", " ");
      return server !== undefined && command.includes("toolcall") ? [] : [`${stat}: ${command}`];
    } catch {
      return [];
    }
  });
}

/** Ends all processes of a user. That may take several rounds, because they start others. */
async function endAllOf(user: User): Promise<void> {
  const { uid } = user;
  await until(() => {
    if (processesOf(user).length === 0) return true;
    new Deno.Command("setpriv", {
      args: [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "sh", "-c", "kill -9 -1"],
      stderr: "null",
    }).outputSync();
    return false;
  });
}

const isOther = (user: User) => user.uid !== undefined;

/** The longest time from the time limit of a fork bomb to its result, in milliseconds. */
const MAX_END_MS = 400_000;

/** Runs a command that forks without end. Returns the faults, such as the processes that are left. */
async function bomb(user: User, command: string, timeout: number): Promise<string[]> {
  const world = makeWorld(user);
  // Each process of the storm is a shell that runs this script in a new session.
  Deno.writeTextFileSync(
    `${world.G}/storm`,
    "trap '' TERM HUP; while :; do setsid bash storm & read -rt 0.02 <>pipe; done 2>/dev/null",
  );
  new Deno.Command("mkfifo", { args: [`${world.G}/pipe`] }).outputSync();
  world.own(`${world.G}/storm`, `${world.G}/pipe`);
  try {
    const answer = await bash(world, `echo begun; ${command}`, {
      flags: grantsOf(world, ["sleep", "setsid"]),
      timeout,
    });
    // The keeper of the call may still remove the private directory.
    let left: string[] = [];
    await until(() => (left = processesOf(user)).length === 0);
    return [
      ...(left.length > 0 ? [`processes are left: ${left.slice(0, 5).join("; ")}`] : []),
      ...(answer.ms > timeout + MAX_END_MS ? [`it took ${Math.round(answer.ms)} ms`] : []),
      ...(answer.exit !== 7 ? [`exit ${answer.exit}`] : []),
      ...(answer.text.startsWith("begun\n") ? [] : [`the output is lost: ${answer.text}`]),
    ];
  } finally {
    await endAllOf(user);
  }
}

testAs(
  "children > S8 open files, the size of a file and, except for root, processes have a limit",
  async (t, user) => {
    const world = makeWorld(user);
    const flags = grantsOf(world, ["truncate", "true"]);
    const tally = new Tally();
    const opened = await bash(
      world,
      "for ((i = 0; i < 100000; i++)); do { exec {file}</dev/null; } 2>>errors || break; done; " +
        "echo $i; ulimit -n",
      { flags },
    );
    const [count, limit] = opened.text.trim().split("\n").map(Number);
    const said = Deno.readTextFileSync(`${world.G}/errors`);
    const isLimited = count! < limit! && limit! <= 4096 && said.includes("Too many open files");
    tally.note("100,000 files", isLimited, `${opened.text} ${said}`);
    const cut = await bash(world, "truncate -s 20G large; echo $?", { flags });
    const size = isThere(`${world.G}/large`) ? Deno.statSync(`${world.G}/large`).size : 0;
    tally.note("a file of 20 GB", !/^0$/m.test(cut.text) && size === 0, cut.text);
    const raised = await bash(world, "ulimit -n 100000 || ulimit -f unlimited", { flags });
    tally.note("raising the limits", raised.exit === 1, raised.text);
    await tally.report(t, 3);
    // The kernel exempts root from the limit of processes, even without capabilities. A shell that
    // cannot fork tries again for a quarter of a minute, so a time limit ends it sooner.
    const forked = await bash(world, "ulimit -u 1; true & wait $! && echo forked", {
      flags,
      timeout: user.isRoot ? 120_000 : 1_000,
    });
    expect(forked.text.includes("forked\n")).toBe(user.isRoot);
  },
);

// This test comes before the next one. Processes that have ended count until init has waited for them,
// and the next one leaves many of them.
testAs(
  "children > S8 a fork bomb of new sessions ends with the call and leaves no process",
  async (t, user) => {
    const tally = new Tally();
    // The limit of the sandbox is far higher, and so many processes would slow down the machine.
    const faults = await bomb(user, "ulimit -u 1000; bash storm", 3_000);
    tally.note("fork bomb", faults.length === 0, faults.join("; "));
    await tally.report(t, 1);
  },
  isOther,
);

testAs("children > S8 a fork bomb ends with the call and leaves no process", async (t, user) => {
  const tally = new Tally();
  const faults = await bomb(user, "b() { b | b & }; b 2>/dev/null; sleep 600", 3_000);
  tally.note("fork bomb", faults.length === 0, faults.join("; "));
  await tally.report(t, 1);
}, isOther);
