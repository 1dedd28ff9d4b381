import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../../support/executable.ts";

/** A directory `sub` with ignored files, inside a repository of this kind or outside of any. */
function tree(kind: "none" | "git" | "worktree" | "jj"): { path: string } & Disposable {
  const directory = temporaryDirectory();
  const sub = `${directory.path}/deep/sub`;
  Deno.mkdirSync(sub, { recursive: true });
  Deno.writeTextFileSync(`${sub}/.gitignore`, "*.log\n");
  Deno.writeTextFileSync(`${sub}/.ignore`, "*.tmp\n");
  for (const name of ["x.log", "x.tmp", "x.txt"]) {
    Deno.writeTextFileSync(`${sub}/${name}`, "word\n");
  }
  if (kind === "git") Deno.mkdirSync(`${directory.path}/.git`);
  if (kind === "jj") Deno.mkdirSync(`${directory.path}/.jj`);
  if (kind === "worktree") Deno.writeTextFileSync(`${directory.path}/.git`, "gitdir: /elsewhere\n");
  return directory;
}

/** Flags that let a call read `sub`, some of them the directories above it too. */
const FLAGS: [name: string, flags: (sub: string) => string[]][] = [
  ["only the working directory", () => ["--allow-read=."]],
  ["the directory by its path", (sub) => [`--allow-read=${sub}`]],
  ["the directory and its parent", (sub) => [`--allow-read=${sub},${sub}/..`]],
  ["all files except .git", (sub) => ["-R", `--deny-read=${sub}/../../.git`]],
  ["all files", () => ["-R"]],
  ["everything", () => ["-A"]],
];

for (const kind of ["none", "git", "worktree", "jj"] as const) {
  Deno.test(`ignore rules > .gitignore applies only inside a repository, whatever may be read: ${kind}`, async (t) => {
    using directory = tree(kind);
    const cwd = `${directory.path}/deep/sub`;
    const expected = kind === "none" ? ["x.log", "x.txt"] : ["x.txt"];
    for (const [name, flags] of FLAGS) {
      await t.step(name, async () => {
        const options = { flags: flags(cwd), cwd };
        const grep = await call("Grep", { pattern: "word" }, options);
        expect([grep.text.split("\n").sort(), grep.isError]).toEqual([expected, false]);
        const search = await call("search", { query: "word" }, options);
        expect(search.text.split("\n")).toEqual(expected.map((path) => `${path}:1:word`));
      });
    }
  });
}
