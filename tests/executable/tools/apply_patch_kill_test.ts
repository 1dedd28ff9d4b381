/** A patch of five files is applied as a whole or not at all, whenever its processes are killed. */
// tier: machine
import { expect } from "@std/expect";
import { join } from "node:path";
import { attempts } from "../../support/attempts.ts";
import { call, executable, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { pause, until } from "../../support/wait.ts";

const BEGIN = "*** Begin Patch\n";
const END = "*** End Patch\n";
const NAMES = ["a.txt", "b.txt", "c.txt", "d.txt"];
/** The files before and after: one is changed, one moved, one removed, one added. */
const patch = BEGIN +
  "*** Update File: a.txt\n@@\n-old a\n+new a\n" +
  "*** Update File: b.txt\n@@\n-old b\n+new b\n" +
  "*** Update File: c.txt\n*** Move to: deep/e.txt\n@@\n-old c\n+new c\n" +
  "*** Delete File: d.txt\n" +
  "*** Add File: deep/f.txt\n+new f\n" + END;
const after = {
  "a.txt": "new a\n",
  "b.txt": "new b\n",
  "deep/e.txt": "new c\n",
  "deep/f.txt": "new f\n",
};
const before = Object.fromEntries(NAMES.map((name) => [name, `old ${name[0]}\n`]));

function prepare(root: string): void {
  for (const [name, text] of Object.entries(before)) Deno.writeTextFileSync(join(root, name), text);
}

function tree(root: string, directory = ""): Record<string, string> {
  return Object.assign(
    {},
    ...[...Deno.readDirSync(join(root, directory))].map(({ name, isDirectory }) => {
      const path = join(directory, name);
      if (isDirectory) return tree(root, path);
      // A killed process may leave a temporary file, which a later write removes.
      return /\.toolcall-[0-9a-f]{32}$/.test(name)
        ? {}
        : { [path]: Deno.readTextFileSync(join(root, path)) };
    }),
  );
}

/** The files as one string that does not depend on their order. */
const textOf = (files: Record<string, string>) => JSON.stringify(Object.entries(files).sort());

/** Returns `before` or `after` if all files are in that state, and otherwise the files. */
function stateOf(root: string): string {
  const found = textOf(tree(root));
  return found === textOf(before) ? "before" : found === textOf(after) ? "after" : found;
}

/** The child processes of a process. */
function childrenOf(pid: number): number[] {
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
      if (Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid) {
        found.push(Number(name));
      }
    } catch { /* It has ended. */ }
  }
  return found;
}

function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch { /* It has ended. */ }
}

interface World {
  root: string;
  state: string;
  flags: string[];
}

