/** Attack S12 of docs/attacks.md: no call can write the files of toolcall itself. */
import { expect } from "@std/expect";
import { until } from "../../support/wait.ts";
import {
  bash,
  bashEach,
  callAs,
  type CallOptions,
  isFull,
  isThere,
  makeWorld,
  processesWith,
  Tally,
  testAs,
  type World,
} from "./world.ts";

/** The programs that the attacks need. */
export const PROGRAMS = "bash,cp,mv,rm,ln,mkdir,rmdir,touch,truncate,tee,dd,sed,install,chmod";

/** A program that replaces toolcall or its runtime. */
const FAKE = "#!/bin/sh\necho taken over\n";

/** A world with its own executable and cache. The user owns both, and G has symlinks to them. */
function ownWorld(base: World) {
  const bin = `${base.root}/bin`;
  Deno.mkdirSync(bin);
  const real = `${bin}/toolcall`;
  Deno.copyFileSync(base.installation.toolcall, real);
  Deno.chmodSync(real, 0o755);
  const cache = `${base.root}/state/cache`;
  Deno.mkdirSync(cache, { recursive: true, mode: 0o700 });
  Deno.chmodSync(`${base.root}/state`, 0o755);
  base.own(bin, real, cache, `${base.root}/state`);
  Deno.symlinkSync(real, `${base.G}/toolcall`);
  Deno.symlinkSync(`${base.root}/state`, `${base.G}/state`);
  const way: CallOptions = { executable: real, env: { TOOLCALL_CACHE_DIR: cache } };
  return { ...base, bin, real, cache, way };
}

/** Every file in the directories, with its size, time and number. */
function listOf(...directories: string[]): string[] {
  return directories.flatMap((directory) =>
    [...Deno.readDirSync(directory)].flatMap(({ name, isDirectory }) => {
      const path = `${directory}/${name}`;
      // The runtime itself writes these files.
      if (/_cache_v2/.test(name)) return [];
      const { size, mtime, ino } = Deno.lstatSync(path);
      const own = isDirectory ? path : `${path} ${size} ${mtime?.getTime()}`;
      return [`${own} ${ino}`, ...(isDirectory ? listOf(path) : [])];
    })
  ).sort();
}

