// deno-lint-ignore-file no-console
/** Usual commands of developers, under flags with limited permissions. */
import { expect } from "@std/expect";
import { bash, isThere, makeWorld, testAs, type User } from "./world.ts";

/** Only the directories of the system, because other users cannot use programs in the home directory. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** A command, the programs that it starts and that must be installed, and its output. */
const rows: [command: string, programs: string[], expected: RegExp][] = [
  ["git status --short", ["git"], /^\?\? a\.c\n\?\? b\.c\n/],
  [
    "git add -A && git -c user.name=a -c user.email=a@b commit -q -m first && git log --format=%s",
    ["git"],
    /^first\n$/,
  ],
  ["git diff --stat HEAD; git branch --show-current; git stash list", ["git"], /^ma(in|ster)\n$/],
  ['node -e "console.log(6 * 7)"', ["node"], /^42\n$/],
  ['python3 -c "import json, ssl, socket; print(json.dumps([6 * 7]))"', ["python3"], /^\[42\]\n$/],
  ["npm --version", ["npm", "node"], /^\d+\.\d+\.\d+\n$/],
  ['perl -e "print 6 * 7"', ["perl"], /^42$/],
  ["make -s && ls prog", ["make", "gcc", "cc", "as", "ld", "sh", "ls"], /^prog\n$/],
  ["seq 5 | xargs -n 2 echo | tail -n 1", ["seq", "xargs", "echo", "tail"], /^5\n$/],
  ["cat <<X | tr a-z A-Z\nhello $((6 * 7))\nX", ["cat", "tr"], /^HELLO 42\n$/],
  [
    "t=$(mktemp) && echo temporary > $t && cat $t && rm $t",
    ["mktemp", "cat", "rm"],
    /^temporary\n$/,
  ],
  ["diff <(echo a) <(echo b); echo $?", ["diff"], /1\n$/],
  ["echo out; echo err >&2; (exit 3) || echo $?", [], /^out\nerr\n3\n$/],
  ["for f in *.c; do wc -l < $f; done", ["wc"], /^2\n1\n$/],
  [
    "grep -rn main . --include=*.c | sed s/:.*// | sort -u",
    ["grep", "sed", "sort"],
    /^\.\/a\.c\n$/,
  ],
  [
    "tar cf x.tar a.c && tar tf x.tar && gzip x.tar && ls x.tar.gz",
    ["tar", "gzip", "ls"],
    /^a\.c\nx\.tar\.gz\n$/,
  ],
  ["timeout 600 true && echo in time", ["timeout", "true"], /^in time\n$/],
  ["cat a.c >x & wait $! && echo waited; kill -0 $$ && echo mine", ["cat"], /^waited\nmine\n$/],
];

function project(user: User) {
  const world = makeWorld(user);
  const { G } = world;
  const contents = {
    "a.c": "int f(void);\nint main(void) { return f(); }\n",
    "b.c": "int f(void) { return 42; }\n",
    "Makefile": "prog: a.o b.o\n\tcc -o $@ $^\n",
  };
  for (const [name, text] of Object.entries(contents)) Deno.writeTextFileSync(`${G}/${name}`, text);
  Deno.writeTextFileSync(`${G}/.gitignore`, "*.o\nprog\nMakefile\n.gitignore\n");
  world.own(G, ...["a.c", "b.c", "Makefile", ".gitignore"].map((name) => `${G}/${name}`));
  return world;
}

function isInstalled(program: string): boolean {
  return PATH.split(":").some((directory) => isThere(`${directory}/${program}`));
}

testAs(
  "working day > usual commands work with their programs allowed, and with all programs allowed",
  async (t, user) => {
    for (const named of [true, false]) {
      const world = project(user);
      await bash(world, "git init -q .", { flags: ["-A"], env: { PATH } });
      for (const [command, programs, expected] of rows) {
        const missing = programs.filter((program) => !isInstalled(program));
        const title = `${named ? "--allow-run=…" : "--allow-run"}: ${command.split("\n")[0]}`;
        if (missing.length > 0) {
          console.log(`skipped: ${title}: ${missing.join(", ")} is not installed`);
          continue;
        }
        await t.step(title, async () => {
          const run = named ? `--allow-run=${["bash", ...programs].join(",")}` : "--allow-run";
          const flags = [`--allow-read=${world.G}`, `--allow-write=${world.G}`, run];
          const result = await bash(world, command, { flags, env: { PATH } });
          expect(result.text).toMatch(expected);
          expect(result.exit).toBe(0);
        });
      }
    }
  },
);

testAs(
  "working day > a program that was built runs when a flag names its path",
  async (_, user) => {
    if (!isInstalled("gcc") || !isInstalled("make")) {
      return console.log("skipped: gcc and make are not installed");
    }
    const world = project(user);
    const base = [`--allow-read=${world.G}`, `--allow-write=${world.G}`];
    const tools = "bash,make,gcc,cc,as,ld,sh";
    const refused = await bash(world, "make -s && ./prog; echo $?", {
      flags: [...base, `--allow-run=${tools}`],
      env: { PATH },
    });
    expect(refused.text).toContain("126\n");
    const note = refused.content.map(({ text }) => text).join("\n");
    expect(note).toContain(`needs --allow-run=${world.G}/prog`);
    const granted = await bash(world, "./prog; echo $?", {
      flags: [...base, `--allow-run=${tools},${world.G}/prog`],
      env: { PATH },
    });
    expect(granted.text).toBe("42\n");
  },
);

testAs(
  "working day > a toolchain in the home directory works when the flags name its directories",
  async (t, user) => {
    const cargo = `${Deno.env.get("HOME")}/.cargo`;
    const rustup = `${Deno.env.get("HOME")}/.rustup`;
    if (!isThere(`${cargo}/bin/cargo`) || !isThere(rustup) || user.uid !== undefined) {
      return console.log(`skipped: no cargo in the home directory of ${user.name}`);
    }
    const world = project(user);
    await t.step("cargo --version", async () => {
      const flags = [
        `--allow-read=${world.G},${cargo},${rustup}`,
        `--allow-run=bash,cargo,${rustup}/toolchains`,
        "--allow-env=HOME",
      ];
      const env = { PATH: `${cargo}/bin:${PATH}`, HOME: Deno.env.get("HOME")! };
      const result = await bash(world, "cargo --version", { flags, env });
      expect(result.text).toMatch(/^cargo \d+/);
    });
  },
);
