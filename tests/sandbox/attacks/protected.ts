/** Attacks P13, P16 and L4 of docs/attacks.md: protected files, and temporary paths. */
import { expect } from "@std/expect";
import { dirname } from "@std/path/posix/dirname";
import { until } from "../../support/wait.ts";
import {
  bash,
  callAs,
  grantsOf,
  isThere,
  makeWorld,
  ofOneCall,
  start,
  Tally,
  testAs,
  type World,
} from "./world.ts";

/** Files below a granted directory that other programs run or read as configuration. */
// deno-fmt-ignore
export const files = [
  ".git", ".git/config", ".git/config.worktree", ".git/commondir", ".git/HEAD", ".git/index",
  ".git/hooks/pre-commit", ".git/hooks/new/deep", ".git/info/attributes", ".git/info/exclude",
  ".git/modules/s/config", ".git/modules/s/hooks/post-checkout", ".git/worktrees/w/config.worktree",
  ".git/objects/info/alternates", "sub/.git", "sub/.git/hooks/post-checkout", "sub/.git/config",
  ".gitconfig", ".gitmodules", ".config/git/config", ".husky/pre-commit", ".hg/hgrc", ".jj/repo/config.toml",
  ".bashrc", ".bashrc.d/x", ".bash_profile", ".bash_logout", ".bash_aliases", ".profile", ".kshrc", ".cshrc",
  ".tcshrc", ".zshrc", ".zshenv", ".zlogin", ".inputrc", ".config/fish/config.fish",
  ".config/powershell/profile.ps1", ".envrc", ".direnvrc", ".tmux.conf", ".screenrc",
  ".xprofile", ".xinitrc", ".pam_environment", ".config/systemd/user/x.service",
  ".config/autostart/x.desktop", ".config/environment.d/x.conf", ".local/bin/x",
  ".local/share/applications/x.desktop", "Library/LaunchAgents/x.plist",
  ".ssh/authorized_keys", ".gnupg/gpg.conf", ".netrc", ".docker/config.json", ".kube/config",
  ".vscode/tasks.json", ".vscode/settings.json", ".idea/workspace.xml", ".run/x.run.xml",
  ".vimrc", ".vim/plugin/x.vim", ".config/nvim/init.lua", ".emacs.d/init.el", ".gdbinit", ".lldbinit",
  ".devcontainer/devcontainer.json", "my.code-workspace",
  ".mcp.json", "toolcall.json", "deep/er/toolcall.json", ".claude/settings.json", ".claude.json",
  ".cursor/mcp.json", ".codex/config.toml", ".gemini/settings.json",
  ".npmrc", ".yarnrc", ".yarnrc.yml", ".cargo/config.toml", ".cargo/config", ".pypirc",
  ".local/lib/python3/site-packages/usercustomize.py", ".dir-locals-2.el", ".subversion/config",
  ".config/jj/config.toml", ".local/share/bash-completion/completions/ls", ".p10k.zsh", ".rustup/x",
  ".config/openbox/autostart", ".local/share/nvim/site/plugin/x.lua", ".pre-commit-config.yaml",
];

/** Makes calls through one MCP server as the user. Returns the text and error code of each. */
async function callAll(
  world: World,
  calls: { name: string; input: Record<string, unknown> }[],
  flags: string[],
): Promise<{ text: string; code?: string }[]> {
  const clientInfo = { name: "test", version: "1" };
  const begin = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const requests = [
    { jsonrpc: "2.0", id: 0, method: "initialize", params: begin },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    ...calls.map(({ name, input }, at) => ({
      jsonrpc: "2.0",
      id: at + 1,
      method: "tools/call",
      params: { name, arguments: input },
    })),
  ];
  const messages = await start(world, requests, { flags: ["mcp", ...flags] }).messages();
  return calls.map((_, at) => {
    const { content, _meta } = messages.find(({ id }) => id === at + 1)!.result!;
    const error = _meta?.["toolcall/error"];
    return { text: content[0]?.text ?? "", ...(error && { code: error.code }) };
  });
}