testAs(
  "children > S12 no write grant covers the executable, its cache or its runtime",
  async (t, user) => {
    const world = ownWorld(makeWorld(user));
    const { root, G, bin, real, cache, way } = world;
    const io = ["--allow-read", `--allow-run=${PROGRAMS}`];
    const first = await bash(world, "echo works", { ...way, flags: [...io, "--allow-write"] });
    expect(first).toMatchObject({ exit: 0, text: "works\n" });
    const key = [...Deno.readDirSync(cache)].find(({ isFile }) => isFile)!.name;
    const unpacked = [...Deno.readDirSync(cache)].find(({ isDirectory }) => isDirectory)!.name;
    const [pointer, directory] = [`${cache}/${key}`, `${cache}/${unpacked}`];
    const files = [`${directory}/deno`, `${directory}/main.js`, pointer, real];
    Deno.writeTextFileSync(`${G}/fake`, FAKE, { mode: 0o755 });
    world.own(`${G}/fake`);
    const commands = [
      ...files.flatMap((file) => [
        ...[`echo x >>${file}`, `echo x >${file}`, `: >|${file}`, `exec 3<>${file} && echo x >&3`],
        ...[
          `mv ${file} ${file}.old`,
          `mv ${file} ${G}/taken`,
          `mv ${G}/fake ${file}`,
          `rm -f ${file}`,
        ],
        ...[`cp -f ${G}/fake ${file}`, `ln -f ${G}/fake ${file}`, `ln -sf ${G}/fake ${file}`],
        ...[
          `ln ${file} ${G}/hard && echo x >>${G}/hard`,
          `truncate -s 0 ${file}`,
          `tee ${file} <${G}/fake`,
        ],
        ...[`dd of=${file} if=${G}/fake conv=notrunc`, `install -m 755 ${G}/fake ${file}`],
        ...[`sed -i s/a/b/ ${file}`, `ln -s ${file} ${G}/soft && echo x >>${G}/soft`],
      ]),
      ...[directory, cache, `${root}/state`, bin].flatMap((path) => [
        ...[`mv ${path} ${path}.old`, `mv ${path} ${G}/taken`, `rm -rf ${path}`, `rmdir ${path}`],
        ...[`mv ${path} ${path}.old && mkdir ${path}`],
      ]),
      ...[directory, cache].flatMap((
        path,
      ) => [`touch ${path}/new`, `mkdir ${path}/d`, `cp -f ${G}/fake ${path}/x`]),
      `touch ${directory}/state/new`,
      `mkdir ${cache}/${key}.1.1`,
    ];
    const before = listOf(bin, `${root}/state`);
    const all = [
      ["--allow-write"],
      [`--allow-write=${G},${cache},${directory},${real},${pointer},${directory}/deno`],
      [`--allow-write=${G},${root}/state,${bin}`],
      [`--allow-write=${root}`],
    ];
    const grants = isFull ? all : all.slice(0, 2);
    const silent = commands.map((command) => `{ ${command}\n} >/dev/null 2>&1`);
    const tally = new Tally();
    for (const flags of grants) {
      await bashEach(world, silent, { ...way, flags: [...io, ...flags] });
      const after = listOf(bin, `${root}/state`);
      const changed = [...before, ...after].filter((each) =>
        !before.includes(each) || !after.includes(each)
      );
      if (changed.length > 0) tally.note(String(flags), false, changed.join());
      else for (const command of commands) tally.note(command, true);
      const { exit, text } = await bash(world, "echo works", { ...way, flags: [...io, ...flags] });
      expect([flags, exit, text]).toEqual([flags, 0, "works\n"]);
    }
    await tally.report(t, grants.length * commands.length);
    await t.step("a call replaces the executable without the sandbox", async () => {
      const flags = [...io, "--allow-write", "--unconfined-run"];
      await bash(world, `cp ${G}/fake ${bin}/new && mv ${bin}/new ${real}`, { ...way, flags });
      expect(Deno.readTextFileSync(real)).toBe(FAKE);
    });
  },
);

type OwnWorld = ReturnType<typeof ownWorld>;

/**
 * Commands that copy the unpacked program to `to`, and replace its main module by another one of the
 * same size.
 */
export function copyCache(from: string, to: string): string {
  return `for file in ${from}/*; do [ -f $file ] && key=\${file##*/}; done; run=$(<${from}/$key); ` +
    `mkdir -p -m 755 ${to}; chmod 700 ${to}; cp -r ${from}/$run ${to}/; main=${to}/$run/main.js; ` +
    `size=$(wc -c <$main); printf 'console.log("taken over"); Deno.exit(0); //' >$main; ` +
    `truncate -s $size $main; touch -d 2020-01-01 ${to}/$run; echo $run >${to}/$key`;
}

