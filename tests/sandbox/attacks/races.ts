// deno-lint-ignore-file no-console
/** Attacks P5 and P14 of docs/attacks.md: directories are swapped for symlinks during calls. */
import { expect } from "@std/expect";
import { attempts, raceTime } from "../../support/attempts.ts";
import { until } from "../../support/wait.ts";
import {
  attackFlags,
  bash,
  callAs,
  grantsOf,
  makeWorld,
  quoted,
  SECRET,
  startBash,
  testAs,
  type User,
  type World,
} from "./world.ts";

/** How many pairs of a directory and a symlink there are, and how many files in each directory. */
const [PAIRS, FILES] = [50, 20];
/** The fewest uses of a path in each test. */
const LEAST = attempts(40_000);

/**
 * Exchanges each directory `d…` with the symlink `bad…`, in one step and without end. The symlink
 * leads outside.
 */
const swapping = `
const { symbols } = Deno.dlopen("libc.so.6", {
  renameat2: { parameters: ["i32", "buffer", "i32", "buffer", "u32"], result: "i32" },
});
const name = (text) => new TextEncoder().encode(text + "\\0");
const pairs = Array.from({ length: ${PAIRS} }, (_, at) => [name("d" + at), name("bad" + at)]);
for (;;) for (const [d, bad] of pairs) {
  // AT_FDCWD and RENAME_EXCHANGE
  if (symbols.renameat2(-100, d, -100, bad, 2) !== 0) throw new Error("Cannot exchange them");
}`;

/** Makes the directories and symlinks in G, and files with the same names and the secret in S. */
function lay(world: World): void {
  const { G, S, own } = world;
  const files = Array.from({ length: FILES }, (_, at) => `f${at}`);
  for (const name of files) Deno.writeTextFileSync(`${S}/${name}`, SECRET);
  own(...files.map((name) => `${S}/${name}`));
  for (let at = 0; at < PAIRS; at++) {
    Deno.mkdirSync(`${G}/d${at}`);
    Deno.symlinkSync(S, `${G}/bad${at}`);
    for (const name of files) Deno.writeTextFileSync(`${G}/d${at}/${name}`, "inside");
    own(`${G}/d${at}`, ...files.map((name) => `${G}/d${at}/${name}`));
  }
  Deno.writeTextFileSync(`${world.installation.path}/swap.js`, swapping);
  Deno.chmodSync(`${world.installation.path}/swap.js`, 0o644);
}

/** Whether the files outside are unchanged. */
function isUntouched({ S }: World): boolean {
  const names = [...Deno.readDirSync(S)].map((entry) => entry.name);
  return names.length === FILES + 1 &&
    names.every((name) => Deno.readTextFileSync(`${S}/${name}`) === SECRET);
}

/** How often a kind of use was tried, how often it was done, and how often it got outside. */
interface Count {
  tried: number;
  done: number;
  escaped: number;
}

/** Makes calls of Read, Write and Edit, for three seconds or, with all attempts, for thirty. */
async function byCalls(world: World): Promise<Count> {
  const count = { tried: 0, done: 0, escaped: 0 };
  const flags = grantsOf(world);
  const isRacing = raceTime(30_000, () => count.done > 0 && count.done < count.tried);
  while (isRacing()) {
    const file_path = `${world.G}/d${count.tried % PAIRS}/f0`;
    const call = [
      { name: "Read", arguments: { file_path } },
      { name: "Write", arguments: { file_path, content: "inside" } },
      { name: "Edit", arguments: { file_path, old_string: "inside", new_string: "inside " } },
    ][count.tried % 3]!;
    const { text, isError } = await callAs(world, call, { flags });
    count.tried++;
    if (!isError) count.done++;
    if (text.includes(SECRET) || !isUntouched(world)) count.escaped++;
  }
  return count;
}

/**
 * Makes calls of Grep. A Grep opens every file of every directory by a path that it found a moment
 * before.
 */
async function bySearches(world: World): Promise<Count> {
  const count = { tried: 0, done: 0, escaped: 0 };
  while (count.tried < LEAST) {
    const args = { pattern: "inside|secret", path: world.G, output_mode: "content", head_limit: 0 };
    const { text } = await callAs(world, { name: "Grep", arguments: args }, {
      flags: grantsOf(world),
    });
    count.tried += PAIRS * FILES;
    count.done += text.split("\n").filter((line) => line.includes("inside")).length;
    count.escaped += text.split("\n").filter((line) => line.includes(SECRET)).length;
  }
  return count;
}

