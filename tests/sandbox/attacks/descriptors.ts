// deno-lint-ignore-file no-console
/**
 * Attack L6 of docs/attacks.md: operations on descriptors, modes and priorities, without a path.
 */
import { expect } from "@std/expect";
import {
  attackCommand,
  attackFlags,
  type Attempt,
  attemptsIn,
  bash,
  installation,
  makeWorld,
  Tally,
  testAs,
  testInShells,
  type User,
  type World,
} from "./world.ts";

const namesOf = (attempts: Attempt[]) =>
  attempts.filter(({ outcome }) => outcome === "escaped").map(({ id }) => id);

/** How many requests and commands the attacking program tries on a descriptor. */
const DESCRIPTORS = 49;

/** Makes a directory with a file. The user owns both, and the flag only lets a call read them. */
function readable(world: World, path: string): { directory: string; file: string; flag: string } {
  const [directory, file] = [`${path}/RO`, `${path}/RO/file`];
  Deno.mkdirSync(directory, { mode: 0o755 });
  Deno.writeTextFileSync(file, "attributes");
  world.own(directory, file);
  return { directory, file, flag: `--allow-read=${directory}` };
}

testInShells(
  "descriptors > L6 no request to a file that is open for reading changes it",
  async (t, user) => {
    const world = makeWorld(user);
    const { directory, file, flag } = readable(world, world.root);
    const run = async (more: string[], params: Record<string, unknown>) =>
      attemptsIn(
        await bash(world, attackCommand(world, "descriptors", { directory, file, ...params }), {
          flags: attackFlags(world, [flag, ...more]),
        }),
      );
    const attributes = () => {
      const { stdout } = new Deno.Command("sh", { args: ["-c", 'lsattr "$0"', file] }).outputSync();
      return new TextDecoder().decode(stdout);
    };
    const before = attributes();
    await new Tally().add(await run([], {})).report(t, DESCRIPTORS);
    expect(attributes()).toBe(before);
    await t.step("a lease, and new attributes, succeed without the sandbox", async () => {
      const out = namesOf(await run(["--unconfined-run"], { harmless: true }));
      expect(out).toContain("F_SETLEASE");
      // Some file systems lack attributes, and some machines lack lsattr.
      if (before !== "") expect(out).toContain("FS_IOC_SETFLAGS");
    });
  },
);

testAs("descriptors > L6 the usual requests of programs to files succeed", async (_t, user) => {
  const world = makeWorld(user);
  const file = `${world.G}/file`;
  Deno.writeTextFileSync(file, "ordinary");
  world.own(file);
  const { text } = await bash(world, attackCommand(world, "ordinary", { file }), {
    flags: attackFlags(world),
  });
  const answers = text.trim().split("\n").map((line) => JSON.parse(line));
  expect(answers.filter(({ works }) => !works)).toEqual([]);
  expect(answers.length).toBe(14);
});

testAs(
  "descriptors > L6 no program can create a file with a set-user-id or set-group-id bit",
  async (t, user) => {
    const world = makeWorld(user);
    const run = async (more: string[]) =>
      attemptsIn(
        await bash(world, `umask 0; ${attackCommand(world, "modes", { directory: world.G })}`, {
          flags: attackFlags(world, more),
        }),
      );
    await new Tally().add(await run([])).report(t, 12);
    await t.step("all 12 attacks succeed without the sandbox", async () => {
      expect(namesOf(await run(["--unconfined-run"])).length).toBe(12);
    });
  },
);

