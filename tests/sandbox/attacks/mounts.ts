/** Attacks S11 and L4 of docs/attacks.md by child processes, with and without read-only mounts. */
import { expect } from "@std/expect";
import { dirname } from "@std/path/posix/dirname";
import { works } from "../../support/programs.ts";
import {
  attackCommand,
  attackFlags,
  attemptsIn,
  bash,
  callAs,
  type CallOptions,
  grantsOf,
  isThere,
  makeWorld,
  ofOneCall,
  start,
  Tally,
  testAs,
  testInShells,
  type World,
} from "./world.ts";

const EPERM = 1;

/** Starts the executable where making mounts fails, as in some containers. */
function withoutMounts({ installation, tmp }: World): CallOptions {
  const options = ["run", "-A", "--quiet", "--no-remote", "--cached-only", "--no-lock"];
  const refused = JSON.stringify({ call: "mount_setattr", errno: EPERM });
  return {
    launcher: [
      installation.deno,
      ...options,
      "--no-config",
      `${installation.path}/launch.js`,
      refused,
    ],
    env: { DENO_DIR: `${tmp}/deno`, DENO_NO_UPDATE_CHECK: "1" },
  };
}

/** Protected files below a granted directory. */
// deno-fmt-ignore
const files = [
  ".git/config", ".git/hooks/pre-commit", ".git/info/attributes", ".git/config.worktree", ".git/commondir",
  ".git/modules/s/config", ".git/modules/s/hooks/post-checkout", ".git/modules/deep/er/config",
  ".git/worktrees/w/config.worktree", ".git/worktrees/w/commondir", ".git/objects/info/alternates",
  "inner/.git/config", "inner/.git/hooks/post-merge", "inner/.envrc",
  ".gitconfig", ".gitmodules", ".config/git/config", ".husky/pre-commit",
  ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".kshrc", ".inputrc", ".config/fish/config.fish",
  ".envrc", ".tmux.conf", ".screenrc", ".xprofile", ".config/systemd/user/x.service", ".config/autostart/x.desktop",
  ".local/bin/x", ".ssh/authorized_keys", ".gnupg/gpg.conf", ".netrc", ".docker/config.json",
  ".vscode/tasks.json", ".idea/workspace.xml", ".vimrc", ".config/nvim/init.lua", ".gdbinit",
  ".devcontainer/devcontainer.json", "my.code-workspace", ".mcp.json", ".claude/settings.json",
  ".cursor/mcp.json", ".codex/config.toml", ".gemini/settings.json", ".npmrc", ".yarnrc.yml", ".cargo/config.toml",
];

/** Makes the protected files in G, and the files that make Git directories of their parents. */
function makeFiles(world: World): void {
  for (const file of files) {
    Deno.mkdirSync(`${world.G}/${dirname(file)}`, { recursive: true });
    Deno.writeTextFileSync(`${world.G}/${file}`, "old");
  }
  for (const directory of ["modules/s", "modules/deep/er", "worktrees/w"]) {
    Deno.writeTextFileSync(`${world.G}/.git/${directory}/HEAD`, "ref: refs/heads/main\n");
  }
  giveAll(world);
}

/** Makes the user the owner of all files in G. */
function giveAll({ user, G }: World): void {
  if (user.uid === undefined) return;
  new Deno.Command("chown", { args: ["-R", `${user.uid}:${user.uid}`, G] }).outputSync();
}

const quoted = (file: string) => `'${file}'`;

/** Runs each command in its own shell, and ignores failures. */
async function tryAll(world: World, commands: string[], flags: string[]): Promise<void> {
  const script = commands.map((command) => `(${command}) >/dev/null 2>&1`).join("\n");
  expect((await bash(world, `${script}\necho done`, { flags })).text).toContain("done\n");
}

