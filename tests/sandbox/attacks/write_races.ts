// deno-lint-ignore-file no-console
/**
 * Attacks P5, S12 and P13 of docs/attacks.md: after the check, a directory is swapped for a denied
 * one of the same grant.
 */
import { expect } from "@std/expect";
import { raceTime } from "../../support/attempts.ts";
import { until } from "../../support/wait.ts";
import { callAs, type CallOptions, makeWorld, Tally, testAs, type World } from "./world.ts";

/** How long the calls of each user continue when all attempts are made, in milliseconds. */
const DURATION = 80_000;
/** The longest pause between swaps, in milliseconds. It is about the time from check to use. */
const PAUSE = 2;

/**
 * Directories in the grant, each with a file that no call may write. With `whole`, no call may write
 * any other file in the directory either.
 */
const CLOSED = [
  { directory: "bin", file: "toolcall", whole: false },
  { directory: "state/toolcall", file: "state.db", whole: true },
  { directory: ".git/hooks", file: "pre-commit", whole: true },
  { directory: "shut", file: "file", whole: true },
] as const;

/**
 * In G there are two names for each of these directories. By turns, `d…` is another directory and a
 * link to this one, and `n…` is missing and a link to it. A directory that a call makes as `n…` is
 * moved away.
 */
const swapping = `
const { symbols } = Deno.dlopen("libc.so.6", {
  renameat2: { parameters: ["i32", "buffer", "i32", "buffer", "u32"], result: "i32" },
});
const name = (text) => new TextEncoder().encode(text + "\\0");
const closed = ${JSON.stringify(CLOSED.map(({ directory }) => directory))};
const pairs = closed.map((_, at) => [name("d" + at), name("l" + at)]);
const word = new Int32Array(new SharedArrayBuffer(4));
let aside = 0;
const attempt = (change) => {
  try { change(); } catch { return false; }
  return true;
};
for (let round = 0;; round++) {
  // AT_FDCWD and RENAME_EXCHANGE
  for (const [d, l] of pairs) symbols.renameat2(-100, d, -100, l, 2);
  for (const [at, path] of closed.entries()) {
    if (round % 2 === 0) attempt(() => Deno.symlinkSync(path, "n" + at));
    else if (!attempt(() => Deno.removeSync("n" + at))) {
      attempt(() => Deno.renameSync("n" + at, "aside" + aside++));
    }
  }
  Atomics.wait(word, 0, 0, Math.random() * ${PAUSE});
}`;

/** Puts the executable and the state into G. Returns the options of calls that use them. */
function lay({ G, own, installation }: World): CallOptions {
  const directories = CLOSED.flatMap(({ directory }, at) => [directory, `d${at}`]);
  for (const name of [".git", "state", ...directories]) {
    Deno.mkdirSync(`${G}/${name}`, { recursive: true, mode: 0o700 });
    own(`${G}/${name}`);
  }
  const executable = `${G}/bin/toolcall`;
  Deno.copyFileSync(installation.toolcall, executable);
  for (const [at, { directory, file }] of CLOSED.entries()) {
    const [closed, open] = [`${G}/${directory}/${file}`, `${G}/d${at}/${file}`];
    if (closed !== executable) Deno.writeTextFileSync(closed, "old");
    Deno.writeTextFileSync(open, "old");
    Deno.symlinkSync(directory, `${G}/l${at}`);
    own(closed, open);
  }
  return {
    executable,
    env: { XDG_STATE_HOME: `${G}/state` },
    flags: [
      ...[`--allow-read=${G}`, `--allow-write=${G}`, `--deny-write=${G}/shut`],
      `--root=${G}`,
    ],
  };
}

/** The names, numbers, sizes and times of the files that no call may change. */
function stateOf({ G }: World, { directory, file, whole }: typeof CLOSED[number]): string {
  const names = whole ? [...Deno.readDirSync(`${G}/${directory}`)].map(({ name }) => name) : [file];
  return names.sort().map((name) => {
    const { ino, size, mtime } = Deno.lstatSync(`${G}/${directory}/${name}`);
    return `${name} ${ino} ${size} ${mtime?.getTime()}`;
  }).join("\n");
}

/** The calls by the swapped paths with number `at`. `n` makes the names of new directories unique. */
function callsFor({ G }: World, { at, n }: { at: number; n: number }) {
  const { file } = CLOSED[at]!;
  const write = (file_path: string) => ({
    name: "Write",
    arguments: { file_path, content: "old" },
  });
  const change = { file_path: `${G}/d${at}/${file}`, old_string: "old", new_string: "old " };
  return [
    write(`${G}/d${at}/${file}`),
    write(`${G}/n${at}/${file}`),
    { name: "Edit", arguments: change },
    { name: "fs.write", arguments: { path: `d${at}/new${n}/${file}`, content: "old" } },
    write(`${G}/n${at}/new${n}/${file}`),
  ];
}

/** How many calls had each outcome. */
interface Count {
  done: number;
  /** The path led into the closed directory when the flags were checked. */
  refused: number;
  /** The path led there after the check, or did not fit the call, so that it failed. */
  failed: number;
}

/** Makes the calls, one after another, until the race is over or a call made a forbidden change. */
async function attack(world: World, { way, tally, at, count, isRacing }: {
  way: CallOptions;
  tally: Tally;
  at: number;
  count: Count;
  isRacing: () => boolean;
}): Promise<void> {
  const closed = CLOSED[at]!;
  const before = stateOf(world, closed);
  for (let n = 0; isRacing() && tally.escaped.length === 0; n++) {
    const calls = callsFor(world, { at, n });
    const call = calls[n % calls.length]!;
    // If a call has replaced the executable, later calls have no answer.
    const { text, exit } = await callAs(world, call, way)
      .catch((error: Error) => ({ text: error.message, exit: -1 }));
    // While a call tries to open the executable to write, the kernel does not start it, even if
    // Landlock then refuses. A failed start has no result, and the next call checks the state.
    if (exit < 0 && text.includes("Text file busy")) continue;
    const isKept = exit >= 0 && stateOf(world, closed) === before;
    tally.note(`${call.name} in ${closed.directory}`, isKept, text);
    count[exit === 0 ? "done" : exit === 6 ? "refused" : "failed"]++;
  }
}

testAs(
  "races > P5 a directory that is swapped after the check does not lead to closed files of a grant",
  async (t, user) => {
    const world = makeWorld(user);
    const way = lay(world);
    const tally = new Tally();
    const swapper = new Deno.Command(world.installation.deno, {
      args: ["eval", "--ext=js", swapping],
      cwd: world.G,
      stdin: "null",
      stdout: "null",
    }).spawn();
    try {
      // The directory and the symlink are swapped from the first exchange on.
      expect(await until(() => Deno.lstatSync(`${world.G}/d0`).isSymlink)).toBe(true);
      const count = { done: 0, refused: 0, failed: 0 };
      const isRacing = raceTime(DURATION, () => Object.values(count).every((each) => each > 0));
      await Promise.all(
        CLOSED.map((_, at) => attack(world, { way, tally, at, count, isRacing })),
      );
      const { done, refused, failed } = count;
      await tally.report(t, done + refused + failed);
      const report =
        `written ${done}, refused by the flags ${refused}, failed after the check ${failed}`;
      const passed = await t.step(report, () => {
        // Each outcome occurred, so there was a race, and some swaps came after the check.
        for (const each of [done, refused, failed]) expect(each).toBeGreaterThan(0);
      });
      if (!passed) console.log(report);
    } finally {
      swapper.kill("SIGKILL");
      await swapper.status;
    }
  },
);
