// deno-lint-ignore-file no-console
/**
 * Attacks P5, S12 and P13 of docs/attacks.md: after the check, a directory is swapped for a denied
 * one of the same grant.
 */
import { expect } from "@std/expect";
import { raceTime } from "../../support/attempts.ts";
import { callAs, makeWorld, pause, Tally, testAs, type Way, type World } from "./world.ts";

/** How long the calls of each user go on when all attempts are made, in milliseconds. */
const DURATION = 80_000;
/** The longest pause between swaps, in milliseconds: about as long as from check to use. */
const PAUSE = 2;

/**
 * Directories in the grant, each with a file that no call may write, and whether nothing else
 * in it may be written either.
 */
const CLOSED = [
  { directory: "bin", file: "toolcall", whole: false },
  { directory: "state/toolcall", file: "state.db", whole: true },
  { directory: ".git/hooks", file: "pre-commit", whole: true },
  { directory: "shut", file: "file", whole: true },
] as const;

/**
 * In G, for each of them: `d…` is a directory and a link to it in turn, and `n…` nothing
 * and a link to it. What a call makes of `n…` is put aside.
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

/** The world with its own executable and state in G, and how calls are made in it. */
function lay({ G, own, place }: World): Way {
  const directories = CLOSED.flatMap(({ directory }, at) => [directory, `d${at}`]);
  for (const name of [".git", "state", ...directories]) {
    Deno.mkdirSync(`${G}/${name}`, { recursive: true, mode: 0o700 });
    own(`${G}/${name}`);
  }
  const executable = `${G}/bin/toolcall`;
  Deno.copyFileSync(place.toolcall, executable);
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

/** What no call may change, as far as it can have changed. */
function stateOf({ G }: World, { directory, file, whole }: typeof CLOSED[number]): string {
  const names = whole ? [...Deno.readDirSync(`${G}/${directory}`)].map(({ name }) => name) : [file];
  return names.sort().map((name) => {
    const { ino, size, mtime } = Deno.lstatSync(`${G}/${directory}/${name}`);
    return `${name} ${ino} ${size} ${mtime?.getTime()}`;
  }).join("\n");
}

/** The calls by the swapped paths of that number; what they make is new each time. */
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

/** What became of the calls. */
interface Count {
  done: number;
  /** The path led into the closed directory when the flags were asked. */
  refused: number;
  /** It did so afterwards, or else was in the way of the call. */
  held: number;
}

/** Makes the calls, one after another, until the race is over or a call got where it may not. */
async function attack(world: World, { way, tally, at, count, goesOn }: {
  way: Way;
  tally: Tally;
  at: number;
  count: Count;
  goesOn: () => boolean;
}): Promise<void> {
  const closed = CLOSED[at]!;
  const before = stateOf(world, closed);
  for (let n = 0; goesOn() && tally.escaped.length === 0; n++) {
    const calls = callsFor(world, { at, n });
    const call = calls[n % calls.length]!;
    // Where the executable was replaced, no call has an answer.
    const { text, exit } = await callAs(world, call, way)
      .catch((error: Error) => ({ text: error.message, exit: -1 }));
    // While a call tries to open the executable to write, the kernel starts it for nobody, even if
    // Landlock then refuses. The failed start has no result, and the next look tells the state.
    if (exit < 0 && text.includes("Text file busy")) continue;
    const isKept = exit >= 0 && stateOf(world, closed) === before;
    tally.note(`${call.name} in ${closed.directory}`, isKept, text);
    count[exit === 0 ? "done" : exit === 6 ? "refused" : "held"]++;
  }
}

testAs(
  "races > P5 what is closed in a write grant is not reached by a folder swapped after the check",
  async (t, user) => {
    const world = makeWorld(user);
    const way = lay(world);
    const tally = new Tally();
    const swapper = new Deno.Command(world.place.deno, {
      args: ["eval", "--ext=js", swapping],
      cwd: world.G,
      stdin: "null",
      stdout: "null",
    }).spawn();
    try {
      await pause(200);
      const count = { done: 0, refused: 0, held: 0 };
      const goesOn = raceTime(DURATION, () => Object.values(count).every((each) => each > 0));
      await Promise.all(
        CLOSED.map((_, at) => attack(world, { way, tally, at, count, goesOn })),
      );
      const { done, refused, held } = count;
      await tally.report(t, done + refused + held);
      const report =
        `written where it may be ${done}, refused by the flags ${refused}, held ${held}`;
      const passed = await t.step(report, () => {
        // Each of them happened: there was a race, and it was lost after the check too.
        for (const each of [done, refused, held]) expect(each).toBeGreaterThan(0);
      });
      if (!passed) console.log(report);
    } finally {
      swapper.kill("SIGKILL");
      await swapper.status;
    }
  },
);
