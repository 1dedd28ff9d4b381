/** Attacks that succeeded in a review and are prevented now; also L1 and L2 of docs/attacks.md. */
import { expect } from "@std/expect";
import { until } from "../../support/wait.ts";
import {
  bash,
  callAs,
  grantsOf,
  isThere,
  makeWorld,
  oddNap,
  ofOneCall,
  processesWith,
  quoted,
  SECRET,
  sleepers,
  startBash,
  Tally,
  testAs,
  type World,
} from "./world.ts";

/** Makes a file of the user in G, with a text and a mode. */
function put(world: World, name: string, { text = SECRET, mode = 0o600 } = {}): string {
  const path = `${world.G}/${name}`;
  Deno.writeTextFileSync(path, text, { mode });
  Deno.chmodSync(path, mode);
  world.own(path);
  return path;
}

/** Makes a directory of the user in G. */
function directory(world: World, name: string): string {
  const path = `${world.G}/${name}`;
  Deno.mkdirSync(path, { recursive: true });
  world.own(path);
  return path;
}

testAs(
  "found > a symlink at a path of the flags grants the next call nothing",
  async (t, user) => {
    const world = makeWorld(user);
    const { G, S } = world;
    const tally = new Tally();
    const rows: [name: string, flags: string[], plant: string, uses: string[]][] = [
      [
        "a program",
        [`--allow-read=${G}`, `--allow-write=${G}/out`, `--allow-run=bash,ln,rm,${G}/out/run.sh`],
        `rm -f out/run.sh; ln -s / out/run.sh`,
        [`read -r x < ${S}/secret; echo $x`],
      ],
      [
        "a directory that does not exist yet",
        [`--allow-read=${G},${G}/out/cache`, `--allow-write=${G}/out`, "--allow-run=bash,ln"],
        `ln -s ${S} out/cache`,
        [`read -r x < ${S}/secret; echo $x`],
      ],
      [
        "a protected directory that is granted",
        [`--allow-read=${G}`, `--allow-write=${G},${G}/.git/hooks`, "--allow-run=bash,mv,ln"],
        `mv .git/hooks .git/h2; ln -s ${S} .git/hooks`,
        [`echo x > ${S}/new; read -r x < ${S}/secret; echo $x`],
      ],
    ];
    for (const [name, flags, plant, uses] of rows) {
      for (const each of ["out", ".git"]) {
        if (isThere(`${G}/${each}`)) Deno.removeSync(`${G}/${each}`, { recursive: true });
      }
      for (const each of ["out", ".git", ".git/hooks"]) directory(world, each);
      put(world, "out/run.sh", { text: "#!/bin/sh\n", mode: 0o755 });
      await bash(world, plant, { flags });
      for (const command of uses) {
        const call = { name: "Bash", arguments: { command } };
        const escaped = await callAs(world, call, { flags }).then(
          ({ text }) => text.includes(SECRET) || isThere(`${S}/new`),
          (error: Error) => !error.message.includes("goes through the symbolic link"),
        );
        tally.note(name, !escaped);
      }
    }
    await tally.report(t, rows.length);
  },
);

testAs(
  "found > a script that a call may write does not choose an interpreter for the next call",
  async (t, user) => {
    const world = makeWorld(user);
    const { G, S } = world;
    const out = directory(world, "out");
    put(world, "out/run.sh", { text: `#!${S}/secret\n`, mode: 0o755 });
    Deno.chmodSync(`${S}/secret`, 0o700);
    const flags = [`--allow-read=${G}`, `--allow-write=${out}`, `--allow-run=bash,${out}/run.sh`];
    const { text } = await bash(world, `read -r x < ${S}/secret; echo "[$x]"`, { flags });
    const tally = new Tally();
    tally.note("the interpreter is read", text.includes("[]"), text);
    await tally.report(t, 1);
  },
);