testAs(
  "descriptors > L6 no program changes the priority of another process of the user",
  async (t, user) => {
    const world = makeWorld(user);
    const command = [
      ...(user.uid === undefined ? [] : ["setpriv", `--reuid=${user.uid}`, "--clear-groups"]),
      ...["sleep", "600"],
    ];
    const other = new Deno.Command(command[0]!, { args: command.slice(1) }).spawn();
    /** The nice value and the policy of the other process (proc_pid_stat(5), fields 19 and 41). */
    const priority = () => {
      const fields = Deno.readTextFileSync(`/proc/${other.pid}/stat`).split(") ")[1]!.split(" ");
      return [fields[16], fields[38]];
    };
    const run = async (more: string[]) =>
      attemptsIn(
        await bash(world, attackCommand(world, "priorities", { other: other.pid }), {
          flags: attackFlags(world, more),
        }),
      );
    try {
      const before = priority();
      await new Tally().add(await run([])).report(t, 9);
      expect(priority()).toEqual(before);
      // As root and without the sandbox, this would slow down every process of the machine.
      if (user.isRoot || user.uid === undefined) return;
      await t.step("all attacks but one succeed without the sandbox", async () => {
        const failed = (await run(["--unconfined-run"]))
          .filter(({ outcome }) => outcome !== "escaped");
        expect(failed.map(({ id }) => id)).toEqual(["ioprio_set of the user"]);
        expect(priority()).toEqual(["19", "5"]);
      });
    } finally {
      other.kill("SIGKILL");
      await other.status;
    }
  },
);

testAs("descriptors > L6 a snapshot on Btrfs does not open a denied path", async (t, user) => {
  using disk = btrfs(user);
  if (disk === undefined) return;
  const world = makeWorld(user);
  const { path } = disk;
  const { directory, file } = readable(world, path);
  const denied = `${path}/.env`;
  Deno.writeTextFileSync(denied, "env-file-secret");
  Deno.mkdirSync(`${path}/W`);
  world.own(denied, `${path}/W`);
  const flags = [`--allow-read=${path}`, `--deny-read=${denied}`, `--allow-write=${path}/W`];
  const run = async (more: string[], params: Record<string, unknown>) =>
    attemptsIn(
      await bash(
        world,
        attackCommand(world, "descriptors", { directory, file, source: path, ...params }),
        { flags: attackFlags(world, [...flags, ...more]) },
      ),
    );
  await new Tally().add(await run([], {})).report(t, DESCRIPTORS);
  expect([...Deno.readDirSync(directory)].map(({ name }) => name)).toEqual(["file"]);
  await t.step("a copy can share its blocks with the original", async () => {
    const { text } = await bash(
      world,
      `cp --reflink=always ${file} ${path}/W/copy && echo shared`,
      {
        flags: [...flags, "--allow-run=bash,cp"],
      },
    );
    expect(text).toBe("shared\n");
  });
  await t.step("the attacks on subvolumes and attributes succeed without the sandbox", async () => {
    const out = namesOf(await run(["--unconfined-run"], { harmless: true }));
    for (const name of ["FS_IOC_SETFLAGS", "BTRFS_IOC_SUBVOL_CREATE", "BTRFS_IOC_SNAP_CREATE"]) {
      expect(out).toContain(name);
    }
    expect(Deno.readTextFileSync(`${directory}/snap/.env`)).toBe("env-file-secret");
  });
});

/** Makes a subvolume of the user on a new Btrfs. Undefined if the machine does not allow that. */
function btrfs(user: User): { path: string } & Disposable | undefined {
  const root = Deno.makeTempDirSync({ dir: installation!.path, prefix: "btrfs-" });
  const [image, mounted] = [`${root}/image`, `${root}/mounted`];
  const run = (command: string, ...args: string[]) => {
    try {
      const { success, stderr } = new Deno.Command(command, { args }).outputSync();
      return success ? "" : `${command} failed: ${new TextDecoder().decode(stderr).trim()}`;
    } catch {
      return `${command} is missing`;
    }
  };
  Deno.mkdirSync(mounted);
  Deno.writeFileSync(image, new Uint8Array());
  Deno.truncateSync(image, 300 * 2 ** 20);
  const path = `${mounted}/volume`;
  const failed = run("mkfs.btrfs", "-q", image) || run("mount", "-o", "loop", image, mounted) ||
    run("btrfs", "subvolume", "create", path);
  if (failed !== "") {
    run("umount", mounted);
    console.log(`skipped: the attacks on Btrfs ${user.name}, because ${failed}`);
    return undefined;
  }
  Deno.chmodSync(root, 0o755);
  if (user.uid !== undefined) Deno.chownSync(path, user.uid, user.uid);
  return { path, [Symbol.dispose]: () => void run("umount", mounted) };
}
