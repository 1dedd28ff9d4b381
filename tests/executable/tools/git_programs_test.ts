/**
 * The ways in which a repository can name a program, combined with the actions of the tool. The tool
 * starts none of these programs, plain git starts each of them.
 */
// tier: machine
import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../support/executable.ts";
import { type Args, isThere, repository, said, shell } from "./git_repository.ts";

/** A way to name the program `$X`. */
interface Way {
  name: string;
  /** The script that makes the repository hostile. It runs there, with the variable `$X`. */
  spoil: string;
  /** The command by which plain git starts the program. */
  control: string;
  /** The working directory of the calls, relative to the repository. */
  cwd?: string;
  /** An action before the others. */
  first?: Args;
}

const add = "touch a; git add .";
/** Writes the attributes of a filter, and prints its configuration. */
const filter = `echo '* filter=x' > .git/info/attributes
  printf '[filter "x"]\\n\\tclean = %s\\n\\tsmudge = %s\\n' $X $X`;
/** Makes a repository with a filter in the directory `sub`. */
const sub = `git init -q sub; cd sub; git config user.name A; git config user.email a@b
  echo x > f; git add .; git commit -qm x
  echo '* filter=x' > .git/info/attributes; git config filter.x.clean $X; cd ..`;
const module = (ignore: string) =>
  `printf '[submodule "m"]\\n\\tpath = sub\\n\\turl = ./sub\\n\\tignore = ${ignore}\\n' > .gitmodules`;