/** For each tool that changes files, its arguments for changing a file. */
const WRITERS: readonly [name: string, input: (path: string) => Record<string, unknown>][] = [
  ["Write", (path) => ({ file_path: path, content: "{}" })],
  ["file", (path) => ({ action: "write", path, content: "{}" })],
  ["fs.write", (path) => ({ path: path.slice(path.indexOf("/G/") + 3), content: "{}" })],
  ["apply_patch", (path) => ({
    patch: `*** Begin Patch\n*** Add File: ${path}\n+{}\n*** End Patch\n`,
  })],
  ["Edit", (path) => ({ file_path: path, old_string: "{", new_string: "[" })],
  ["code_edit", (path) => ({ action: "replace", path, old_string: "{", new_string: "[" })],
];

testAs(
  "sandbox > P13 L4 a grant of a directory does not let tools write protected files in it",
  async (t, user) => {
    const tally = new Tally();
    let tried = 0;
    for (const [name, input] of WRITERS) {
      for (const grant of ["the directory", "everything"]) {
        const world = makeWorld(user);
        const flags = grant === "everything" ? ["--allow-read", "--allow-write"] : grantsOf(world);
        const isEdit = name === "Edit" || name === "code_edit";
        const paths = files.map((file) => `${world.G}/${file}`)
          // A file and a directory cannot have the same name.
          .filter((path) => !isEdit || !/\/(\.git|sub\/\.git)$/.test(path));
        for (const path of isEdit ? paths : []) {
          Deno.mkdirSync(dirname(path), { recursive: true });
          Deno.writeTextFileSync(path, "{}");
        }
        const results = await callAll(
          world,
          paths.map((path) => ({ name, input: input(path) })),
          flags,
        );
        for (const [at, { text, code }] of results.entries()) {
          const path = paths[at]!;
          const isUnchanged = isEdit ? Deno.readTextFileSync(path) === "{}" : !isThere(path);
          const isNamed = text.includes(`needs --allow-write=${path}`);
          tally.note(
            `${name} ${path}`,
            code === "permission_denied" && isUnchanged && isNamed,
            text,
          );
          tried++;
        }
      }
    }
    await tally.report(t, tried);
  },
);

testAs(
  "sandbox > P13 L4 a grant that names a protected file opens only that file",
  async (_, user) => {
    for (const [name, input] of WRITERS) {
      const world = makeWorld(user);
      // A file and a directory cannot have the same name.
      const paths = files.filter((file) => !/^(sub\/)?\.git$/.test(file)).map((file) =>
        `${world.G}/${file}`
      );
      for (const path of name === "Edit" || name === "code_edit" ? paths : []) {
        Deno.mkdirSync(dirname(path), { recursive: true });
        Deno.writeTextFileSync(path, "{}");
      }
      new Deno.Command("chown", { args: ["-R", `${user.uid ?? Deno.uid()}`, world.G] })
        .outputSync();
      // The calls of this test would read toolcall.json as their own configuration.
      const named = paths.filter((path) => path !== `${world.G}/toolcall.json`);
      const flags = [...grantsOf(world), `-W=${named.join(",")}`];
      const results = await callAll(
        world,
        named.map((path) => ({ name, input: input(path) })),
        flags,
      );
      const refused = results.flatMap(({ text, code }) => code === undefined ? [] : [text]);
      expect([name, refused]).toEqual([name, []]);
      const others = [".git/hooks/other", ".vscode/other", ".config/git/other"].map((file) =>
        `${world.G}/${file}`
      );
      const denied = await callAll(
        world,
        others.map((path) => ({ name: "Write", input: { file_path: path, content: "x" } })),
        flags,
      );
      expect(denied.map(({ code }) => code)).toEqual(others.map(() => "permission_denied"));
    }
  },
);