testAs(
  "found > deny flags restrict programs, also by other names, paths and variables",
  async (t, user) => {
    const world = makeWorld(user);
    const { G } = world;
    const tally = new Tally();
    const io = [`--allow-read=${G}`, `--allow-write=${G}`, "--allow-run=bash,mv,cat,ls"];
    put(world, ".env");
    await bash(world, "mv .env moved; ln .env linked", { flags: [...io, `--deny-read=${G}/.env`] });
    tally.note("moved away", isThere(`${G}/.env`) && !isThere(`${G}/moved`));
    const secret = put(world, "secret");
    Deno.linkSync(secret, `${G}/other`);
    const linked = await bash(world, "cat secret other", {
      flags: [`--allow-read=${G}`, `--deny-read=${secret}`, "--allow-run=bash,cat"],
    });
    tally.note("another name of a file", !linked.text.includes(SECRET), linked.text);
    put(world, "copy", { text: "old" });
    Deno.linkSync(`${G}/copy`, `${G}/copy2`);
    await bash(world, "echo x > copy; echo x > copy2", {
      flags: [...io, `--deny-write=${G}/copy`],
    });
    tally.note("written by another name", Deno.readTextFileSync(`${G}/copy`) === "old");
    const [first, second] = [directory(world, "first"), directory(world, "second")];
    for (const each of [first, second]) {
      Deno.writeTextFileSync(`${each}/tool`, "#!/bin/bash\necho ran\n", { mode: 0o755 });
    }
    const run = await bash(world, `${second}/tool; ${first}/tool; tool`, {
      flags: [`--allow-read=${G}`, "--allow-run", "--deny-run=tool"],
      env: { PATH: `${first}:${second}:${Deno.env.get("PATH")}` },
    });
    tally.note("a program further on in PATH", !run.text.includes("ran\n"), run.text);
    const flags = [...io, "--allow-env=A,B", "--deny-env=B"];
    const env = await bash(world, "echo $A $B", { flags, env: { A: "1", B: "2" } });
    tally.note("a variable", env.text === "1\n", env.text);
    directory(world, "shut/deep");
    put(world, "shut/name");
    const listed = await bash(world, "ls shut; ls -R . ; for f in shut/*; do echo $f; done", {
      flags: [...io, `--deny-read=${G}/shut`],
    });
    tally.note(
      "names in a directory",
      !/deep|name$/m.test(listed.text.replaceAll("shut/*", "")),
      listed.text,
    );
    await tally.report(t, 6);
  },
);

testAs(
  "found > -A with a deny flag opens neither the memory of toolcall nor settings of the kernel",
  async (t, user) => {
    const world = makeWorld(user);
    const flags = ["-A", `--deny-read=${world.S}`];
    const tally = new Tally();
    for (
      const command of [
        "exec 9<>/proc/$PPID/mem",
        "exec 9</proc/$PPID/mem",
        "read -r -d '' x < /proc/$PPID/environ",
        "exec 9>>/proc/sys/kernel/core_pattern",
        "exec 9>>/sys/kernel/mm/ksm/run",
      ]
    ) {
      const { text } = await bash(world, `(${command}) && echo opened`, { flags });
      tally.note(command, !text.includes("opened\n"), text);
    }
    await tally.report(t, 5);
  },
);