/** Runs a shell in the sandbox that reads and writes the paths with its builtins. */
async function byShell(world: World): Promise<Count> {
  const script = `read=0 wrote=0 escaped=0
for ((i = 0; i < ${LEAST}; i++)); do
  d=d$((i % ${PAIRS}))
  if read -r line < $d/f$((i % ${FILES})); then :; fi 2>/dev/null
  case $line in inside*) read=$((read + 1)) ;; *secret*) escaped=$((escaped + 1)) ;; esac
  line=
  if { echo inside > $d/f1; } 2>/dev/null; then wrote=$((wrote + 1)); fi
done 2>/dev/null
echo "$read $wrote $escaped"`;
  const { text } = await bash(world, script, { timeout: 600_000 });
  const [read, wrote, escaped] = text.trim().split("\n").at(-1)!.split(" ").map(Number);
  return {
    tried: 2 * LEAST,
    done: read! + wrote!,
    escaped: escaped! + (isUntouched(world) ? 0 : 1),
  };
}

/** Runs the same race without the sandbox. It must get outside, or the race proves nothing. */
async function withoutSandbox(world: World): Promise<number> {
  const script = `escaped=0
for ((i = 0; i < 2000; i++)); do
  if read -r line < d$((i % ${PAIRS}))/f0; then :; fi 2>/dev/null
  case $line in *secret*) escaped=$((escaped + 1)) ;; esac
  line=
done 2>/dev/null
echo "$escaped"`;
  const { text } = await bash(world, script, {
    flags: grantsOf(world, [], ["--unconfined-run"]),
  });
  return Number(text.trim().split("\n").at(-1));
}

async function race(t: Deno.TestContext, world: World): Promise<void> {
  // The directory and the symlink change places from the first exchange on.
  expect(await until(() => Deno.lstatSync(`${world.G}/d0`).isSymlink)).toBe(true);
  await t.step("a shell without the sandbox gets outside", async () => {
    expect(await until(async () => await withoutSandbox(world) > 0)).toBe(true);
  });
  const uses: [name: string, use: () => Promise<Count>][] = [
    ["searches", () => bySearches(world)],
    ["a shell's reads and writes", () => byShell(world)],
    ["calls of Read, Write and Edit", () => byCalls(world)],
  ];
  for (const [name, use] of uses) {
    const { tried, done, escaped } = await use();
    const report = `${name}: tried ${tried}, inside ${done}, escaped ${escaped}`;
    if (
      !await t.step(report, () => {
        expect(escaped).toBe(0);
        expect(isUntouched(world)).toBe(true);
        // Some uses found the directory and some the symlink, so there was a race.
        expect(done).toBeGreaterThan(0);
        expect(done).toBeLessThan(tried);
      })
    ) console.log(report);
  }
}

function worldOf(user: User): World {
  const world = makeWorld(user);
  lay(world);
  return world;
}

testAs(
  "races > P5 a directory that is swapped for a symlink never leads outside",
  async (t, user) => {
    const world = worldOf(user);
    const swapper = new Deno.Command(world.installation.deno, {
      args: ["run", "-A", "--no-lock", "--no-config", `${world.installation.path}/swap.js`],
      cwd: world.G,
      stdin: "null",
      stdout: "null",
    }).spawn();
    try {
      await race(t, world);
    } finally {
      swapper.kill("SIGKILL");
      await swapper.status;
    }
  },
);

testAs(
  "races > P14 no call follows a symlink that a confined program swaps in",
  async (t, user) => {
    const world = worldOf(user);
    const { deno, path } = world.installation;
    const command = `DENO_DIR=$TMPDIR/deno exec ${deno} run -A --quiet --no-remote --cached-only ` +
      `--no-lock --no-config ${quoted(`${path}/swap.js`)}`;
    const flags = attackFlags(world).map((flag) => flag.replace("attack.js", "swap.js"));
    const swapper = startBash(world, command, { flags, timeout: 600_000 });
    try {
      await race(t, world);
    } finally {
      swapper.child.kill("SIGTERM");
      await swapper.answer();
    }
  },
);
