/**
 * Attacks S11 and L5 of docs/attacks.md on the private directory of a call: it is always removed,
 * and so are old outputs.
 */
import { expect } from "@std/expect";
import {
  bash,
  grantsOf,
  makeWorld,
  ofOneCall,
  startBash,
  testAs,
  until,
  type World,
} from "./world.ts";

const left = (world: World) => [...Deno.readDirSync(world.tmp)].map(({ name }) => name);

testAs("private folder > S11 it goes although the call has shut it", async (t, user) => {
  const shut: [name: string, command: string][] = [
    ["itself", "chmod 0 $TMPDIR/.."],
    ["to writing", "chmod 500 $TMPDIR/.."],
    ["what is in it", "mkdir -p $TMPDIR/a/b; chmod 0 $TMPDIR/a/b $TMPDIR/a $TMPDIR"],
    ["all of it", "mkdir $TMPDIR/a; chmod 0 $TMPDIR/a $TMPDIR $TMPDIR/.."],
  ];
  for (const [name, command] of shut) {
    await t.step(name, async () => {
      const world = makeWorld(user);
      const { exit, text } = await bash(world, `echo data >$TMPDIR/data; ${command}; true`, {
        flags: grantsOf(world, ["chmod", "mkdir"]),
      });
      expect({ exit, text: exit === 0 ? "" : text }).toEqual({ exit: 0, text: "" });
      expect(await until(() => left(world).length === 0, 10_000)).toBe(true);
    });
  }
}, ofOneCall);

testAs(
  "private folder > it goes when toolcall is killed as soon as it is there",
  async (_t, user) => {
    const world = makeWorld(user);
    // Unpack the program first, so that no call is killed while it unpacks.
    await bash(world, "true");
    for (let count = 0; count < 10; count++) {
      const { child, answer } = startBash(world, "true");
      const ended = answer().catch(() => {});
      for (const end = Date.now() + 10_000; left(world).length === 0 && Date.now() < end;) {
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      child.kill("SIGKILL");
      await ended;
      expect(await until(() => left(world).length === 0, 10_000)).toBe(true);
    }
  },
  ofOneCall,
);

testAs(
  "private folder > nothing outside changes when a program of another call puts links into its place",
  async (t, user) => {
    const plants: [name: string, plant: (directory: string, outside: string) => void][] = [
      [
        "of its file",
        (directory, outside) => Deno.symlinkSync(`${outside}/held`, `${directory}/held`),
      ],
      ["of the folder", (directory, outside) => {
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
          const { answer } = startBash(world, "true");
          const isFresh = (each: string) => /^toolcall-[0-9a-f]{16}$/.test(each) && !seen.has(each);
          let fresh: string | undefined;
          for (const end = Date.now() + 10_000; fresh === undefined && Date.now() < end;) {
            await new Promise((resolve) => setTimeout(resolve, 0));
            for (let look = 0; fresh === undefined && look < 100; look++) {
              fresh = left(world).find(isFresh);
            }
          }
          try {
            plant(`${world.tmp}/${fresh}`, outside);
            planted++;
          } catch { /* This time the call was faster. */ }
          await answer().catch(() => {});
        }
        expect(planted).toBeGreaterThan(0);
        for (const file of files) expect(Deno.readTextFileSync(file)).toBe("precious");
      });
    }
  },
  ofOneCall,
);

testAs(
  "private folder > outputs of a day ago go when another is kept, and nothing else",
  async (_t, user) => {
    for (const flags of [["-A"], undefined]) {
      const world = makeWorld(user);
      const long = "for ((i = 0; i < 9000; i++)); do echo $i; done";
      // A server of this call alone: another one soon has a directory for the next call.
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
      // Old outputs, and a resident server's directory for the call, go after the answer.
      const names = () => left(world).map((name) => `${world.tmp}/${name}`).sort();
      await until(() => names().join() === kept.join(), 10_000);
      expect(names()).toEqual(kept);
    }
  },
);

testAs("private folder > a disk that is full keeps no part of an output", async (_t, user) => {
  // The disk is mounted where nobody else sees it.
  if (!user.isRoot) return;
  for (const flags of [["-A"], undefined]) {
    const world = makeWorld(user);
    const script = `mount --make-rprivate / && mount -t tmpfs -o size=2m none ${world.tmp} && ` +
      `"$@" && sleep 1; ls ${world.tmp} >${world.root}/left`;
    const { text, exit } = await bash(world, "for ((i = 0; i < 500000; i++)); do echo $i; done", {
      launcher: ["unshare", "-m", "sh", "-c", script, "sh"],
      ...(flags && { flags }),
    });
    expect([exit, text.includes("could not be kept in a file")]).toEqual([0, true]);
    expect(Deno.readTextFileSync(`${world.root}/left`)).toBe("");
  }
});

testAs(
  "private folder > a working directory that cannot be entered is named, not the program",
  async (_t, user) => {
    const world = makeWorld(user);
    const shut = `${world.G}/shut`;
    Deno.mkdirSync(shut);
    world.own(shut);
    const flags = [...grantsOf(world), `--root=${shut}`];
    // As root the program enters it, and what it starts without capabilities does not.
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