testAs("mounts > L4 programs cannot change an existing protected file", async (t, user) => {
  const programs = ["mv", "rm", "cp", "ln", "mkdir", "chmod", "touch", "truncate"];
  await t.step("a program writes all protected files without the sandbox", async () => {
    const world = makeWorld(user);
    makeFiles(world);
    const flags = grantsOf(world, programs, ["--unconfined-run"]);
    await tryAll(world, files.map((file) => `echo new > ${quoted(file)}`), flags);
    const kept = files.filter((file) => Deno.readTextFileSync(`${world.G}/${file}`) === "old");
    expect(kept).toEqual([]);
  });
  const world = makeWorld(user);
  makeFiles(world);
  const tally = new Tally();
  const flags = grantsOf(world, programs);
  const tops = [...new Set(files.map((file) => file.split("/")[0]!))];
  const attacks = [
    ...files.flatMap((file) => {
      const name = quoted(file);
      return [
        `echo new > ${name}`,
        `echo new >> ${name}; truncate -s 0 ${name}`,
        `rm -f ${name}; echo new > ${name}`,
        `mv ${name} away; echo new > ${name}`,
        `echo new > other; mv -f other ${name}; cp -f other ${name}; ln -f other ${name}`,
        `chmod 777 ${name}; touch -d 2001-01-01 ${name}`,
      ];
    }),
    // If a parent directory could be moved, another one could take its name.
    ...tops.flatMap((top) => [`mv ${quoted(top)} aside`, `rm -rf ${quoted(top)}`]),
    "mkdir -p x/hooks && mv -T x .git",
  ];
  await tryAll(world, attacks, flags);
  for (const file of files) {
    const path = `${world.G}/${file}`;
    const isOld = isThere(path) && Deno.readTextFileSync(path) === "old";
    const info = isOld ? Deno.statSync(path) : undefined;
    const isSame = (info?.mode ?? 0) % 0o1000 !== 0o777 && info?.mtime?.getFullYear() !== 2001;
    tally.note(file, isOld && isSame, isOld ? "its mode or its times" : "its text");
  }
  await tally.report(t, files.length);
  await t.step("a grant that names a protected file lets programs write it", async () => {
    const named = `-W=${world.G}/.bashrc,${world.G}/.vscode`;
    await bash(world, "echo new > .bashrc; echo new > .vscode/tasks.json; echo new > .zshrc", {
      flags: [...flags, named],
    });
    const texts = [".bashrc", ".vscode/tasks.json", ".zshrc"].map((file) =>
      Deno.readTextFileSync(`${world.G}/${file}`)
    );
    expect(texts).toEqual(["new\n", "new\n", "old"]);
  });
  await t.step("a refusal names the flag that would allow the write", async () => {
    const { text } = await bash(world, "echo new > .git/config", { flags });
    expect(text).toContain(`write "${world.G}/.git/config": needs --allow-write=`);
  });
});

testAs(
  "mounts > L4 a .git file and the Git directory that it names are protected too",
  async (t, user) => {
    const world = makeWorld(user);
    for (const directory of ["store", "tree"]) Deno.mkdirSync(`${world.G}/${directory}`);
    Deno.writeTextFileSync(`${world.G}/tree/.git`, "gitdir: ../store\n");
    for (const file of ["HEAD", "config"]) {
      Deno.writeTextFileSync(
        `${world.G}/store/${file}`,
        "old",
      );
    }
    giveAll(world);
    const tally = new Tally();
    const tries = [
      "echo new > tree/.git",
      "rm -f tree/.git",
      "mv tree aside",
      "echo new > store/config",
      "mv store aside",
    ];
    await tryAll(world, tries, grantsOf(world, ["mv", "rm"]));
    tally.note("gitfile", Deno.readTextFileSync(`${world.G}/tree/.git`) === "gitdir: ../store\n");
    tally.note("its target", Deno.readTextFileSync(`${world.G}/store/config`) === "old");
    await tally.report(t, 2);
  },
);

const hasGit = works(["git", "--version"], "git, which is not here");

testAs("mounts > L4 git commands and new files still work in a repository", async (_, user) => {
  const world = makeWorld(user);
  const flags = grantsOf(world, ["git", "git-upload-pack", "sh", "touch", "mkdir", "mv", "rm"]);
  const env = {
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b",
  };
  const way = { flags: [...flags, `--allow-env=${Object.keys(env)}`], env };
  const made = await bash(world, "git init -q origin && git init -q . && echo done", way);
  expect(made.text).toBe("done\n");
  const steps = [
    "cd origin && echo x > x && git add x && git commit -qm one",
    "touch newfile && mkdir folder && touch folder/new && mv folder moved && rm -r moved",
    "echo a > a && git add a newfile && git commit -qm first && git status --short",
    "git fetch -q ./origin HEAD && git log -1 --format=%s FETCH_HEAD",
    "git branch other && git checkout -q other && echo b > b && git add b && git commit -qm second",
    "git checkout -q - && git merge -q other && git mv b c && git commit -qm third",
    "git stash list && git tag t && git gc -q && git fsck && git worktree add -q ../G/tree t",
  ];
  for (const step of steps) {
    const { exit, text } = await bash(world, step, way);
    expect([step, exit, /fatal:|error:/.exec(text)?.input]).toEqual([step, 0, undefined]);
  }
  const { text } = await bash(world, "git config user.name x", way);
  expect(text).toContain("could not write config file .git/config");
  expect(text).toContain(`needs --allow-write=${world.G}/.git/config`);
}, () => hasGit);

