/** Attacks C1 to C7 of docs/attacks.md: the programs that a call can start, and their files. */
import { expect } from "@std/expect";
import {
  attackCommand,
  attackFlags,
  attemptsIn,
  bash,
  bashEach,
  callAs,
  grantsOf,
  isThere,
  makeWorld,
  quoted,
  SECRET,
  Tally,
  testAs,
  type World,
} from "./world.ts";

/** Copies a program to a path, and makes the user its owner. */
function copyProgram(world: World, name: string, path: string): void {
  const { stdout } = new Deno.Command("sh", { args: ["-c", `command -v ${name}`] }).outputSync();
  Deno.copyFileSync(Deno.realPathSync(new TextDecoder().decode(stdout).trim()), path);
  Deno.chmodSync(path, 0o755);
  world.own(path);
}

testAs(
  "programs > C1 Bash needs bash itself to be granted, whatever the command",
  async (t, user) => {
    const world = makeWorld(user);
    const commands = ["echo hi", "echo hi; id", "$(id)", "`id`", "echo\nid", "<(id)", "echo >out"];
    const tally = new Tally();
    for (const command of commands) {
      const answer = await bash(world, command, {
        flags: [`--allow-read=${world.G}`, `--allow-write=${world.G}`, "--allow-run=echo,id"],
      });
      const isRefused = answer.exit === 6 && answer.text.includes("--allow-run=bash");
      tally.note(command, isRefused && [...Deno.readDirSync(world.G)].length === 0, answer.text);
    }
    await tally.report(t, commands.length);
  },
);

testAs(
  "programs > C1 bash cannot start a program that is not granted, in any syntax",
  async (t, user) => {
    const world = makeWorld(user);
    const marker = `${world.G}/marker`;
    const programs = `${world.root}/programs`;
    Deno.mkdirSync(programs);
    const [mark, script] = [`${programs}/mark`, `${programs}/script`];
    copyProgram(world, "touch", mark);
    Deno.writeTextFileSync(script, `#!/bin/bash\n: >${marker}\n`, { mode: 0o755 });
    Deno.writeTextFileSync(`${programs}/env-script`, `#!/usr/bin/env bash\n: >${marker}\n`);
    Deno.chmodSync(`${programs}/env-script`, 0o755);
    const run = `${mark} ${marker}`;
    const commands = [
      ...[run, `echo hi; ${run}`, `$(${run})`, `\`${run}\``, `echo hi\n${run}`, `cat <(${run})`],
      ...[`echo hi | ${run}`, `${run} &\nwait`, `(${run})`, `exec ${run}`, `command ${run}`],
      ...[`eval ${quoted(run)}`, `bash -c ${quoted(run)}`, `trap ${quoted(run)} EXIT`],
      ...[`PATH=${programs}; mark ${marker}`, `hash -p ${mark} hi; hi ${marker}`],
      ...[`coproc ${run}; wait`, `cd ${programs} && ./mark ${marker}`, `enable -f ${mark} hi`],
      ...[`BASH_ENV=${script} true`, `${script}`, `${programs}/env-script`, `exec -a bash ${run}`],
      ...[`env ${run}`, `/usr/bin/env ${run}`, `find . -exec ${run} \\;`, `xargs ${run}`],
    ];
    const flags = [
      `--allow-read=${world.G},${programs}`,
      `--allow-write=${world.G}`,
      "--allow-run=bash",
    ];
    // The file that an attack makes has the number of the attack.
    const numbered = commands.map((command, at) => command.replaceAll(marker, `${marker}-${at}`));
    const marked = () => commands.map((_, at) => at).filter((at) => isThere(`${marker}-${at}`));
    await t.step("the first 15 commands start it without the sandbox", async () => {
      await bashEach(world, numbered.slice(0, 15), { flags: [...flags, "--unconfined-run"] });
      expect(marked()).toEqual(Array.from({ length: 15 }, (_, at) => at));
      for (const at of marked()) Deno.removeSync(`${marker}-${at}`);
    });
    const tally = new Tally();
    const texts = await bashEach(world, numbered, { flags });
    for (const [at, command] of commands.entries()) {
      tally.note(command, !marked().includes(at), texts[at]);
    }
    // All scripts make the same file.
    expect(isThere(marker)).toBe(false);
    await t.step("bash and its builtins work", async () => {
      const answer = await bash(
        world,
        "echo hi; echo $(echo $((6 * 7))); echo x >file; cat=$(<file); echo $cat",
        {
          flags,
        },
      );
      expect(answer).toMatchObject({ exit: 0, text: "hi\n42\nx\n" });
    });
    await tally.report(t, commands.length);
  },
);