testAs(
  "children > S12 a call cannot replace the executable or cache of the next call in its grant",
  async (t, user) => {
    const tally = new Tally();
    const attacks: [
      name: string,
      command: (w: OwnWorld) => string,
      way: (w: OwnWorld) => CallOptions,
    ][] = [
      [
        "the symlink to the executable",
        () =>
          `printf '${
            FAKE.replaceAll("\n", "\\n")
          }' >new; rm toolcall; mv new toolcall; chmod 755 toolcall`,
        ({ way, G }) => ({ ...way, executable: `${G}/toolcall` }),
      ],
      [
        "a symlink in the path of the cache",
        ({ cache, G }) => `rm state; ${copyCache(cache, `${G}/state/cache`)}`,
        ({ way, G }) => ({ ...way, env: { TOOLCALL_CACHE_DIR: `${G}/state/cache` } }),
      ],
      [
        "a home directory that was missing",
        ({ cache, G }) => copyCache(cache, `${G}/home/.cache/toolcall`),
        ({ way, G }) => ({ ...way, env: { ...way.env, HOME: `${G}/home` } }),
      ],
    ];
    await Promise.all(attacks.map(async ([name, command, wayOf]) => {
      const world = ownWorld(makeWorld(user));
      const flags = [
        `--allow-read=${world.root}`,
        `--allow-write=${world.G}`,
        `--allow-run=${PROGRAMS},wc`,
      ];
      const way = { ...wayOf(world), flags };
      const first = await bash(world, command(world), way);
      const next = await bash(world, "echo works", way).then(
        ({ text }) => text,
        (error: Error) => error.message,
      );
      tally.note(name, next === "works\n", `${first.text}; then: ${next}`);
    }));
    await tally.report(t, attacks.length);
  },
);

testAs(
  "children > S12 the cleanup after a call does not follow symlinks that the call has made",
  async (t, user) => {
    const tally = new Tally();
    const attacks: [name: string, command: (directory: string) => string][] = [
      ["a symlink instead of the private directory", (S) => `mv $d \${d}x && ln -s ${S} $d`],
      ["a symlink instead of the temporary directory", (S) => `mv $d/tmp $d/x; ln -s ${S} $d/tmp`],
      [
        "a symlink in the temporary directory",
        (S) => `ln -s ${S} $d/tmp/x; ln -s ${S}/tmp $d/home/x`,
      ],
    ];
    const outputs = ["echo done", "for ((i = 0; i < 20000; i++)); do echo $i; done"];
    await Promise.all(attacks.flatMap(([name, command]) =>
      outputs.map(async (output) => {
        const world = makeWorld(user);
        const victims = ["tmp", "home"].map((name) => `${world.S}/${name}/file`);
        for (const victim of victims) {
          Deno.mkdirSync(victim.replace("/file", ""));
          Deno.writeTextFileSync(victim, "kept");
          world.own(victim.replace("/file", ""), victim);
        }
        const { exit } = await bash(world, `d=\${TMPDIR%/tmp}; ${command(world.S)}; ${output}`, {
          flags: [`--allow-write=${world.tmp}`, "--allow-run=bash,mv,ln"],
          isAlone: true,
        });
        expect(exit).toBe(0);
        // The keeper of the call cleans up, and outlives it.
        const keepers = () => processesWith(`toolcall-keeper ${world.tmp}/`);
        expect(await until(() => keepers().length === 0)).toBe(true);
        const isKept = [...victims, `${world.S}/secret`].every(isThere);
        tally.note(`${name}, then ${output}`, isKept);
      })
    ));
    await tally.report(t, 2 * attacks.length);
  },
);

testAs("children > S12 no tool writes the executable or its cache", async (t, user) => {
  const world = ownWorld(makeWorld(user));
  const { root, real, cache, way } = world;
  await bash(world, "echo unpacked", { ...way, flags: ["--allow-run=bash"] });
  const directory = [...Deno.readDirSync(cache)].find(({ isDirectory }) => isDirectory)!.name;
  const before = listOf(world.bin, `${root}/state`);
  const tally = new Tally();
  const paths = [real, `${cache}/new`, `${cache}/${directory}/main.js`, `${world.G}/toolcall`];
  for (const file_path of paths) {
    for (const flags of [["--allow-write"], [`--allow-write=${root}`]]) {
      const call = { name: "Write", arguments: { file_path, content: FAKE } };
      const { exit, text } = await callAs(world, call, { ...way, flags });
      const kept = String(listOf(world.bin, `${root}/state`)) === String(before);
      tally.note(`${file_path} under ${flags}`, exit === 6 && kept, text);
    }
  }
  await tally.report(t, 2 * paths.length);
});

