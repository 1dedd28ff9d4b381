/** Git on real repositories, friendly and hostile, by the executable and by the tool's own code. */
import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../support/executable.ts";
import { type Args, isThere, repository, said, shell } from "./git_repository.ts";
import { submitCalls } from "./submitted_calls.ts";

async function expectSaid(cwd: string, args: Args, expected: RegExp): Promise<void> {
  const text = await said(cwd, args);
  expect({ args, text, fits: expected.test(text) }).toEqual({ args, text, fits: true });
}

Deno.test("git > each action does its work", async () => {
  using directory = repository();
  const { path } = directory;
  Deno.writeTextFileSync(`${path}/b`, "changed\n");
  Deno.writeTextFileSync(`${path}/new`, "n\n");
  const rows: [args: Args, expected: RegExp][] = [
    [{ action: "status" }, /^## main\n M b\n\?\? new$/],
    [{ action: "status", paths: ["new"] }, /^## main\n\?\? new$/],
    [{ action: "diff" }, /^diff --git a\/b b\/b\n[^]*\n-two\n\+changed$/],
    [{ action: "diff", staged: true }, /^No differences$/],
    [{ action: "diff", stat: true }, /^ b \| 2 \+-\n/],
    [{ action: "diff", revision: "HEAD~1..HEAD" }, /\+more$/],
    [{ action: "diff", revision: "HEAD~1...", paths: ["b"] }, /^No differences$/],
    [{ action: "log" }, /^commit \w{40} \(HEAD -> main\)\n[^]*Second[^]*First$/],
    [{ action: "log", limit: 1 }, /Second\s+\[Limited to 1 commit[^]*skip 1\]$/],
    [{ action: "log", skip: 1, paths: ["c d"] }, /^No commits$/],
    [{ action: "show" }, /Second[^]*\+more$/],
    [{ action: "show", revision: "HEAD~1:a" }, /^one$/],
    [{ action: "blame", paths: ["a"], start_line: 2 }, /^\w{8} \(A +[\d-]+ 2\) more$/],
    [{ action: "add", paths: ["."] }, /^add 'b'\nadd 'new'$/],
    [{ action: "add", paths: ["."] }, /^Nothing new to stage$/],
    [{ action: "commit", message: "# Not a comment\n\n-m x" }, /\] # Not a comment\n/],
    [{ action: "commit", message: "Empty" }, /^git commit failed with exit code 1\n[^]*clean/],
    [{ action: "branch", name: "topic", create: true, revision: "HEAD~1" }, /^Done$/],
    [{ action: "branch" }, /^\* main +\w+ # Not a comment\n {2}topic \w+ Second$/],
    [{ action: "checkout", name: "topic" }, /^Switched to branch 'topic'$/],
    [{ action: "checkout", name: "other", create: true, revision: "main" }, /new branch 'other'/],
    [{ action: "checkout", revision: "main" }, /^HEAD is now at/],
    [{ action: "checkout", revision: "HEAD~2", paths: ["a"] }, /^Done$/],
    [{ action: "checkout", name: "missing" }, /no such branch; use create to create it/],
    [{ action: "branch", name: "topic", delete: true }, /^Deleted branch topic/],
  ];
  for (const [args, expected] of rows) await expectSaid(path, args, expected);
  expect(shell(path, "git log -1 --format=%B main")).toBe("# Not a comment\n\n-m x\n\n");
  expect(Deno.readTextFileSync(`${path}/a`)).toBe("one\n");
});

Deno.test("git > no setting of a repository makes git read and print another file", async () => {
  using directory = repository();
  const { path } = directory;
  const secret = `${path}/../secret-${crypto.randomUUID()}`;
  Deno.writeTextFileSync(secret, "first line of a secret\n");
  const settings = ["blame.ignoreRevsFile", "mailmap.file", "diff.orderFile"];
  for (const name of settings) shell(path, `git config ${name} ${secret}`);
  const rows: Args[] = [
    { action: "blame", paths: ["a"] },
    { action: "log" },
    { action: "show" },
    { action: "diff", revision: "HEAD~1..HEAD" },
    { action: "status" },
  ];
  for (const args of rows) {
    const text = await said(path, args);
    expect({ args, isTold: /secret|fatal|error/.test(text), text }).toEqual(
      { args, isTold: false, text },
    );
  }
  Deno.removeSync(secret);
});

Deno.test("git > no argument is used as an option, and no path as a pattern", async () => {
  using directory = repository();
  const { path } = directory;
  const mark = `${path}/mark`;
  const options = [`--output=${mark}`, "-c", "--"];
  for (const option of options) {
    const rows: [args: Args, expected: RegExp][] = [
      [{ action: "diff", revision: option }, /the revision .*, an option$/],
      [{ action: "log", revision: option }, /the revision .*, an option$/],
      [{ action: "show", revision: option }, /the revision .*, an option$/],
      [{ action: "blame", revision: option, paths: ["a"] }, /the revision .*, an option$/],
      [{ action: "checkout", revision: option }, /the revision .*, an option$/],
      [{ action: "branch", name: "x", create: true, revision: option }, /, an option$/],
      [{ action: "branch", name: option, create: true }, /the name .*, an option$/],
      [{ action: "branch", name: option, delete: true }, /the name .*, an option$/],
      [{ action: "checkout", name: option }, /the name .*, an option$/],
      [{ action: "log", revision: `HEAD..${option}` }, /has no such revision$/],
      [{ action: "diff", paths: [option] }, /^No differences$/],
      [{ action: "status", paths: [option] }, /^## main$/],
      [{ action: "blame", paths: [option] }, /no such path|is outside|Is a directory|fatal/],
      [{ action: "add", paths: [option] }, /did not match any files/],
      [{ action: "checkout", paths: [option] }, /did not match any file/],
      [{ action: "commit", message: option, paths: [option] }, /did not match any file/],
    ];
    for (const [args, expected] of rows) {
      await expectSaid(path, args, expected);
    }
  }
  // Files whose names look like options or patterns are files.
  for (const name of ["-rf", "--all", "*", ":(top)x", ":!a", "$(touch mark)", "q'\"\n"]) {
    Deno.writeTextFileSync(`${path}/${name}`, "x\n");
    expect(await said(path, { action: "add", paths: [name] })).not.toMatch(/failed|Nothing/);
    const message = `-m${name}`;
    expect(await said(path, { action: "commit", message, paths: [name] })).toMatch(
      /1 file changed/,
    );
    expect(shell(path, "git log -1 --format=%B").trim()).toBe(message.trim());
    expect(shell(path, "git show --format= --name-only -z").replace("\0", "")).toBe(name);
  }
  const more: [args: Args, expected: RegExp][] = [
    [{ action: "diff", paths: ["/etc/passwd", "/etc/group"] }, /outside of the repository$/],
    [{ action: "diff", paths: ["../x", "a"] }, /outside of the repository$/],
    [{ action: "branch", name: "@{-1}", create: true }, /git does not accept such a name$/],
    [{ action: "branch", name: "a b", create: true }, /git does not accept such a name$/],
    [{ action: "diff", paths: ["a\0b"] }, /NUL character/],
    [{ action: "log", message: "x" }, /the action log takes no message; it takes paths,/],
    [{ action: "blame" }, /needs one path/],
    [{ action: "commit", message: " \n" }, /needs a message/],
    [{ action: "show", revision: "HEAD~1..HEAD" }, /no such revision, and show takes no range$/],
  ];
  for (const [args, expected] of more) await expectSaid(path, args, expected);
  expect([...Deno.readDirSync(path)].some(({ name }) => name === "mark")).toBe(false);
});

Deno.test("git > a hostile configuration of a nested repository starts no program, at any depth", async () => {
  using directory = repository();
  using outside = temporaryDirectory();
  const { path } = directory;
  const mark = `${outside.path}/mark`;
  const evil = `${outside.path}/evil`;
  Deno.writeTextFileSync(evil, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
  shell(
    path,
    `for at in . a1 a1/a2; do
      mkdir -p $at; cd $at; git init -q; git config user.name A; git config user.email a@b
      git config submodule.a1.ignore none; git config submodule.a2.ignore none; cd ${path}
    done
    for at in a1/a2 a1 .; do
      (cd $at; echo x > f; git add . 2> /dev/null; git commit -qm x
      [ $at = . ] || { echo '* filter=x' > .git/info/attributes; git config filter.x.clean ${evil}; })
    done`,
  );
  const spoil = `touch a1/f a1/a2/f; rm -f ${mark}`;
  shell(path, `${spoil}; git status`);
  expect(isThere(mark)).toBe(true);
  const all: Args[] = [
    { action: "status" },
    { action: "diff" },
    { action: "diff", revision: "HEAD~1" },
    { action: "add", paths: ["."] },
    { action: "commit", message: "x", all: true },
    { action: "commit", message: "x" },
    { action: "checkout", name: "n", create: true },
    { action: "checkout", name: "main" },
    { action: "checkout", paths: ["."] },
  ];
  for (const args of all) {
    shell(path, spoil);
    const text = await said(path, args);
    expect([args, isThere(mark), text]).toEqual([args, false, text]);
  }
});

Deno.test("git > a file that needs a filter is refused, not stored unfiltered", async () => {
  using directory = repository();
  const { path } = directory;
  shell(path, "echo '* filter=x' > .gitattributes; git config filter.x.clean 'tr a-z A-Z'");
  const text = await said(path, { action: "add", paths: ["."] });
  expect(text).toMatch(/clean filter 'x' failed[^]*configuration names it: "filter\.x\.clean"/);
  expect(shell(path, "git diff --cached --name-only")).toBe("");
  shell(path, "git config 'filter.a=b.clean' evil");
  expect(await said(path, { action: "status" })).toMatch(/names programs in a way/);
});

Deno.test("git > a work tree in another directory is not changed", async () => {
  using directory = repository();
  using other = temporaryDirectory();
  shell(directory.path, `git config core.worktree ${other.path}`);
  const text = await said(directory.path, { action: "checkout", paths: ["a"] });
  expect(text).toMatch(/not around the working directory$/);
  expect([...Deno.readDirSync(other.path)]).toEqual([]);
});

Deno.test("git > C3 variables of the caller and a planted git program do not change the started program", async () => {
  using directory = repository();
  using outside = temporaryDirectory();
  const { path: cwd } = directory;
  const marker = `${outside.path}/marker`;
  const planted = `${cwd}/git`;
  Deno.writeTextFileSync(planted, `#!/bin/sh\n: >${marker}\n`, { mode: 0o755 });
  const names = [
    ...["GIT_SSH_COMMAND", "GIT_SSH", "GIT_ASKPASS", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"],
    ...["GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_PROXY_COMMAND", "EDITOR", "VISUAL", "PAGER"],
    ...["BASH_ENV", "ENV", "LD_LIBRARY_PATH", "GIT_TEMPLATE_DIR", "GIT_DIR", "GIT_WORK_TREE"],
    ...["GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL"],
    ...["GIT_CONFIG_SYSTEM", "GIT_CONFIG", "GIT_TRACE", "GIT_TRACE2", "GIT_NAMESPACE"],
  ];
  const configured = [
    "core.fsmonitor",
    "core.pager",
    "diff.external",
    "core.hooksPath",
    "gpg.program",
  ];
  const environments: Record<string, string>[] = [
    Object.fromEntries(names.map((name) => [name, planted])),
    { LD_PRELOAD: planted },
    { NODE_OPTIONS: `--require ${planted}` },
    {
      GIT_CONFIG_COUNT: String(configured.length),
      ...Object.fromEntries(configured.flatMap((key, at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, planted],
      ])),
    },
    { GIT_CONFIG_PARAMETERS: `'core.pager'='${planted}' 'diff.external'='${planted}'` },
    ...[cwd, ".", ""].map((first) => ({ PATH: `${first}:${Deno.env.get("PATH")}` })),
  ];
  const flags = [`--allow-read=${cwd}`, `--allow-write=${cwd}`, "--allow-run=git"];
  const calls = [
    { action: "status" },
    { action: "log" },
    { action: "diff", revision: "HEAD~1" },
    { action: "commit", message: "more", all: true },
  ];
  const failed: string[] = [];
  for (const env of environments) {
    Deno.writeTextFileSync(`${cwd}/a`, `${Math.random()}\n`);
    const results = await submitCalls(
      calls.map((args) => ({ name: "git", arguments: args })),
      { flags, cwd, env, jobs: 1 },
    );
    for (const [at, { isError, text }] of results.entries()) {
      if (!isError && !isThere(marker)) continue;
      failed.push(`${JSON.stringify(env)} ${calls[at]!.action}: ${text}`);
    }
  }
  expect(failed).toEqual([]);
});

Deno.test("git > the executable checks flags, shortens a long output, and reads nothing above its directory", async () => {
  using directory = repository();
  const { path: cwd } = directory;
  const env = { GIT_SSH_COMMAND: "false", GIT_DIR: `${cwd}/missing`, GIT_EXTERNAL_DIFF: "false" };
  const read = [`--allow-read=${cwd}`, "--allow-run=git"];
  const ok = await call("git", { action: "log" }, { flags: read, cwd, env });
  expect(ok.isError).toBe(false);
  expect(ok.text).toContain("Second");
  const refused = await call("git", { action: "add", paths: ["a"] }, { flags: read, cwd });
  expect(refused.exit).toBe(6);
  expect(refused.text).toContain("--allow-write=");
  const noRead = await call("git", { action: "log" }, { flags: ["--allow-run=git"], cwd });
  expect(noRead.exit).toBe(6);
  expect(noRead.text).toContain("--allow-read=");
  Deno.mkdirSync(`${cwd}/sub`);
  const below = await call("git", { action: "log" }, {
    flags: [`--allow-read=${cwd}/sub`, "--allow-run=git"],
    cwd: `${cwd}/sub`,
  });
  expect(below.exit).toBe(1);
  expect(below.text).toContain("the flags let git read nothing above the working directory");
  const wrong = await call("git", { action: "log", revision: "-x" }, { flags: ["-A"], cwd });
  expect(wrong.exit).toBe(5);
  Deno.writeTextFileSync(`${cwd}/b`, "line\n".repeat(20_000));
  const write = [...read, `--allow-write=${cwd}`];
  const long = await call("git", { action: "diff" }, { flags: write, cwd });
  expect(long.text.length).toBeLessThan(31_000);
  const kept = /the whole output, \d+ bytes, is in "([^"]+)"/.exec(long.text)?.[1] ?? "";
  expect(Deno.readTextFileSync(kept).match(/^\+line$/gm)?.length).toBe(20_000);
  Deno.removeSync(kept.replace("/output.txt", ""), { recursive: true });
  const commit = await call("git", { action: "commit", message: "m", all: true }, {
    flags: write,
    cwd,
  });
  expect(commit.isError).toBe(false);
  expect(commit.text).toContain("[main ");
});

Deno.test("git > a time limit that passes before git answers is reported", async () => {
  using directory = repository();
  const config = `${directory.path}/limits.json`;
  Deno.writeTextFileSync(config, '{"policy":{"git":{"timeoutMs":200}}}');
  // Nobody writes to the pipe, so git waits for the names of the branches.
  new Deno.Command("mkfifo", { args: [`${directory.path}/.git/packed-refs`] }).outputSync();
  const late = await call("git", { action: "log" }, {
    flags: [`--config=${config}`, `--root=${directory.path}`, "-R", "--allow-run=git"],
  });
  // The limit may also pass before git has started.
  expect(late.exit).toBe(7);
  expect(late.text).toMatch(
    /^(git log was stopped before its end|Cannot finish "git" within 200 ms)$/,
  );
});
