/** P13 and P16: what a write grant of a folder does not cover, and temporary paths. */
import { expect } from "@std/expect";
import { bash, callAs, grantsOf, isThere, makeWorld, Tally, testAs } from "./world.ts";

const files = [
  ...[".git/hooks/pre-commit", ".git/hooks/new/deep", ".git/config", ".git/config.worktree"],
  ...[".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".gitconfig", ".envrc"],
  ...[".mcp.json", ".vscode/tasks.json", ".vscode/settings.json", "toolcall.json"],
  ...["sub/.git/hooks/post-checkout", "sub/.git/config", "deep/er/toolcall.json"],
];

testAs(
  "walls > P13 files that other programs obey are not written under a grant of their folder",
  async (t, user) => {
    const tally = new Tally();
    for (const name of files) {
      const world = makeWorld(user);
      const path = `${world.G}/${name}`;
      // The program obeys one of them itself: it has to be whole.
      const write = { name: "Write", arguments: { file_path: path, content: "{}" } };
      for (
        const flags of [grantsOf(world), ["--allow-read", "--allow-write"], [
          `--allow-write=${world.G}/.git,${world.G}/sub`,
        ]]
      ) {
        const refused = await callAs(world, write, { flags });
        tally.note(`Write ${name}`, refused.exit === 6 && !isThere(path), refused.text);
        expect(refused.text).toContain(`needs --allow-write=${path}`);
      }
      const granted = await callAs(world, write, { flags: [...grantsOf(world), `-W=${path}`] });
      expect(granted.exit).toBe(0);
      const edit = {
        name: "Edit",
        arguments: { file_path: path, old_string: "{", new_string: "[" },
      };
      const kept = await callAs(world, edit, { flags: grantsOf(world) });
      tally.note(
        `Edit ${name}`,
        kept.exit === 6 && Deno.readTextFileSync(path) === "{}",
        kept.text,
      );
    }
    await tally.report(t, files.length * 4);
  },
);

testAs(
  "walls > P13 a symlink, another spelling or -A changes nothing but what it should",
  async (_, user) => {
    const world = makeWorld(user);
    Deno.mkdirSync(`${world.G}/.git`);
    Deno.symlinkSync(".git/config", `${world.G}/link`);
    world.own(`${world.G}/.git`);
    const flags = grantsOf(world);
    for (const path of ["link", "./.git/../.git/config", ".GIT/config", ".git//config"]) {
      const call = { name: "Write", arguments: { file_path: `${world.G}/${path}`, content: "x" } };
      expect((await callAs(world, call, { flags })).exit).toBe(6);
    }
    for (const name of ["config", ".git/info/exclude", "hooks/x", "my.bashrc", ".bashrc.d/x"]) {
      const call = { name: "Write", arguments: { file_path: `${world.G}/${name}`, content: "x" } };
      expect((await callAs(world, call, { flags })).exit).toBe(0);
    }
    const call = {
      name: "Write",
      arguments: { file_path: `${world.G}/.git/config`, content: "x" },
    };
    expect((await callAs(world, call, { flags: ["-A"] })).exit).toBe(0);
  },
);

// Landlock opens a folder with all that it holds: what a program may not write in it, it cannot except.
testAs(
  "walls > P13 a limit: programs can write such files inside a granted folder, except behind bwrap",
  async (_, user) => {
    const world = makeWorld(user);
    Deno.writeTextFileSync(`${world.G}/.bashrc`, "old\n");
    world.own(`${world.G}/.bashrc`);
    await bash(world, "echo x >> .bashrc");
    expect(Deno.readTextFileSync(`${world.G}/.bashrc`)).toBe("old\nx\n");
  },
);

testAs("walls > --deny-write inside a write grant holds for programs", async (t, user) => {
  const tally = new Tally();
  const world = makeWorld(user);
  for (const name of ["shut", "open"]) Deno.mkdirSync(`${world.G}/${name}`);
  Deno.writeTextFileSync(`${world.G}/shut/file`, "old");
  world.own(`${world.G}/shut`, `${world.G}/open`, `${world.G}/shut/file`);
  const flags = grantsOf(world, ["mv", "rm", "ln", "mkdir"], [`--deny-write=${world.G}/shut`]);
  const tries = [
    "echo x > shut/file",
    "echo x > shut/new",
    "mkdir shut/d",
    "rm -f shut/file",
    "mv shut open/moved",
    "mv shut/file open/",
    "echo x > open/y && mv open/y shut/",
    "echo x > open/z && ln open/z shut/z",
    "ln -s ../shut open/link; echo x > open/link/file",
  ];
  for (const command of tries) {
    await bash(world, command, { flags });
    const names = [...Deno.readDirSync(`${world.G}/shut`)].map((entry) => entry.name).join();
    const kept = names === "file" && Deno.readTextFileSync(`${world.G}/shut/file`) === "old";
    tally.note(command, kept, names);
  }
  await tally.report(t, tries.length);
  expect((await bash(world, "echo x > open/file && echo done", { flags })).text).toBe("done\n");
});

testAs("walls > P16 temporary paths are new, private and gone afterwards", async (_, user) => {
  const world = makeWorld(user);
  const command =
    "stat -c '%a %u' $TMPDIR/.. $TMPDIR; echo $TMPDIR $HOME; echo x > $TMPDIR/x; id -u";
  const flags = grantsOf(world, ["stat", "id"]);
  const { text } = await bash(world, command, { flags });
  const [above, own, paths, uid] = text.split("\n");
  expect([above, own]).toEqual([`700 ${uid}`, `700 ${uid}`]);
  const [temporary, home] = paths!.split(" ");
  expect(home).toBe(temporary);
  expect(temporary).toMatch(new RegExp(`^${world.tmp}/toolcall-[0-9a-f]+/tmp$`));
  const again = await bash(world, "echo $TMPDIR", { flags });
  expect(again.text.trim()).not.toBe(temporary);
  // Nothing of two calls is left, once the shell beside the walls has ended.
  for (let i = 0; i < 100 && [...Deno.readDirSync(world.tmp)].length > 0; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect([...Deno.readDirSync(world.tmp)]).toEqual([]);
});

testAs("walls > a home that cannot be looked into is no obstacle", async (_, user) => {
  const world = makeWorld(user);
  Deno.mkdirSync(`${world.root}/closed`, { mode: 0o700 });
  const env = { HOME: `${world.root}/closed/home` };
  const { exit, text } = await bash(world, "echo $HOME $TMPDIR", { env });
  expect(exit).toBe(0);
  expect(text.split(/\s/)[0]).toBe(text.split(/\s/)[1]);
});