testAs(
  "programs > C1 a call cannot execute a file that it may write, unless a flag names it",
  async (t, user) => {
    const world = makeWorld(user);
    const marker = `${world.G}/marker`;
    const [binary, script, outside] = [
      `${world.G}/binary`,
      `${world.G}/script`,
      `${world.S}/program`,
    ];
    copyProgram(world, "touch", binary);
    copyProgram(world, "touch", outside);
    Deno.writeTextFileSync(script, `#!/bin/sh\n: >${marker}\n`, { mode: 0o755 });
    Deno.symlinkSync(binary, `${world.root}/link-in`);
    Deno.symlinkSync(outside, `${world.G}/link-out`);
    Deno.linkSync(binary, `${world.G}/hard`);
    Deno.linkSync(outside, `${world.G}/hard-out`);
    world.own(script);
    const attacks: [name: string, command: string][] = [
      ["a binary", `${binary} ${marker}`],
      ["a script", script],
      ["a relative path", `./binary ${marker}`],
      ["PATH", `PATH=. ; binary ${marker}`],
      [
        "a new script",
        `read -rN 1 < binary; while IFS= read -r line; do echo "$line"; done <script >new; ./new`,
      ],
      ["a symlink from outside", `${world.root}/link-in ${marker}`],
      ["a hard link", `./hard ${marker}`],
      ["a hard link to a file outside", `./hard-out ${marker}`],
      ["a copy in TMPDIR", `cp binary $TMPDIR/x && $TMPDIR/x ${marker}`],
      ["a copy in HOME", `cp binary $HOME/x && $HOME/x ${marker}`],
      ["a copy at a name of a program", `cp binary bash; PATH=$PWD:$PATH bash ${marker}`],
    ];
    const linked: [string, string] = ["a symlink to outside", `./link-out ${marker}`];
    const io = [`--allow-read=${world.G}`, `--allow-write=${world.G}`];
    const programs = ["cp", "bash", "sh"];
    const tally = new Tally();
    for (const flag of ["--allow-run", `--allow-run=${programs}`]) {
      // A bare flag lets a call start every program that it may not write.
      const list = flag === "--allow-run" ? attacks : [...attacks, linked];
      const numbered = list.map(([, command], at) => command.replaceAll(marker, `${marker}-${at}`));
      const texts = await bashEach(world, numbered, { flags: [...io, flag] });
      for (const [at, [name]] of list.entries()) {
        const isStarted = isThere(`${marker}-${at}`) ||
          (name.includes("script") && isThere(marker));
        tally.note(`${name} under ${flag}`, !isStarted, texts[at]);
      }
      for (const path of [marker, ...list.map((_, at) => `${marker}-${at}`)]) {
        if (isThere(path)) Deno.removeSync(path);
      }
    }
    await t.step(
      "a flag that names the path, and the interpreter of a script, lets a call execute it",
      async () => {
        for (const [path, args] of [[binary, marker], [script, ""]]) {
          const flags = [...io, `--allow-run=bash,sh,${path}`];
          expect(await bash(world, `${path} ${args}`, { flags })).toMatchObject({ exit: 0 });
          expect(isThere(marker)).toBe(true);
          Deno.removeSync(marker);
        }
      },
    );
    await tally.report(t, 2 * attacks.length + 1);
  },
);