testInShells(
  "mounts > S11 programs change no metadata of files outside the write grant",
  async (t, user) => {
    const world = makeWorld(user);
    const file = `${world.S}/secret`;
    const run = async (way: CallOptions) =>
      attemptsIn(await bash(world, attackCommand(world, "metadata", { file }), way));
    await t.step("all attacks succeed without the sandbox", async () => {
      const attempts = await run({ flags: attackFlags(world, ["--unconfined-run"]) });
      expect(attempts.filter(({ outcome }) => outcome !== "escaped")).toEqual([]);
    });
    const before = Deno.statSync(file);
    const attempts = await run({ flags: attackFlags(world) });
    const tally = new Tally().add(attempts);
    const flags = grantsOf(world, ["chmod", "touch", "chown", "ln", "cat"]);
    const tries = [
      `chmod 777 ${file}`,
      `touch -d 2001-01-01 ${file}`,
      `chown ${user.uid ?? 0} ${file}`,
      `chmod 777 ${world.S} ${world.root} "$TMPDIR/.."`,
      `ln -s ${file} link; chmod 777 link; touch link`,
      `cd ${world.G}/..; chmod 777 S/secret`,
    ];
    await tryAll(world, tries, flags);
    const after = Deno.statSync(file);
    tally.note("mode", after.mode === before.mode);
    tally.note("times", after.mtime!.getTime() === before.mtime!.getTime());
    tally.note("nothing at all", after.ctime?.getTime() === before.ctime?.getTime());
    await tally.report(t, attempts.length + 3);
    await t.step(
      "programs change metadata inside the write grant, and see the real user and group",
      async () => {
        const more = grantsOf(world, ["chmod", "touch", "stat", "id"]);
        const command = "echo x > own && chmod 751 own && touch -d 2001-01-01T00:00Z own && " +
          "stat -c '%a %u %g %Y' own && id -u && id -g";
        const { text } = await bash(world, command, { flags: more });
        const [uid, gid] = [user.uid ?? Deno.uid(), user.uid ?? Deno.gid()];
        expect(text).toBe(`751 ${uid} ${gid} 978307200\n${uid}\n${gid}\n`);
      },
    );
  },
);

testAs(
  "mounts > exit codes, signals, time limits and stdin work with read-only mounts",
  async (_, user) => {
    const world = makeWorld(user);
    const flags = grantsOf(world, ["sleep", "cat"]);
    expect((await bash(world, "exit 3", { flags })).text).toContain("Exit code 3");
    expect((await bash(world, "kill -9 $$", { flags })).text).toMatch(/SIGKILL|signal/);
    expect((await bash(world, "sleep 600", { flags, timeout: 300 })).exit).toBe(7);
    expect((await bash(world, "cat; echo $PWD", { flags })).text).toBe(`${world.G}\n`);
  },
);

testAs(
  "mounts > calls work where mounts cannot be made, and check and doctor report it",
  async (t, user) => {
    const world = makeWorld(user);
    makeFiles(world);
    const way = withoutMounts(world);
    const protectedFile = `${world.G}/.git/hooks`;
    const call = { name: "Bash", arguments: { command: "true" } };
    const check = async (more: CallOptions) => {
      const [shown] = await start(world, call, { ...more, flags: ["check", ...grantsOf(world)] })
        .messages() as unknown as [
          { sandbox: { kernel: { mounts: Record<string, unknown>; unprotected: string[] } } },
        ];
      return shown.sandbox.kernel;
    };
    await t.step("check lists the read-only files where mounts can be made", async () => {
      const { mounts, unprotected } = await check({});
      expect(mounts).toMatchObject({ available: true, stillWritable: [] });
      expect(mounts["readOnly"]).toContain(protectedFile);
      expect(unprotected).toEqual(["metadata of files: stat"]);
    });
    await t.step(
      "check names each protected file that stays writable where mounts cannot be made",
      async () => {
        const { mounts, unprotected } = await check(way);
        expect(mounts).toMatchObject({ available: false, readOnly: [] });
        expect(mounts["stillWritable"]).toContain(protectedFile);
        expect(mounts["stillWritable"]).toContain(`${world.G}/.bashrc`);
        expect(unprotected[0]).toContain("chmod, utime and extended attributes");
      },
    );
    await t.step("the call still runs in the other sandbox layers", async () => {
      const flags = grantsOf(world, ["chmod", "cat"]);
      const command = `chmod 604 ${world.S}/secret; echo new > .bashrc; cat ${world.S}/secret`;
      const { text } = await bash(world, command, { ...way, flags });
      expect(text).toContain("Permission denied");
      expect(Deno.statSync(`${world.S}/secret`).mode! & 0o777).toBe(0o604);
      expect(Deno.readTextFileSync(`${world.G}/.bashrc`)).toBe("new\n");
    });
    await t.step("doctor reports that mounts cannot be made, and how to change that", async () => {
      const doctor = async (more: CallOptions) => {
        const [said] = await start(world, call, { ...more, flags: ["doctor", "--format=json"] })
          .messages() as unknown as [{ ok: boolean; findings: Record<string, unknown>[] }];
        const found = (name: string) => said.findings.find((each) => each["name"] === name);
        return { ok: said.ok, metadata: found("metadata"), protected: found("protected") };
      };
      const here = await doctor({});
      expect(here).toMatchObject({ ok: true, metadata: { ok: true }, protected: { ok: true } });
      const without = await doctor(way);
      expect(without).toMatchObject({
        ok: true,
        metadata: { ok: false, optional: true },
        protected: { ok: false, optional: true },
      });
      expect(without.metadata!["advice"]).toContain("user.max_user_namespaces");
      expect(without.protected!["detail"]).toContain("toolcall check");
    });
    await t.step("a tool cannot write a protected file there either", async () => {
      const call = {
        name: "Write",
        arguments: { file_path: `${world.G}/.git/config`, content: "x" },
      };
      expect((await callAs(world, call, { ...way, flags: grantsOf(world) })).exit).toBe(6);
    });
  },
  ofOneCall,
);