const ways: Way[] = [
  {
    name: "a configuration of 3 MB, a filter in its middle",
    spoil: `${filter} > filter
      filler() { awk -v p=$1 'BEGIN { for (i = 0; i < 11000; i++)
        printf "[x \\"%s%090d\\"]\\n\\tk = 1\\n", p, i }'; }
      { filler a; cat filter; filler b; } >> .git/config; rm filter`,
    control: add,
  },
  {
    name: "a filter with an empty name",
    spoil:
      `echo '* filter=' > .gitattributes; printf '[filter ""]\\nclean = %s\\n' $X >> .git/config`,
    control: add,
  },
  {
    name: "a diff driver with an empty name, textconv",
    spoil:
      `echo '* diff=' > .gitattributes; printf '[diff ""]\\ntextconv = %s\\n' $X >> .git/config`,
    control: "echo y >> a; git diff",
  },
  {
    name: "a diff driver with an empty name, command",
    spoil:
      `echo '* diff=' > .gitattributes; printf '[diff ""]\\ncommand = %s\\n' $X >> .git/config`,
    control: "echo y >> a; git diff",
  },
  {
    name: "a filter whose name is not UTF-8",
    spoil: `printf '* filter=\\377' > .git/info/attributes
      printf '[filter "\\377"]\\nclean = %s\\n' $X >> .git/config`,
    control: add,
  },
  {
    name: "a filter with = in its name",
    spoil: `echo '* filter=a=b' > .git/info/attributes
      printf '[filter "a=b"]\\nclean = %s\\n' $X >> .git/config`,
    control: add,
  },
  {
    name: "a filter in mixed case",
    spoil: `echo '* filter=X' > .git/info/attributes
      printf '[FILTER "X"]\\nCLEAN = %s\\n[fIlTeR.X]\\nsmudge = %s\\n' $X $X >> .git/config`,
    control: add,
  },
  {
    name: "a filter as a process",
    spoil: `echo '* filter=x' > .git/info/attributes; git config filter.x.process $X`,
    control: `${add} || true`,
  },
  { name: "an include", spoil: `${filter} > c; git config include.path ../c`, control: add },
  {
    name: "an include in an include",
    spoil: `${filter} > c; printf '[include]\\npath = c\\n' > d; git config include.path ../d`,
    control: add,
  },
  {
    name: "includeIf gitdir",
    spoil: `${filter} > c; git config 'includeIf.gitdir:**.path' ../c`,
    control: add,
  },
  {
    name: "includeIf onbranch",
    spoil: `${filter} > c; git config includeIf.onbranch:evil.path ../c; git branch evil`,
    control: `git checkout -q evil; ${add}`,
  },
  {
    name: "includeIf hasconfig",
    spoil: `${filter} > c; git config remote.o.url https://x.example/
      git config 'includeIf.hasconfig:remote.*.url:https://x.example/.path' ../c`,
    control: add,
  },
  {
    name: "the configuration of a worktree",
    spoil: `${filter} > .git/config.worktree; git config extensions.worktreeConfig true`,
    control: add,
  },
  {
    name: "a gitfile",
    spoil: `${filter} >> .git/config; mkdir tools; mv .git tools/g; echo 'gitdir: tools/g' > .git`,
    control: "touch a; git add a",
  },
  {
    name: "a commondir",
    spoil:
      `${filter} >> .git/config; mkdir tools; cp -r .git tools/g; echo ../tools/g > .git/commondir
      sed -i /filter/,\\$d .git/config`,
    control: "touch a; git add a",
  },
  {
    name: "a linked worktree",
    spoil: `${filter} >> .git/config; git worktree add -q w; cd w`,
    control: "cd w; touch a; git add .",
    cwd: "w",
  },
  {
    name: "core.worktree above the repository, with another repository beside it",
    spoil: `${sub}; mkdir r; mv .git r/.git; git -C r config core.worktree ../..
      git -C r config submodule.m.ignore none; ${module("none")}; cd r; git add ../sub 2> /dev/null
      git commit -qam s`,
    control: "cd r; touch ../sub/f; git status",
    cwd: "r",
  },
  {
    name: "a nested repository that .gitmodules does not ignore",
    spoil: `${sub}; ${module("none")}; git add sub .gitmodules 2> /dev/null; git commit -qm s`,
    control: "touch sub/f; git add .",
  },
  {
    name: "a nested repository whose name is not UTF-8",
    spoil: `${sub}; printf 'm\\377' > n; mv sub "$(cat n)"; git config diff.ignoreSubmodules none
      git add m* 2> /dev/null; git commit -qm s`,
    control: "touch m*/f; git status",
  },
  {
    name: "a repository nested two levels deep, with its files in another directory",
    spoil: `${sub}; git init -q mid; cd mid; git config user.name A; git config user.email a@b
      mv ../sub sub; git add sub 2> /dev/null; git commit -qm s; mkdir ../else; mv sub ../else/sub
      git config core.worktree ../../else; git config submodule.m.ignore none
      git config diff.ignoreSubmodules none; cd ..; git add mid 2> /dev/null; ${module("none")}
      sed -i s/sub$/mid/ .gitmodules; git add .gitmodules; git commit -qm s`,
    control: "touch else/sub/f; git -C mid status",
  },
  {
    name: "a branch that brings a submodule",
    spoil: `${sub}; git checkout -q -b evil; ${module("none")}; git add sub .gitmodules 2> /dev/null
      git commit -qm s; git checkout -q main 2> /dev/null`,
    control: "touch sub/f; git checkout evil",
    // Adding all files would put the submodule into the index, where the tool would find it.
    first: { action: "checkout", name: "evil" },
  },
  {
    name: "the file system monitor",
    spoil: "git config core.fsmonitor $X",
    control: "git status",
  },
  {
    name: "hooks in a directory of the repository",
    spoil: `mkdir hooks; for hook in pre-commit commit-msg prepare-commit-msg post-commit \\
      post-checkout post-index-change reference-transaction
      do cp $X hooks/$hook; done; git config core.hooksPath hooks`,
    control: "git checkout -q -b y",
  },
  {
    name: "hooks in .git/hooks",
    spoil: `mkdir -p .git/hooks; for hook in pre-commit commit-msg prepare-commit-msg post-commit \\
      post-checkout post-index-change reference-transaction
      do cp $X .git/hooks/$hook; done`,
    control: "git checkout -q -b y",
  },
  {
    name: "an external diff",
    spoil: "git config diff.external $X",
    control: "echo y >> a; git diff",
  },
  {
    name: "attributes of a file that the configuration names",
    spoil: `echo '* filter=x' > attributes; git config core.attributesFile attributes
      git config filter.x.clean $X`,
    control: add,
  },
  {
    name: "a merge driver",
    spoil: `git config merge.x.driver $X; echo '* merge=x' > .git/info/attributes
      git config rerere.enabled true; git branch other HEAD~1
      git checkout -q other; echo z > a; git commit -qam z; git checkout -q main`,
    control: "git merge other || true",
  },
  {
    name: "a signing program",
    spoil: "git config commit.gpgSign true; git config gpg.program $X",
    control: "git commit --allow-empty -qm x || true",
  },
  {
    name: "a signing program of a format",
    spoil: `git config commit.gpgSign true; git config gpg.format x509
      git config gpg.x509.program $X`,
    control: "git commit --allow-empty -qm x || true",
  },
  {
    name: "a program that returns the key",
    spoil: `git config commit.gpgSign true; git config gpg.format ssh
      git config gpg.ssh.defaultKeyCommand $X`,
    control: "git commit --allow-empty -qm x || true",
  },
  {
    name: "a pager",
    spoil: "git config core.pager $X; git config pager.log $X",
    control: "script -qec 'git log' /dev/null > /dev/null",
  },
  {
    name: "an editor",
    spoil: "git config core.editor $X; git config sequence.editor $X",
    control: "git commit --allow-empty || true",
  },
  {
    name: "a credential helper",
    spoil: "git config credential.helper $X; git config credential.https://x.example.helper $X",
    control: "printf 'protocol=https\\nhost=x.example\\n\\n' | git credential fill || true",
  },
  {
    name: "an alias",
    spoil: 'for each in st add diff; do git config alias.$each "!$X"; done',
    control: "git st",
  },
  {
    name: "the upload-pack program",
    spoil: `git config remote.o.url .; git config remote.o.uploadpack $X
      git config branch.main.remote o; git config branch.main.merge refs/heads/main`,
    control: "git fetch o || true",
  },
  {
    name: "an ssh command for a promised object",
    spoil: `git config core.sshCommand $X; git config remote.o.url ssh://x.example/y
      git config extensions.partialClone o; git config remote.o.promisor true
      rm -f ".git/objects/$(git rev-parse HEAD:a | sed 's|..|&/|')"`,
    control: "git show HEAD:a || true",
  },
  {
    name: "the update of a submodule",
    spoil: `${sub}; ${module("all")}; git add sub .gitmodules 2> /dev/null; git commit -qm s
      git config submodule.m.url ./sub; git config submodule.m.update "!$X"; git config submodule.m.active true
      (cd sub; echo y > f; rm .git/info/attributes; git commit -qam y)`,
    control: "git -c protocol.file.allow=always submodule update || true",
  },
  {
    name: "a trailer",
    spoil: 'git config trailer.x.key X; git config trailer.x.command "$X"',
    control: "echo x | git interpret-trailers --trailer x=1",
  },
];