testAs(
  "programs > C1 the loader and bash can run files that are only readable (a known limit)",
  async (t, user) => {
    const loader = "/lib64/ld-linux-x86-64.so.2";
    if (!isThere(loader)) return;
    const world = makeWorld(user);
    copyProgram(world, "touch", `${world.G}/binary`);
    // Landlock restricts executing a file. A program that maps or interprets a file only reads it.
    const answer = await bash(
      world,
      `${loader} ./binary marker && echo ': >by-script' >s && . ./s`,
    );
    expect(answer.exit).toBe(0);
    expect([isThere(`${world.G}/marker`), isThere(`${world.G}/by-script`)]).toEqual([true, true]);
    await t.step("a program that the loader starts is in the same sandbox", async () => {
      const { exit } = await bash(world, `${loader} ./binary ${world.S}/marker`);
      expect([exit, isThere(`${world.S}/marker`)]).toEqual([1, false]);
    });
  },
);

testAs(
  "programs > C3 no variable of the caller's environment changes the programs that run",
  async (t, user) => {
    const world = makeWorld(user);
    const marker = `${world.root}/marker`;
    const { deno, bin } = world.installation;
    const planted = `${world.G}/planted`;
    Deno.writeTextFileSync(planted, `#!/bin/sh\n: >${marker}\nexec /bin/bash "$@"\n`, {
      mode: 0o755,
    });
    const bash_ = `${world.G}/bash`;
    Deno.copyFileSync(planted, bash_);
    world.own(planted, bash_);
    const env = {
      LD_PRELOAD: planted,
      LD_LIBRARY_PATH: world.G,
      LD_AUDIT: planted,
      GIT_SSH_COMMAND: planted,
      GIT_EXEC_PATH: world.G,
      BASH_ENV: planted,
      ENV: planted,
      PROMPT_COMMAND: planted,
      SHELLOPTS: "xtrace",
      BASHOPTS: "extdebug",
      PS4: `$(${planted})`,
      "BASH_FUNC_echo%%": `() { ${planted}; }`,
      NODE_OPTIONS: `--require ${planted}`,
      DENO_DIR: world.G,
      PYTHONSTARTUP: planted,
      PERL5LIB: world.G,
      PERL5OPT: "-d",
      IFS: "x",
      CDPATH: world.S,
      SECRET_TOKEN: "a-secret-token",
      TOOLCALL_ENV_NODE_OPTIONS: "x",
    };
    // The file is not a library. The loader reports that on stderr, which is not part of the result.
    const { LD_PRELOAD, LD_AUDIT, SHELLOPTS, ...rest } = env;
    const tally = new Tally();
    const names = 'env | while IFS= read -r line; do echo "${line%%=*}"; done';
    for (
      const [label, given] of [
        ["the loader's", { LD_PRELOAD }],
        ["the loader's audit", { LD_AUDIT }],
        ["the shell's options", { SHELLOPTS }],
        ["the others", rest],
      ] as const
    ) {
      const flags = grantsOf(world, ["env"]);
      const answer = await bash(world, names, { flags, env: given });
      const here = answer.text.trim().split("\n");
      const expected = ["HOME", "PATH", "TMPDIR", "PWD", "SHLVL", "_", "OLDPWD"];
      for (const name of Object.keys(given)) {
        tally.note(name, answer.exit === 0 && !here.includes(name), answer.text);
      }
      const more = here.filter((name) => !expected.includes(name));
      if (more.length > 0) tally.note(label, false, more.join());
    }
    await tally.report(t, Object.keys(env).length);
    expect(isThere(marker)).toBe(false);
    await t.step("a bash in a directory of PATH that a call may write is ignored", async () => {
      const path = Deno.env.get("PATH") ?? "/usr/bin:/bin";
      const found: string[] = [];
      for (const first of [world.G, ".", "", "./G", `${world.root}/./G`]) {
        const env = { PATH: `${first}:${path}` };
        const { text } = await bash(world, "echo $BASH; echo $PATH", { env });
        found.push(text.split("\n")[0]!);
        if (!first.startsWith("/")) expect(text.split("\n")[1]).toBe(path);
      }
      expect(found.filter((each) => each.startsWith(world.root) || !each.endsWith("/bash")))
        .toEqual(
          [],
        );
      expect(isThere(marker)).toBe(false);
    });
    expect([deno, bin].every(isThere)).toBe(true);
  },
);

