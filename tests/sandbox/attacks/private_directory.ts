/**
 * Attacks S11 and L5 of docs/attacks.md on the private directory of a call: it is always removed,
 * and so are old outputs.
 */
import { expect } from "@std/expect";
import { nextTurn, until } from "../../support/wait.ts";
import { bash, grantsOf, makeWorld, ofOneCall, startBash, testAs, type World } from "./world.ts";

const left = (world: World) => [...Deno.readDirSync(world.tmp)].map(({ name }) => name);

testAs(
  "private directory > S11 the directory is removed although the call has closed it",
  async (t, user) => {
    const shut: [name: string, command: string][] = [
      ["the directory", "chmod 0 $TMPDIR/.."],
      ["the directory, only for writing", "chmod 500 $TMPDIR/.."],
      ["directories in it", "mkdir -p $TMPDIR/a/b; chmod 0 $TMPDIR/a/b $TMPDIR/a $TMPDIR"],
      [
        "the directory and all directories in it",
        "mkdir $TMPDIR/a; chmod 0 $TMPDIR/a $TMPDIR $TMPDIR/..",
      ],
    ];
    for (const [name, command] of shut) {
      await t.step(name, async () => {
        const world = makeWorld(user);
        const { exit, text } = await bash(world, `echo data >$TMPDIR/data; ${command}; true`, {
          flags: grantsOf(world, ["chmod", "mkdir"]),
        });
        expect({ exit, text: exit === 0 ? "" : text }).toEqual({ exit: 0, text: "" });
        expect(await until(() => left(world).length === 0)).toBe(true);
      });
    }
  },
  ofOneCall,
);

testAs(
  "private directory > the directory is removed when toolcall is killed right after creating it",
  async (_t, user) => {
    const world = makeWorld(user);
    // Unpack the program first, so that no call is killed while it unpacks.
    await bash(world, "true");
    // On a busy machine the call may be faster each time, so there are more tries then.
    let killed = 0;
    for (let count = 0; killed < 10 && count < 400; count++) {
      const { child, answer } = startBash(world, "true");
      let isOver = false;
      const ended = answer().catch(() => {}).then(() => isOver = true);
      while (left(world).length === 0 && !isOver) await nextTurn();
      try {
        child.kill("SIGKILL");
        killed++;
      } catch { /* This time the call was faster. */ }
      await ended;
      expect(await until(() => left(world).length === 0)).toBe(true);
    }
    expect(killed).toBe(10);
  },
  ofOneCall,
);

testAs(
  "private directory > links from a program of another call do not change files outside",
  async (t, user) => {
    const plants: [name: string, plant: (directory: string, outside: string) => void][] = [
      [
        "a link instead of its file",
        (directory, outside) => Deno.symlinkSync(`${outside}/held`, `${directory}/held`),
      ],
      ["a link instead of the directory", (directory, outside) => {
        Deno.renameSync(directory, `${directory}.moved`);
        Deno.symlinkSync(outside, directory);
      }],
    ];
    for (const [name, plant] of plants) {
      await t.step(name, async () => {
        const world = makeWorld(user);
        const outside = `${world.root}/outside`;
        const files = ["held", "output.txt", "tmp/data"].map((file) => `${outside}/${file}`);
        Deno.mkdirSync(`${outside}/tmp`, { recursive: true });
        for (const file of files) Deno.writeTextFileSync(file, "precious");
        world.own(outside, `${outside}/tmp`, ...files);
        await bash(world, "true");
        let planted = 0;
        // On a busy machine the call may be faster each time, so there are more tries then.
        for (let count = 0; count < 8 || planted === 0 && count < 400; count++) {
          const seen = new Set(left(world));
          let isOver = false;
          const ended = startBash(world, "true").answer().catch(() => {})
            .then(() => isOver = true);
          const isFresh = (each: string) => /^toolcall-[0-9a-f]{16}$/.test(each) && !seen.has(each);
          let fresh: string | undefined;
          while (fresh === undefined && !isOver) {
            await nextTurn();
            for (let look = 0; fresh === undefined && look < 100; look++) {
              fresh = left(world).find(isFresh);
            }
          }
          try {
            plant(`${world.tmp}/${fresh}`, outside);
            planted++;
          } catch { /* This time the call was faster. */ }
          await ended;
        }
        expect(planted).toBeGreaterThan(0);
        for (const file of files) expect(Deno.readTextFileSync(file)).toBe("precious");
      });
    }
  },
  ofOneCall,
);