testAs(
  "sandbox > L4 a directory that git accepts as a repository is protected under any name",
  async (t, user) => {
    const tally = new Tally();
    const world = makeWorld(user);
    const write = (file: string) => ({
      name: "Write",
      input: { file_path: `${world.G}/${file}`, content: "x" },
    });
    const made = ["HEAD", "objects/.keep", "refs/heads/.keep", "config"];
    // In any order, the last file that would make the directory a repository is refused.
    for (const [at, last] of made.slice(0, 3).entries()) {
      const first = made.filter((file) => file !== last).map((file) => `tools/${at}/${file}`);
      const before = await callAll(world, first.map(write), grantsOf(world));
      expect(before.map(({ code }) => code)).toEqual([undefined, undefined, undefined]);
      const [result] = await callAll(world, [write(`tools/${at}/${last}`)], grantsOf(world));
      tally.note(`${last} last`, result!.code === "permission_denied", result!.text);
    }
    for (const name of ["HEAD", "objects", "refs"]) {
      const path = `${world.G}/bare/${name}`;
      Deno.mkdirSync(dirname(path), { recursive: true });
      if (name === "HEAD") Deno.writeTextFileSync(path, "ref: refs/heads/main\n");
      else Deno.mkdirSync(path);
    }
    const rows = [
      "config",
      "HEAD",
      "hooks/post-receive",
      "commondir",
      "info/attributes",
      "modules/s/config",
    ];
    const results = await callAll(
      world,
      rows.map((name) => write(`bare/${name}`)),
      grantsOf(world),
    );
    for (const [at, { text, code }] of results.entries()) {
      tally.note(
        rows[at]!,
        code === "permission_denied" && !isThere(`${world.G}/bare/${rows[at]}x`),
        text,
      );
    }
    await tally.report(t, 3 + rows.length);
    const free = ["config", "src/hooks/use.ts", "src/config", "refs/notes", "info/readme"];
    const allowed = await callAll(world, free.map(write), grantsOf(world));
    expect(allowed.map(({ code }) => code)).toEqual(free.map(() => undefined));
  },
);

testAs(
  "sandbox > P13 symlinks and other spellings stay protected, and -A lifts the protection",
  async (_, user) => {
    const world = makeWorld(user);
    Deno.mkdirSync(`${world.G}/.git`);
    Deno.symlinkSync(".git/config", `${world.G}/link`);
    Deno.symlinkSync(".git", `${world.G}/linked`);
    world.own(`${world.G}/.git`);
    const flags = grantsOf(world);
    const write = (path: string) => ({
      name: "Write",
      arguments: { file_path: `${world.G}/${path}`, content: "x" },
    });
    const refused = ["link", "linked/x", "./.git/../.git/config", ".GIT/config", ".git//config"];
    for (const path of [...refused, ".g\u200cit/config", ".vſcode/tasks.json"]) {
      expect([path, (await callAs(world, write(path), { flags })).exit]).toEqual([path, 6]);
    }
    for (
      const name of [
        "config",
        "hooks/x",
        "my.bashrc",
        ".bashrc.txt",
        ".github/x",
        "git/x",
        ".gitignore",
      ]
    ) {
      expect([name, (await callAs(world, write(name), { flags })).exit]).toEqual([name, 0]);
    }
    expect((await callAs(world, write(".git/config"), { flags: ["-A"] })).exit).toBe(0);
  },
);

testAs("sandbox > --deny-write inside a write grant restricts programs", async (t, user) => {
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

testAs(
  "sandbox > P16 temporary paths are new and private, and are removed afterwards",
  async (_, user) => {
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
    // The keepers of both calls remove everything before they end.
    expect(await until(() => [...Deno.readDirSync(world.tmp)].length === 0)).toBe(true);
  },
  ofOneCall,
);

testAs("sandbox > a call works with a home directory that cannot be read", async (_, user) => {
  const world = makeWorld(user);
  Deno.mkdirSync(`${world.root}/closed`, { mode: 0o700 });
  const env = { HOME: `${world.root}/closed/home` };
  const { exit, text } = await bash(world, "echo $HOME $TMPDIR", { env });
  expect(exit).toBe(0);
  expect(text.split(/\s/)[0]).toBe(text.split(/\s/)[1]);
});