testAs(
  "programs > C4 a call starts in the directory of the flags, and no argument changes that",
  async (t, user) => {
    const world = makeWorld(user);
    const tally = new Tally();
    for (const key of ["cwd", "root", "workdir", "working_directory", "path"]) {
      const call = { name: "Bash", arguments: { command: ": >ran", [key]: world.S } };
      const { exit } = await callAs(world, call, { flags: grantsOf(world) });
      tally.note(key, exit === 5 && !isThere(`${world.S}/ran`) && !isThere(`${world.G}/ran`));
    }
    const outside: [name: string, way: { cwd?: string; flags: string[] }][] = [
      ["--root outside", { flags: grantsOf(world, [], [`--root=${world.S}`]) }],
      ["the working directory outside", { cwd: world.S, flags: grantsOf(world) }],
      ["--root=..", { flags: grantsOf(world, [], ["--root=.."]) }],
    ];
    for (const [name, way] of outside) {
      for (const command of ["echo $(<secret)$(<S/secret)", "echo x >ran", "echo *"]) {
        const { text } = await bash(world, command, way);
        const isInside = !text.includes(SECRET) && !/(^|\s)secret(\s|$)/.test(text) &&
          ![world.S, world.root].some((directory) => isThere(`${directory}/ran`));
        tally.note(`${name}: ${command}`, isInside, text);
      }
    }
    await tally.report(t, 5 + 9);
  },
);

const FILE_PROGRAMS =
  "cat,cp,mv,rm,ln,mkdir,rmdir,touch,truncate,mknod,mkfifo,dd,head,tail,tee,find,tar,sed,install,ls";

/** The names, links and contents of the files outside the grant. */
function outsideOf({ S }: World): string {
  return [...Deno.readDirSync(S)].map(({ name, isFile }) => {
    const path = `${S}/${name}`;
    const { nlink } = Deno.lstatSync(path);
    return `${name} ${nlink} ${isFile ? Deno.readTextFileSync(path) : ""}`;
  }).sort().join("\n");
}