testAs(
  "private directory > a new output file removes outputs that are a day old, and no other files",
  async (_t, user) => {
    for (const flags of [["-A"], undefined]) {
      const world = makeWorld(user);
      const long = "for ((i = 0; i < 9000; i++)); do echo $i; done";
      // The server answers only this call, because a resident one soon makes a directory for the next.
      const way = { ...(flags && { flags }), isAlone: true };
      const DAYS = 2 * 86_400_000;
      const make = (directory: string, file: string, age: number) => {
        const [path, time] = [`${world.tmp}/${directory}/${file}`, new Date(Date.now() - age)];
        Deno.mkdirSync(`${world.tmp}/${directory}`);
        Deno.writeTextFileSync(path, "output");
        Deno.utimeSync(path, time, time);
        world.own(`${world.tmp}/${directory}`, path);
      };
      make("toolcall-0123456789abcdef", "output.txt", DAYS);
      make("toolcall-fedcba9876543210", "output.txt", 1_000);
      make("toolcall-0000000000000000", "other.txt", DAYS);
      make("project", "output.txt", DAYS);
      const { text } = await bash(world, long, way);
      const [, own] = /is in "([^"]+)"/.exec(text) ?? [];
      const kept = [
        own!.slice(0, -"/output.txt".length),
        `${world.tmp}/project`,
        `${world.tmp}/toolcall-0000000000000000`,
        `${world.tmp}/toolcall-fedcba9876543210`,
      ].sort();
      // Old outputs, and a resident server's directory for the call, are removed after the answer.
      const names = () => left(world).map((name) => `${world.tmp}/${name}`).sort();
      await until(() => names().join() === kept.join());
      expect(names()).toEqual(kept);
    }
  },
);

testAs("private directory > no part of an output stays on a full disk", async (_t, user) => {
  // Only root can mount a small disk for the test.
  if (!user.isRoot) return;
  for (const flags of [["-A"], undefined]) {
    const world = makeWorld(user);
    const script = `mount --make-rprivate / && mount -t tmpfs -o size=2m none ${world.tmp} && ` +
      `"$@" && tries=0 && while [ -n "$(ls ${world.tmp})" ] && [ $((tries += 1)) -lt 6000 ]; ` +
      `do sleep 0.02; done; ls ${world.tmp} >${world.root}/left`;
    const { text, exit } = await bash(world, "for ((i = 0; i < 500000; i++)); do echo $i; done", {
      launcher: ["unshare", "-m", "sh", "-c", script, "sh"],
      isAlone: true,
      ...(flags && { flags }),
    });
    expect([exit, text.includes("could not be kept in a file")]).toEqual([0, true]);
    expect(Deno.readTextFileSync(`${world.root}/left`)).toBe("");
  }
});

testAs(
  "private directory > a message names the working directory that cannot be entered",
  async (_t, user) => {
    const world = makeWorld(user);
    const shut = `${world.G}/shut`;
    Deno.mkdirSync(shut);
    world.own(shut);
    const flags = [...grantsOf(world), `--root=${shut}`];
    // Root can enter the directory, but the programs that it starts have no capabilities.
    if (user.isRoot) Deno.chmodSync(shut, 0);
    else Deno.chmodSync(shut, 0o600);
    const { text, exit } = await bash(world, "pwd", { flags });
    if (user.isRoot) {
      expect(exit).toBe(8);
      expect(text).toContain(
        `the working directory "${shut}" cannot be entered`,
      );
    } else expect(exit).not.toBe(0);
  },
);