testAs(
  "children > S12 no grant lets a call read or write the state directory",
  async (t, user) => {
    const world = makeWorld(user);
    const tally = new Tally();
    const home = `${world.G}/home`;
    Deno.mkdirSync(home, { mode: 0o700 });
    world.own(home);
    const places: [state: string, flags: string[], env: Record<string, string>][] = [
      [`${home}/.local/state/toolcall`, [], { HOME: home, XDG_STATE_HOME: "" }],
      [`${world.G}/xdg/toolcall`, [], { XDG_STATE_HOME: `${world.G}/xdg` }],
      [`${world.G}/named`, [`--state-dir=${world.G}/named`], {}],
    ];
    for (const [state, named, env] of places) {
      const begin = await callAs(world, {
        name: "Config",
        arguments: { setting: "plan_mode", value: false },
      }, { flags: ["-A", ...named], env });
      // Plan mode is off already, and the call has created the state.
      expect(begin.exit).toBe(0);
      const todos = [{ content: "kept", status: "pending", activeForm: "x" }];
      const list = { name: "TodoWrite", arguments: { todos } };
      expect((await callAs(world, list, { flags: named, env })).exit).toBe(0);
      const db = `${state}/state.db`;
      const commands = [
        ...[`echo x >${db}`, `echo x >>${db}`, `rm -f ${db}`, `mv ${db} ${world.G}/taken`],
        ...[`ln ${db} ${world.G}/hard && echo x >>${world.G}/hard`, `truncate -s 0 ${db}`],
        ...[`ln -s ${db} ${world.G}/soft; echo x >>${world.G}/soft`, `touch ${state}/plan-mode`],
        ...[`mv ${state} ${state}.old`, `rm -rf ${state}`, `echo x >${state}/tasks/task_x.txt`],
        `echo x >${db}-wal`,
      ];
      const reads = [`cat ${db}`, `ls ${state}/*.db | xargs cat`, `cp ${db} ${world.G}/copy`];
      for (
        const flags of [["--allow-write"], [`--allow-write=${world.G}`], [`--allow-write=${state}`]]
      ) {
        const io = ["--allow-read", `--allow-run=${PROGRAMS}`, ...flags, ...named];
        const silent = commands.map((command) => `{ ${command}\n} >/dev/null 2>&1`);
        const before = listOf(state);
        await bashEach(world, silent, { flags: io, env });
        const write = { name: "Write", arguments: { file_path: db, content: "x" } };
        const { exit } = await callAs(world, write, { flags: [...flags, ...named], env });
        const kept = String(listOf(state)) === String(before);
        const seen = await bash(world, `{ ${reads.join("; ")}; cat ${world.G}/copy; } 2>&1`, {
          flags: [...io, "--allow-run=cat,ls,xargs"],
          env,
        });
        for (const command of reads) {
          tally.note(`${command} under ${flags}`, !seen.text.includes("SQLite format"), seen.text);
        }
        for (const command of commands) tally.note(`${command} under ${flags}`, kept, state);
        tally.note(`Write under ${flags}`, exit === 6);
      }
      expect((await callAs(world, list, { flags: named, env })).text).toContain("nothing changed");
    }
    await tally.report(t, 3 * 3 * 16);
  },
);

testAs("plan mode > a call fails when the state directory cannot be read", async (_, user) => {
  // Root can read every directory.
  if (user.isRoot) return;
  const world = makeWorld(user);
  const state = `${world.root}/kept`;
  Deno.mkdirSync(state, { mode: 0o700 });
  world.own(state);
  const flags = ["--allow-read", `--allow-run=bash`, `--state-dir=${state}`];
  expect((await bash(world, "echo ran", { flags })).text).toBe("ran\n");
  Deno.chmodSync(state, 0o000);
  const { exit, text } = await bash(world, "echo ran", { flags });
  Deno.chmodSync(state, 0o700);
  expect(exit).toBe(8);
  expect(text).toContain("Cannot determine whether plan mode is on");
});