testAs(
  "programs > C5 programs cannot read or write outside the grant",
  async (t, user) => {
    const world = makeWorld(user);
    const { G, S } = world;
    Deno.writeTextFileSync(`${G}/mine`, "mine");
    Deno.mkdirSync(`${S}/folder`);
    Deno.symlinkSync(`${S}/secret`, `${G}/link`);
    Deno.symlinkSync(S, `${G}/linkdir`);
    Deno.symlinkSync(`${S}/new`, `${G}/dangling`);
    world.own(`${G}/mine`, `${S}/folder`);
    const before = outsideOf(world);
    const commands = [
      ...["cd .. && cat S/secret", `cat ${S}/secret`, "cat ../S/secret", "cat ./../S/secret"],
      ...["cat link", "cat linkdir/secret", "cat linkdir/../S/secret", "cd linkdir && cat secret"],
      ...[
        `cat <${S}/secret`,
        "echo $(<../S/secret)",
        `. ${S}/secret`,
        `mapfile -t a <${S}/secret; echo $a`,
      ],
      ...[`head -c 99 ${S}/secret`, `dd if=${S}/secret`, `tail ${S}/secret`, `sed p ${S}/secret`],
      ...[
        `cp ${S}/secret got; cat got`,
        `tar cf got.tar ${S}; cat got.tar`,
        `ln ${S}/secret hard; cat hard`,
      ],
      ...[
        `ln -s ${S}/secret soft; cat soft`,
        "ln -s .. up; cat up/S/secret",
        `mv ${S}/secret got; cat got`,
      ],
      ...[`cd ${S}/folder && cat ../secret`, `find ${S} -type f -exec cat {} +`, `ls ${S}`],
      ...[`find ${S}`, `echo ${S}/*`, `ls linkdir/`],
      ...[
        `cat /proc/self/cwd/../S/secret`,
        `cat /proc/self/root${S}/secret`,
        `cat /dev/fd/../cwd/../S/secret`,
      ],
      ...[`echo x >${S}/secret`, `echo x >>${S}/secret`, `echo x >../S/new`, `: >${S}/new`],
      ...["echo x >link", "echo x >>linkdir/secret", "echo x >linkdir/new", "echo x >dangling"],
      ...[
        `mkdir ${S}/d`,
        "mkdir linkdir/d",
        `rmdir ${S}/folder`,
        `rm ${S}/secret`,
        "rm linkdir/secret",
      ],
      ...[`rm -rf ${S}`, `mv mine ${S}/`, `mv mine ${S}/secret`, `mv ${S}/folder .`, `mv ${S} .`],
      ...[`cp mine ${S}/new`, `cp mine ${S}/secret`, `ln mine ${S}/hard`, `ln -s mine ${S}/soft`],
      ...[`touch ${S}/new`, `truncate -s 0 ${S}/secret`, `truncate -s 0 link`, `mknod ${S}/pipe p`],
      ...[
        `mkfifo ${S}/pipe`,
        `tee ${S}/secret <mine`,
        `dd of=${S}/secret if=mine`,
        `sed -i d ${S}/secret`,
      ],
      ...[`install mine ${S}/new`, `mv linkdir/secret .`, `exec 3<>${S}/secret; echo x >&3`],
      ...[
        "mv -T linkdir/folder taken",
        `cp -al ${S} copy`,
        `tar xf /dev/null -C ${S}; tar cf ${S}/t mine`,
      ],
    ];
    const flags = [`--allow-read=${G}`, `--allow-write=${G}`, `--allow-run=bash,${FILE_PROGRAMS}`];
    const clean = `cd ${G}; rm -rf got got.tar hard soft up copy taken`;
    const shows = (text: string) => text.includes(SECRET) || /(^|[\s/])secret$/m.test(text);
    await t.step("some of the commands read and write outside without the sandbox", async () => {
      const reading = [
        "cd .. && cat S/secret",
        "cat link",
        `ls ${S}`,
        `ln -s ${S}/secret soft; cat soft`,
      ];
      for (const command of reading) {
        const answer = await bash(world, command, { flags: [...flags, "--unconfined-run"] });
        expect([command, shows(answer.text)]).toEqual([command, true]);
      }
      for (const command of ["echo x >dangling", `mv mine ${S}/`, "mkdir linkdir/d"]) {
        await bash(world, command, { flags: [...flags, "--unconfined-run"] });
      }
      expect(outsideOf(world)).not.toBe(before);
      for (const name of ["new", "mine", "d"]) Deno.removeSync(`${S}/${name}`);
      Deno.removeSync(`${G}/soft`);
      Deno.writeTextFileSync(`${G}/mine`, "mine");
      world.own(`${G}/mine`);
      expect(outsideOf(world)).toBe(before);
    });
    const tally = new Tally();
    // Few commands run at a time, so that a failure shows which of them made a change.
    for (let at = 0; at < commands.length; at += 8) {
      const some = commands.slice(at, at + 8);
      const texts = await bashEach(world, some.map((each) => `${each}\n${clean}`), { flags });
      const isUntouched = outsideOf(world) === before;
      for (const [at, command] of some.entries()) {
        tally.note(command, isUntouched && !shows(texts[at]!), texts[at]);
      }
    }
    const params = { outside: S, inside: G };
    tally.add(
      attemptsIn(
        await bash(world, attackCommand(world, "files", params), { flags: attackFlags(world) }),
      ),
    );
    tally.note("all attacks together", outsideOf(world) === before);
    expect(Deno.readTextFileSync(`${G}/mine`)).toBe("mine");
    await tally.report(t, commands.length + 20);
  },
);