function startCall({ root, flags }: World): Deno.ChildProcess {
  return new Deno.Command(executable, {
    args: [...flags, "apply_patch", JSON.stringify({ patch })],
    cwd: root,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
}

/** Starts the call, and kills it after `ms` milliseconds; with its guard if `both` is true. */
async function killedCall(
  directory: World,
  { ms, both }: { ms: number; both: boolean },
): Promise<void> {
  const child = startCall(directory);
  await pause(ms, "The kill comes at a random moment of the call.");
  if (both) {
    // The call is stopped first, so that its guard does not notice its end before it is killed too.
    try {
      Deno.kill(child.pid, "SIGSTOP");
    } catch { /* It has ended. */ }
    childrenOf(child.pid).forEach(kill);
  }
  kill(child.pid);
  await child.status;
}

function hasJournal({ state }: World): boolean {
  try {
    return [...Deno.readDirSync(join(state, "patches"))].some(({ name }) =>
      name.endsWith(".patch")
    );
  } catch {
    return false;
  }
}

/** Waits until the guard of a killed call has finished the patch. */
async function waitForGuard(directory: World): Promise<void> {
  expect(await until(() => !hasJournal(directory))).toBe(true);
}

/** Whether the last file of the patch is written. Its journal is removed soon after that. */
function hasLastFile({ root }: World): boolean {
  try {
    return Deno.statSync(join(root, "deep/f.txt")).isFile;
  } catch {
    return false;
  }
}

/** Measures how long a call takes here, in milliseconds, so that the kills cover all of it. */
async function duration(): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 3; count++) {
    using directory = world();
    const start = performance.now();
    const { exit } = await call("apply_patch", { patch }, {
      flags: directory.flags,
      cwd: directory.root,
    });
    expect(exit).toBe(0);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[1]!;
}

function world(): World & Disposable {
  const directory = temporaryDirectory();
  const [root, state] = ["root", "state"].map((name) => join(directory.path, name));
  for (const path of [root!, state!]) Deno.mkdirSync(path, { mode: 0o700 });
  prepare(root!);
  const flags = [`-R=${root}`, `-W=${root}`, `--state-dir=${state}`];
  return { root: root!, state: state!, flags, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

const all = attempts(300);

Deno.test("apply_patch > the next file tool restores the files after a kill of the call and its guard at any moment", async () => {
  const ms = await duration();
  const tally = { before: 0, after: 0 };
  for (let count = 0; count < all; count++) {
    using directory = world();
    await killedCall(directory, { ms: Math.random() * ms * 1.1, both: true });
    const path = join(directory.root, "a.txt");
    const read = await call("Read", { file_path: path }, { flags: directory.flags });
    expect(read.text).toContain("a");
    const state = stateOf(directory.root);
    expect(["before", "after"]).toContain(state);
    expect(hasJournal(directory)).toBe(false);
    tally[state as "before" | "after"]++;
  }
  // A kill before the first change or after the last one leaves nothing to restore.
  expect(tally.before + tally.after).toBe(all);
});

Deno.test("apply_patch > the guard finishes the patch after a kill of the call at any moment", async () => {
  const ms = await duration();
  for (let count = 0; count < all / 3; count++) {
    using directory = world();
    await killedCall(directory, { ms: ms * (0.3 + Math.random() * 0.8), both: false });
    await waitForGuard(directory);
    expect(stateOf(directory.root)).toMatch(/^(before|after)$/);
  }
});

Deno.test("apply_patch > the guard finishes the patch after a kill of the call when its record exists", async () => {
  // On a busy machine the call can end between two looks, so there are more tries then.
  let seen = 0;
  for (let tries = 0; seen < all / 30 && tries < 400; tries++) {
    using directory = world();
    const child = startCall(directory);
    // The loop does not sleep, because the record exists for a few milliseconds only.
    const end = performance.now() + 120_000;
    let isSeen = false;
    while (!(isSeen = hasJournal(directory)) && !hasLastFile(directory)) {
      if (performance.now() > end) throw new Error("Waited two minutes for the record");
    }
    kill(child.pid);
    await child.status;
    await waitForGuard(directory);
    expect(textOf(tree(directory.root))).toBe(textOf(after));
    if (isSeen) seen++;
  }
  expect(seen).toBe(all / 30);
});

/** Leaves the journal as a process that was killed at a certain step would. */
async function interrupted(directory: World, step: number): Promise<void> {
  const { PatchJournal } = await import("../../../src/runner/patches/patch_journal.ts");
  const { putBytes } = await import("../../../src/base/fs/change_set.ts");
  const bytes = (text: string | undefined) =>
    text === undefined ? null : new TextEncoder().encode(text);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changes = names.map((name) => ({
    path: join(directory.root, name),
    given: name,
    before: bytes(before[name]),
    after: bytes((after as Record<string, string>)[name]),
  }));
  const record = PatchJournal.open(directory.state, { create: true })!.begin(changes);
  for (const change of changes.slice(0, step)) {
    putBytes(change, { from: change.before, to: change.after });
  }
  record.release();
}

const readers: [name: string, args: (root: string) => Record<string, unknown>][] = [
  ["Read", (root) => ({ file_path: `${root}/a.txt` })],
  ["Grep", (root) => ({ pattern: "new", path: root })],
  ["Edit", (root) => ({ file_path: `${root}/b.txt`, old_string: "new b", new_string: "new b2" })],
  ["fs.list", () => ({ path: "." })],
];

for (const [name, args] of readers) {
  Deno.test(`apply_patch > ${name} finishes a patch whose processes were killed, at each step`, async () => {
    for (const step of [0, 1, 3, 5]) {
      using directory = world();
      await interrupted(directory, step);
      const { exit, text } = await call(name, args(directory.root), {
        flags: directory.flags,
        cwd: directory.root,
      });
      expect({ exit, text }).toEqual({ exit: 0, text });
      const expected = name === "Edit" ? { ...after, "b.txt": "new b2\n" } : after;
      expect(tree(directory.root)).toEqual(expected);
    }
  });
}

Deno.test("apply_patch > doctor finishes a patch and reports it, and a call of other files does not", async () => {
  using directory = world();
  await interrupted(directory, 2);
  const other = temporaryDirectory();
  Deno.writeTextFileSync(join(other.path, "x"), "x\n");
  const flags = [`-R=${other.path}`, `--state-dir=${directory.state}`];
  await call("Read", { file_path: join(other.path, "x") }, { flags });
  expect(hasJournal(directory)).toBe(true);
  const { stdout } = await toolcall(["doctor", "--format=json", `--state-dir=${directory.state}`]);
  const findings = JSON.parse(stdout).findings as { kind: string; ok: boolean; detail: string }[];
  expect(findings.find(({ kind }) => kind === "patch")?.detail).toMatch(/^finished: /);
  expect(tree(directory.root)).toEqual(after);
  other[Symbol.dispose]();
});

Deno.test("apply_patch > files that were changed later are kept, and the other files are restored", async () => {
  using directory = world();
  await interrupted(directory, 2);
  Deno.writeTextFileSync(join(directory.root, "d.txt"), "mine\n");
  await call("Read", { file_path: join(directory.root, "a.txt") }, { flags: directory.flags });
  expect(tree(directory.root)).toEqual({ ...before, "d.txt": "mine\n" });
  expect(hasJournal(directory)).toBe(false);
});

Deno.test("apply_patch > a file is not restored through a symlink in place of its directory", async () => {
  using directory = world();
  await interrupted(directory, 2);
  const outside = join(directory.state, "..", "outside");
  Deno.mkdirSync(outside);
  Deno.symlinkSync(outside, join(directory.root, "deep"));
  await call("Read", { file_path: join(directory.root, "a.txt") }, { flags: directory.flags });
  expect([...Deno.readDirSync(outside)]).toEqual([]);
  expect(Deno.readTextFileSync(join(directory.root, "a.txt"))).toBe("old a\n");
});

Deno.test("apply_patch > a call cannot write the journal, and a journal that others can write is ignored", async () => {
  using directory = world();
  const forged = join(directory.state, "patches", "forged.patch");
  const flags = [`-R=/`, `-W=${join(directory.state, "..")}`, `--state-dir=${directory.state}`];
  const { exit, text } = await call("Write", { file_path: forged, content: "{}" }, { flags });
  expect(exit).toBe(6);
  expect(text).toContain("Permission denied");
  const shell = await call("Bash", { command: `mkdir -p ${directory.state}/patches` }, {
    flags: [...flags, "--allow-run=bash,mkdir"],
  });
  expect(shell.isError).toBe(true);
  expect(() => Deno.lstatSync(join(directory.state, "patches"))).toThrow();
  await interrupted(directory, 2);
  Deno.chmodSync(join(directory.state, "patches"), 0o777);
  const read = await call("Read", { file_path: join(directory.root, "a.txt") }, {
    flags: directory.flags,
  });
  expect(read.text).toContain("other users can write to");
  expect(Deno.readTextFileSync(join(directory.root, "c.txt"))).toBe("old c\n");
});
