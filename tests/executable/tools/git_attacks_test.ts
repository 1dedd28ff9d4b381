/** Hostile settings of a repository, of which none starts a program. */
// tier: machine
import { expect } from "@std/expect";
import { temporaryDirectory } from "../../support/temporary_directory.ts";
import { type Args, isThere, repository, said, shell } from "./git_repository.ts";

/** Settings that make git start `$X`, which writes a file, and a command that proves it. */
const hostile: [settings: string, command: string][] = [
  ['core.fsmonitor "$X"', "git status"],
  ["core.hooksPath hooks", "git commit -qam x"],
  ["core.hooksPath hooks", "git checkout -q -b x"],
  ['core.editor "$X"', "git commit -a || true"],
  ['diff.external "$X"', "git diff"],
  ['diff.x.command "$X"', "git diff"],
  ['diff.x.textconv "$X"', "git diff"],
  ['diff.x.textconv "$X"', "git blame a"],
  ['filter.x.clean "$X"', "git add ."],
  ['filter.x.smudge "$X"', "rm a; git checkout -- a"],
  ['filter.x.process "$X"', "git add . || true"],
  ['gpg.program "$X"; git config commit.gpgSign true', "git commit -qam x || true"],
  ['gpg.program "$X"; git config log.showSignature true', "git log"],
  ['gpg.program "$X"; git config format.pretty %G?', "git show"],
  [
    "extensions.partialClone evil; git config remote.evil.promisor true; " +
    'git config protocol.ext.allow always; git config remote.evil.url "ext::$X"; ' +
    'rm -f ".git/objects/$(git rev-parse HEAD:a | sed "s|..|&/|")"',
    "git show HEAD:a || true",
  ],
];

/** A repository, a program outside of it that writes a mark file, and settings that start it. */
function hostileRepository(rows: readonly (readonly [settings: string, command: string])[]) {
  const directory = repository();
  const outside = temporaryDirectory();
  const [mark, program] = [`${outside.path}/mark`, `${outside.path}/evil`];
  const run = (script: string) => shell(directory.path, `X=${program}; ${script}`);
  Deno.writeTextFileSync(program, `#!/bin/sh\ntouch ${mark}\nexit 1\n`, { mode: 0o755 });
  // The last commit has a signature, so that git verifies it.
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n";
  const signed = shell(directory.path, "git cat-file commit HEAD").replace(
    "\n\n",
    `\n${signature}`,
  );
  Deno.writeTextFileSync(`${outside.path}/commit`, signed);
  run(`git update-ref HEAD $(git hash-object -t commit -w ${outside.path}/commit)
    echo '* filter=x diff=x' > .git/info/attributes; mkdir hooks
    for hook in pre-commit commit-msg post-commit post-checkout post-index-change
    do cp $X hooks/$hook; done; echo x >> a`);
  for (const [settings] of rows) run(`git config ${settings}`);
  return {
    path: directory.path,
    mark,
    run,
    [Symbol.dispose]() {
      directory[Symbol.dispose]();
      outside[Symbol.dispose]();
    },
  };
}

Deno.test("git > a hostile configuration of the repository starts no program", async () => {
  for (const row of hostile) {
    using spoilt = hostileRepository([row]);
    spoilt.run(`{ ${row[1]}; } > /dev/null 2>&1 || true`);
    expect([row, isThere(spoilt.mark)]).toEqual([row, true]);
  }
  const all: Args[] = [
    { action: "status" },
    { action: "diff" },
    { action: "log", stat: true },
    { action: "show" },
    { action: "show", revision: "HEAD:a" },
    { action: "blame", paths: ["a"] },
    { action: "add", paths: ["."] },
    { action: "checkout", paths: ["a"] },
    { action: "commit", message: "m", all: true },
    { action: "checkout", name: "n", create: true },
  ];
  const filters = hostile.filter(([settings]) => settings.startsWith("filter"));
  const signing = hostile.filter(([settings]) => settings.startsWith("gpg"));
  const lazy = hostile.filter(([settings]) => settings.startsWith("extensions"));
  const others = hostile.filter((row) => ![...filters, ...signing, ...lazy].includes(row));
  // Each group is separate, because a call that is refused for one would not reach the others.
  for (const rows of [filters, signing, lazy, others]) {
    using spoilt = hostileRepository(rows);
    for (const args of all) {
      const text = await said(spoilt.path, args);
      expect({ args, ran: isThere(spoilt.mark), text }).toEqual({ args, ran: false, text });
    }
  }
});