testAs("programs > C7 names and argument keys never reach a shell", async (t, user) => {
  const world = makeWorld(user);
  const marker = `${world.root}/marker`;
  const { G } = world;
  const touch = `: >${marker}`.replaceAll("/", "${HOME:0:1}");
  const names = [
    ...[`$(${touch})`, `\`${touch}\``, `; ${touch}`, `| ${touch}`, `\n${touch}\n`],
    ...[`"; ${touch}; "`, `'; ${touch}; '`, "$HOME", "~", "*", "-rf", "--pre=x"],
    ...["a'b\"c", "{a,b}", "[x]", "\\"],
  ];
  const tally = new Tally();
  const flags = [`--allow-read=${G}`, `--allow-write=${G}`, "--allow-run"];
  for (const name of names) Deno.writeTextFileSync(`${G}/${name}`, "needle\n");
  const run = (tool: string, args: Record<string, unknown>) =>
    callAs(world, { name: tool, arguments: args }, { flags, env: { HOME: world.root } });
  for (const name of names) {
    const file_path = `${G}/${name}`;
    const [read, grep, pattern, glob, key] = await Promise.all([
      run("Read", { file_path }),
      run("Grep", { pattern: "needle", path: file_path }),
      run("Grep", { pattern: name, path: G }),
      run("Glob", { pattern: name, path: G }),
      run("Read", { file_path, [name]: name }),
    ]);
    const isLiteral = read.text.includes("needle") && grep.exit === 0 && key.exit === 5 &&
      [pattern, glob].every(({ exit }) => [0, 1, 5].includes(exit));
    const exits = [read, grep, pattern, glob, key].map(({ exit }) => exit);
    tally.note(JSON.stringify(name), isLiteral && !isThere(marker), exits.join());
  }
  expect((await run("Glob", { pattern: "*", path: G })).exit).toBe(0);
  // Only the command of a call reaches a shell.
  await bash(world, touch, { flags: [...flags, "--unconfined-run"], env: { HOME: world.root } });
  expect(isThere(marker)).toBe(true);
  await tally.report(t, names.length);
});

testAs(
  "programs > C2 a pattern, a glob or a file name is never read as an option",
  async (t, user) => {
    const world = makeWorld(user);
    const { G } = world;
    const marker = `${G}/marker`;
    Deno.writeTextFileSync(`${G}/x`, `#!/bin/sh\n: >${marker}\ncat "$1"\n`, { mode: 0o755 });
    for (const name of ["-rf", "--pre=x", "-e"]) {
      Deno.writeTextFileSync(
        `${G}/${name}`,
        "line -e\n",
      );
    }
    world.own(`${G}/x`);
    const tally = new Tally();
    const words = [
      "--pre=./x",
      "-e",
      "-rf",
      "--files",
      "--pre",
      "-f/etc/passwd",
      "--hostname-bin=./x",
    ];
    for (const word of words) {
      for (const flags of [[`--allow-read=${G}`], ["-A"]]) {
        for (const args of [{ pattern: word }, { pattern: "line", glob: word }]) {
          const call = { name: "Grep", arguments: { ...args, path: G, output_mode: "content" } };
          const { text } = await callAs(world, call, { flags });
          const isPlain = !isThere(marker) && !text.includes("root:");
          tally.note(`${word} under ${flags}`, isPlain, text);
        }
      }
    }
    await tally.report(t, words.length * 4);
    const call = {
      name: "Grep",
      arguments: { pattern: "-e", path: `${G}/-rf`, output_mode: "content" },
    };
    expect((await callAs(world, call, { flags: [`--allow-read=${G}`] })).text).toContain("line -e");
  },
);

testAs("programs > C6 a call with the name of no tool fails", async (t, user) => {
  const world = makeWorld(user);
  const tally = new Tally();
  const names = [
    "../x",
    "a;id",
    "__proto__",
    "constructor",
    "toString",
    "x".repeat(10_000),
    "$(id)",
  ];
  for (const name of names) {
    const { exit, text } = await callAs(world, { name, arguments: {} }, { flags: ["-A"] });
    tally.note(name.slice(0, 20), exit === 4 && !text.includes("uid="), text);
  }
  await tally.report(t, names.length);
});
