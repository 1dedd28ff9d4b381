/** Attack L3 of docs/attacks.md: a later start never runs a cache that a call created. */
import { expect } from "@std/expect";
import { FALLBACK_PARENT } from "../../../src/runner/sandbox/policy/own_paths.ts";
import { until } from "../../support/wait.ts";
import { copyCache, PROGRAMS } from "./own_files.ts";
import {
  bash,
  isThere,
  makeWorld,
  ofOneCall,
  startBash,
  Tally,
  testAs,
  type User,
  type World,
} from "./world.ts";

/** The directory into which the executable unpacks when it has no home. */
function fallbackOf(user: User): string {
  return `${FALLBACK_PARENT}/toolcall-${user.uid ?? Deno.uid()}`;
}

/** Removes the fallback at the end, unless it existed before. */
function borrowFallback(user: User): Disposable & { isOurs: boolean } {
  const isOurs = !isThere(fallbackOf(user));
  return {
    isOurs,
    [Symbol.dispose]() {
      if (isOurs && isThere(fallbackOf(user))) {
        Deno.removeSync(fallbackOf(user), { recursive: true });
      }
    },
  };
}

/** A directory that the executable may look into, and into which it has not unpacked yet. */
interface Row {
  name: string;
  /** The write grant of the attacking call. By default the call may write everything. */
  write?: (world: World) => string;
  /** The path that the attacking call makes. */
  planted: (world: World) => string;
  /** The variables of the attacking call, besides those of every call here. */
  first?: (world: World) => Record<string, string>;
  /** The variables of the start after it. */
  next: (world: World) => Record<string, string>;
}

const homeOf = ({ G }: World) => `${G}/home`;
const withoutHome = { TOOLCALL_CACHE_DIR: "", HOME: "" };
const fallback = ({ user }: World) => fallbackOf(user);

const rows: Row[] = [
  {
    name: "the fallback, in a temporary directory that a variable names",
    write: ({ G }) => G,
    planted: ({ G, user }) => `${G}/toolcall-${user.uid ?? Deno.uid()}`,
    next: ({ G }) => ({ ...withoutHome, TMPDIR: G }),
  },
  {
    name: "the fallback, by its parent",
    write: () => FALLBACK_PARENT,
    planted: fallback,
    next: () => withoutHome,
  },
  { name: "the fallback, by a grant of everything", planted: fallback, next: () => withoutHome },
  {
    name: "the cache of HOME, when the call has been started from another",
    write: ({ G }) => G,
    planted: (world) => `${homeOf(world)}/.cache/toolcall`,
    first: (world) => ({ HOME: homeOf(world) }),
    next: (world) => ({ HOME: homeOf(world), TOOLCALL_CACHE_DIR: "" }),
  },
  {
    name: "the cache of XDG_CACHE_HOME, when the call has been started from another",
    write: ({ G }) => G,
    planted: ({ G }) => `${G}/xdg/toolcall`,
    first: ({ G }) => ({ XDG_CACHE_HOME: `${G}/xdg` }),
    next: ({ G }) => ({ XDG_CACHE_HOME: `${G}/xdg`, TOOLCALL_CACHE_DIR: "" }),
  },
  {
    name: "the cache of HOME, when the call had XDG_CACHE_HOME",
    write: ({ G }) => G,
    planted: (world) => `${homeOf(world)}/.cache/toolcall`,
    first: (world) => ({ HOME: homeOf(world), XDG_CACHE_HOME: `${world.root}/xdg` }),
    next: (world) => ({ HOME: homeOf(world), TOOLCALL_CACHE_DIR: "" }),
  },
];

/** A world with a home directory, and a cache into which the executable has unpacked. */
async function worldOf(user: User): Promise<World> {
  const world = makeWorld(user);
  Deno.mkdirSync(homeOf(world), { mode: 0o700 });
  world.own(homeOf(world));
  expect((await bash(world, "echo works")).text).toBe("works\n");
  return world;
}

/** Makes a cache under `flags`. Returns what the next start prints. */
async function attack(world: World, row: Row, flags: string[]): Promise<string> {
  await bash(world, copyCache(world.cache, row.planted(world)), {
    flags: ["--allow-read", `--allow-run=${PROGRAMS},wc`, ...flags],
    env: row.first?.(world) ?? {},
  });
  return await bash(world, "echo works", { env: row.next(world) }).then(
    ({ text }) => text,
    (error: Error) => error.message,
  );
}

testAs("start > L3 no call can create a cache that a later start runs", async (t, user) => {
  const tally = new Tally();
  for (const row of rows) {
    using _ = borrowFallback(user);
    const world = await worldOf(user);
    const write = row.write === undefined ? "--allow-write" : `--allow-write=${row.write(world)}`;
    const next = await attack(world, row, [write]);
    tally.note(row.name, next === "works\n", next);
  }
  await tally.report(t, rows.length);
  await t.step("two of the attacks succeed without the sandbox", async () => {
    for (const row of [rows[1]!, rows[3]!]) {
      using fallback = borrowFallback(user);
      const world = await worldOf(user);
      if (!fallback.isOurs && row.planted(world) === fallbackOf(user)) continue;
      expect(await attack(world, row, ["--unconfined-run"])).toContain("taken over");
    }
  });
}, ofOneCall);

testAs(
  "start > L3 a call that runs while the fallback cache is created cannot change it",
  async (_, user) => {
    using fallback = borrowFallback(user);
    // deno-lint-ignore no-console
    if (!fallback.isOurs) return console.log(`skipped: ${fallbackOf(user)} is in use here`);
    const world = await worldOf(user);
    const main = `${fallbackOf(user)}/*/main.js`;
    const command = `echo >${world.G}/begun; while :; do for file in ${main}; do ` +
      `[ ! -e "$file" ] || { echo seen >${world.G}/seen; echo 'taken over' >"$file"; }; done; done`;
    const { child } = startBash(world, command, {
      flags: [
        ...["--allow-read", "--allow-run=bash"],
        `--allow-write=${world.G},/tmp,${FALLBACK_PARENT}`,
      ],
      timeout: 600_000,
    });
    expect(await until(() => isThere(`${world.G}/begun`))).toBe(true);
    const way = { env: withoutHome };
    expect((await bash(world, "echo works", way)).text).toBe("works\n");
    expect(await until(() => isThere(`${world.G}/seen`))).toBe(true);
    expect((await bash(world, "echo works", way)).text).toBe("works\n");
    child.kill();
    await Promise.all([child.status, child.stdout.cancel(), child.stderr.cancel()]);
  },
  ofOneCall,
);