const actions: Args[] = [
  { action: "status" },
  { action: "diff" },
  { action: "diff", revision: "HEAD~1" },
  { action: "log", stat: true },
  { action: "show" },
  { action: "show", revision: "HEAD:a" },
  { action: "blame", paths: ["a"] },
  { action: "add", paths: ["a"] },
  { action: "add", paths: ["."] },
  { action: "commit", message: "m", all: true },
  { action: "checkout", name: "evil" },
  { action: "add", paths: ["."] },
  { action: "checkout", name: "main" },
  { action: "checkout", paths: ["a"] },
  { action: "commit", message: "m" },
  { action: "checkout", name: "n", create: true },
  { action: "branch" },
];

/** A repository that names a program outside of it, which writes a mark file. */
function hostile({ spoil }: Way) {
  const directory = repository();
  const outside = temporaryDirectory();
  const [mark, program] = [`${outside.path}/mark`, `${outside.path}/evil`];
  Deno.writeTextFileSync(program, `#!/bin/sh\n: > ${mark}\ntimeout 1 cat\n`, { mode: 0o755 });
  const given = `exec < /dev/null; X=${program}`;
  const run = (script: string) => shell(directory.path, `${given}; ${script}`);
  run(`echo more >> a; git commit -qam Third`);
  run(`{ ${spoil}\n} > ${outside.path}/log 2>&1; rm -f ${mark}`);
  return {
    ...{ path: directory.path, mark, run },
    [Symbol.dispose]() {
      directory[Symbol.dispose]();
      outside[Symbol.dispose]();
    },
  };
}