testAs(
  "found > no program sets a set-user-id or set-group-id bit, or slows another program",
  async (t, user) => {
    const world = makeWorld(user);
    const { G } = world;
    const flags = grantsOf(world, ["chmod", "cp", "install", "renice", "ionice"]);
    const bystander = new Deno.Command("sleep", { args: [oddNap()] }).spawn();
    if (user.uid !== undefined) bystander.kill("SIGKILL");
    const tally = new Tally();
    put(world, "file", { mode: 0o755 });
    const tries = [
      "chmod 4755 file",
      "chmod u+s file",
      "chmod g+s file",
      "install -m 4755 file suid",
    ];
    for (const command of tries) {
      await bash(world, command, { flags });
      const set = ["file", "suid"].filter((name) => isThere(`${G}/${name}`))
        .some((name) => (Deno.statSync(`${G}/${name}`).mode! & 0o6000) !== 0);
      tally.note(command, !set);
    }
    for (const command of [`renice 19 ${bystander.pid}`, `ionice -c 3 -p ${bystander.pid}`]) {
      tally.note(command, (await bash(world, command, { flags })).exit !== 0);
    }
    if (user.uid === undefined) bystander.kill("SIGKILL");
    await bystander.status;
    await tally.report(t, 6);
    const usual = "chmod 755 file && nice -n 5 true && umask 022 && : > new";
    const more = grantsOf(world, ["chmod", "nice", "true"]);
    expect((await bash(world, usual, { flags: more })).exit).toBe(0);
  },
);

testAs(
  "found > a symlink in the working directory does not change the program that a flag names",
  async (_, user) => {
    const world = makeWorld(user);
    Deno.symlinkSync(`${world.S}/secret`, `${world.G}/bash`);
    const { exit, text } = await bash(world, "echo works", {});
    expect([exit, text]).toEqual([0, "works\n"]);
  },
);

// A sandbox in a sandbox: the outer one refuses the inner call the signal to all processes, and /proc.
testAs(
  "found > a call inside a call works, and all its processes end with the outer call",
  async (_, user) => {
    const world = makeWorld(user);
    const nap = oddNap();
    const { installation, cache, G } = world;
    const inner = quoted(
      JSON.stringify({
        command: `setsid sleep ${nap} >/dev/null 2>&1 & ` +
          `until [ -e ${G}/go ]; do sleep 0.1; done; echo inner`,
      }),
    );
    const flags = "--allow-run=bash,setsid,sleep";
    const command =
      `TOOLCALL_CACHE_DIR=${cache} ${installation.toolcall} ${flags} Bash ${inner}; true`;
    const outer = startBash(world, command, {
      flags: [`--allow-read=${G},${cache},${installation.bin}`, "--allow-run", "--allow-env=HOME"],
    });
    const answer = outer.answer();
    expect(await until(() => sleepers(nap).length > 0)).toBe(true);
    Deno.writeTextFileSync(`${G}/go`, "");
    expect((await answer).text).toContain("inner");
    expect(await until(() => processesWith(`sleep ${nap}`).length === 0)).toBe(true);
  },
);

testAs(
  "found > libraries in the home directory are not readable, in any spelling of HOME",
  async (t, user) => {
    const world = makeWorld(user);
    const home = directory(world, "home");
    for (const name of ["home/bin", "home/lib"]) directory(world, name);
    put(world, "home/lib/secret");
    Deno.symlinkSync("/usr/bin/env", `${home}/bin/env2`);
    Deno.symlinkSync(home, `${world.root}/alias`);
    const tally = new Tally();
    for (const HOME of [home, `${home}/`, `${world.root}/alias`]) {
      for (const run of ["--allow-run=bash,env2", "--allow-run"]) {
        const { text } = await bash(world, `read -r x < ${home}/lib/secret; echo "[$x]"`, {
          flags: [run],
          env: { HOME, PATH: `${home}/bin:/usr/bin:/bin:/` },
          cwd: "/",
        });
        tally.note(`${run} HOME=${HOME}`, text.includes("[]"), text);
      }
    }
    await tally.report(t, 6);
  },
);

testAs("found > an unreadable directory is removed with the private directory", async (_, user) => {
  const world = makeWorld(user);
  const flags = grantsOf(world, ["mkdir", "chmod"]);
  await bash(world, "mkdir -p $TMPDIR/a/b; chmod 000 $TMPDIR/a", { flags });
  expect(await until(() => [...Deno.readDirSync(world.tmp)].length === 0)).toBe(true);
}, ofOneCall);