const touch = "find . -name .git -prune -o -type f -exec touch -d '2001-01-01' {} +";

for (const way of ways) {
  Deno.test(`git programs > no action starts a program through ${way.name}`, async () => {
    {
      using spoilt = hostile(way);
      spoilt.run(`(${way.control}) > /dev/null 2>&1 < /dev/null`);
      expect([way.name, "plain git", isThere(spoilt.mark)]).toEqual([way.name, "plain git", true]);
    }
    using spoilt = hostile(way);
    const cwd = `${spoilt.path}/${way.cwd ?? ""}`.replace(/\/$/, "");
    for (const args of [...(way.first ? [way.first] : []), ...actions]) {
      spoilt.run(touch);
      const text = await said(cwd, args);
      expect({ args, text, ran: isThere(spoilt.mark) }).toEqual({ args, text, ran: false });
    }
  });
}

Deno.test("git programs > L7 the executable starts no such program, under -A and under scoped flags", async () => {
  const chosen = ["3 MB", "an empty name", "above the repository", "brings a submodule"];
  for (const way of ways.filter(({ name }) => chosen.some((each) => name.includes(each)))) {
    using spoilt = hostile(way);
    const cwd = `${spoilt.path}/${way.cwd ?? ""}`.replace(/\/$/, "");
    const outside = spoilt.mark.replace("/mark", "");
    const programs = `git,sh,timeout,cat,${outside}/evil`;
    const grants = [
      `--allow-read=${spoilt.path},${outside}`,
      `--allow-write=${spoilt.path},${outside}`,
    ];
    for (const flags of [["-A"], [...grants, `--allow-run=${programs}`]]) {
      for (const args of [...(way.first ? [way.first] : []), ...actions]) {
        if (!["diff", "add", "checkout"].includes(args.action)) continue;
        spoilt.run(touch);
        const { text } = await call("git", { ...args }, { flags, cwd });
        expect({ way: way.name, flags, args, text, ran: isThere(spoilt.mark) })
          .toEqual({ way: way.name, flags, args, text, ran: false });
      }
    }
  }
});

Deno.test("git programs > a program of the user's own configuration is started", async () => {
  using directory = repository();
  using home = temporaryDirectory();
  const { path } = directory;
  Deno.writeTextFileSync(
    `${home.path}/.gitconfig`,
    '[filter "up"]\n\tclean = tr a-z A-Z\n\tsmudge = tr A-Z a-z\n',
  );
  shell(path, "echo '*.up filter=up' > .gitattributes; echo words > x.up");
  const env = { HOME: home.path };
  const added = await call("git", { action: "add", paths: ["."] }, {
    flags: ["-A"],
    cwd: path,
    env,
  });
  expect([added.exit, added.text]).toEqual([0, "add '.gitattributes'\nadd 'x.up'"]);
  expect(shell(path, "git show :x.up")).toBe("WORDS\n");
});
