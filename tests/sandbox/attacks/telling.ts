// deno-lint-ignore-file no-console
/** How the sandbox is reported: in refusals, by check, with limits, and with bubblewrap. */
import { expect } from "@std/expect";
import { oneLine, toolcall } from "../../support/executable.ts";
import { bash, callAs, grantsOf, isThere, makeWorld, ofOneCall, SECRET, testAs } from "./world.ts";

testAs(
  "telling > a refusal names the path and the flag that would allow it",
  async (t, user) => {
    const world = makeWorld(user);
    const { G, S } = world;
    Deno.writeTextFileSync(`${G}/run.sh`, "#!/usr/bin/env bash\n", { mode: 0o755 });
    world.own(`${G}/run.sh`);
    const more = ["cat", "mkdir", "python3", "touch", "git"];
    const rows: [command: string, text: string, refused: Record<string, unknown>][] = [
      [`cat ${S}/secret`, `read "${S}/secret": needs --allow-read=${S}/secret`, {
        name: "read",
        path: `${S}/secret`,
        flag: `--allow-read=${S}/secret`,
      }],
      [`read -r x < ${S}/secret`, `needs --allow-read=${S}/secret`, { name: "read" }],
      ["cat /proc/1/environ", 'read "/proc/1/environ": needs --allow-all', {}],
      [`cat ../S/secret`, `needs --allow-read=${S}/secret`, { name: "read" }],
      [`mkdir ${S}/new`, `write "${S}/new": needs --allow-write=${S}/new`, { name: "write" }],
      [`touch '${S}/with space'`, `write "${S}/with space": needs --allow-write=`, {
        name: "write",
      }],
      ["wc -l x", "needs --allow-run=", { name: "run" }],
      ["./run.sh", `given by its path: needs --allow-run=${G}/run.sh`, {
        name: "run",
        command: `${G}/run.sh`,
      }],
      ["exec 3<>/dev/tcp/127.0.0.1/9", "programs have no network access: needs --allow-net", {}],
    ];
    for (const [command, text, refused] of rows) {
      await t.step(command.replaceAll(world.root, ""), async () => {
        const result = await bash(world, command, { flags: grantsOf(world, more) });
        expect(result.exit).toBe(1);
        expect(result.text).toContain(
          "If the sandbox denied these, the following would allow them:\n- ",
        );
        expect(result.text).toContain(text);
        const all = result._meta?.["toolcall/error"]["perhapsRefused"] as Record<string, unknown>[];
        const isExpected = (each: Record<string, unknown>) =>
          Object.entries(refused).every(([key, value]) => each[key] === value);
        expect(all.some(isExpected)).toBe(true);
        expect(result.text).not.toContain(SECRET);
      });
    }
    await t.step(
      "a command that succeeds after a refusal has the note in a second block",
      async () => {
        const result = await bash(world, `cat ${S}/secret || echo on`, {
          flags: grantsOf(world, more),
        });
        expect(result).toMatchObject({ exit: 0, isError: false });
        expect(result.content[1]!.text).toContain(`needs --allow-read=${S}/secret`);
      },
    );
    await t.step("output that only looks like a refusal gets no note", async () => {
      const flags = [`--allow-read=${world.root}`, ...grantsOf(world, more)];
      for (
        const line of [`cat: ${G}/run.txt: Permission denied`, "Permission denied (publickey)"]
      ) {
        const result = await bash(world, `echo '${line}'`, { flags });
        expect(result.content).toEqual([{ type: "text", text: `${line}\n` }]);
      }
    });
    await t.step("a refusal says that a granted path does not exist", async () => {
      const flags = [`--allow-write=${G}/later`, "--allow-run=bash,mkdir"];
      const result = await bash(world, "mkdir later", { flags });
      expect(result.text).toContain(`"${G}/later", which a flag grants, does not exist`);
    });
    await t.step("a refusal names a deny flag, and a program that is not granted", async () => {
      const denied = await bash(world, "exec 3<>/dev/tcp/127.0.0.1/9", {
        flags: ["-A", "--deny-net"],
      });
      expect(denied.text).toContain("programs have no network access: --deny-net forbids it");
      for (const name of ["prog", "prog2"]) {
        Deno.writeTextFileSync(`${G}/${name}`, "#!/bin/bash\n", { mode: 0o755 });
        world.own(`${G}/${name}`);
      }
      const flags = [`--allow-write=${G}`, `--allow-run=bash,${G}/prog`];
      const other = await bash(world, "./prog && ./prog2", { flags });
      expect(other.text).toContain(`needs --allow-run=${G}/prog2`);
    });
    await t.step("a refusal explains that programs need a port without a host", async () => {
      const flags = grantsOf(world, [], ["--allow-net=127.0.0.1:9"]);
      const result = await bash(world, "exec 3<>/dev/tcp/127.0.0.1/9", { flags });
      expect(result.text).toContain("cannot enforce --allow-net=127.0.0.1:9 for programs");
      expect(result.text).toContain("--allow-net=:PORT");
    });
  },
);

testAs("telling > check shows what each sandbox layer will allow", async (t, user) => {
  const world = makeWorld(user);
  const check = async (name: string, args: Record<string, unknown>, flags: string[]) =>
    oneLine(
      await toolcall(["check", name, JSON.stringify(args), ...flags], { cwd: world.G }),
    ) as { granted: boolean; sandbox: Record<string, unknown> };
  await t.step("Bash", async () => {
    const { granted, sandbox } = await check("Bash", { command: "x" }, [
      ...grantsOf(world),
      "--allow-net=:443,example.com",
      "--limit=memory=1G",
    ]);
    expect(granted).toBe(true);
    expect(sandbox).toMatchObject({
      runtime: "may start programs and nothing else",
      kernel: {
        files: { write: [world.G, "$TMPDIR"] },
        network: { access: "TCP to port 443" },
        limits: { files: 4096, memory: 2 ** 30 },
      },
    });
    const { files, network } = sandbox["kernel"] as {
      files: Record<string, string[]>;
      network: { note: string };
    };
    expect(files["read"]).toContain(world.G);
    expect(files["execute"]).toEqual([Deno.realPathSync("/bin/bash")]);
    expect(network.note).toContain("example.com");
  });
  await t.step("check shows only the directory that the call writes in", async () => {
    const flags = [`-R=${world.G}`, `-W=${world.G}`];
    const edit = { old_string: "a", new_string: "b" };
    const rows: [name: string, args: Record<string, unknown>, write: string[]][] = [
      ["Write", { file_path: `${world.G}/x`, content: "" }, [world.G]],
      ["Write", { file_path: `${world.G}/new/deep/x`, content: "" }, [`${world.G}/new/deep`]],
      ["Edit", { file_path: `${world.G}/x`, ...edit }, [world.G]],
      ["Edit", { file_path: `${world.G}/new/x`, ...edit }, []],
      ["Write", { file_path: world.G, content: "" }, []],
    ];
    for (const [name, args, write] of rows) {
      const { sandbox } = await check(name, args, flags);
      expect(sandbox).toMatchObject({ runtime: { write: true }, kernel: { files: { write } } });
    }
    expect([...Deno.readDirSync(world.G)]).toEqual([]);
  });
  await t.step(
    "check shows the sandbox of Read, and that -A and --unconfined-run open it",
    async () => {
      const read = await check("Read", { file_path: `${world.G}/x` }, [`-R=${world.G}`]);
      expect(read.sandbox["runtime"]).toMatchObject({ write: [], net: [], run: false });
      const open = { runtime: "open", kernel: "open" };
      expect((await check("Bash", { command: "x" }, ["-A"])).sandbox).toEqual(open);
      const flags = [...grantsOf(world), "--unconfined-run"];
      expect((await check("Bash", { command: "x" }, flags)).sandbox).toEqual(open);
    },
  );
});

testAs("telling > --limit restricts the resources of a program", async (t, user) => {
  const world = makeWorld(user);
  const rows: [limit: string, command: string, expected: RegExp][] = [
    ["files=64", "ulimit -n", /^64$/m],
    ["file-size=1M", "head -c 2000000 /dev/zero > big; wc -c < big", /^1048576$/m],
    ["memory=200M", "ulimit -v; node -e 0 || echo too little", /^204800\n[^]*too little/],
    ["processes=300,files=100", "ulimit -u; ulimit -n", /^300\n100$/m],
  ];
  for (const [limit, command, expected] of rows) {
    await t.step(limit, async () => {
      const flags = grantsOf(world, ["head", "wc", "node"], [`--limit=${limit}`]);
      expect((await bash(world, command, { flags })).text).toMatch(expected);
    });
  }
  await t.step("several --limit flags are combined", async () => {
    const flags = grantsOf(world, [], ["--limit=memory=1G", "--limit=files=100"]);
    expect((await bash(world, "ulimit -v; ulimit -n", { flags })).text).toBe("1048576\n100\n");
  });
  await t.step("invalid limits are usage errors", async () => {
    for (
      const limit of ["", "memory", "memory=-1", "memory=1T", "files=1", "cpu=1", "files=0x99"]
    ) {
      const run = await toolcall([`--limit=${limit}`, "--allow-run=bash", "Bash", "{}"]);
      expect(run.code).toBe(2);
      expect(run.stdout).toBe("");
    }
    for (const flags of [["-A"], ["--allow-run", "--unconfined-run"]]) {
      const run = await toolcall([...flags, "--limit=files=99", "Bash", "{}"]);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain("--limit needs the Linux sandbox");
    }
  });
});

function bubblewrapFails(): string | undefined {
  try {
    const { success, stderr } = new Deno.Command("bwrap", {
      args: ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "true"],
    }).outputSync();
    return success ? undefined : new TextDecoder().decode(stderr);
  } catch (error) {
    return (error as Error).message;
  }
}

const obstacle = bubblewrapFails();
if (obstacle !== undefined) console.log(`skipped: bubblewrap does not work here: ${obstacle}`);

testAs("telling > --wall=bwrap keeps the rest of the disk read-only", async (t, user) => {
  const world = makeWorld(user);
  const { G, S } = world;
  Deno.writeTextFileSync(`${G}/.bashrc`, "old\n");
  Deno.writeTextFileSync(`${G}/file`, "old\n");
  world.own(`${G}/.bashrc`, `${G}/file`);
  const mode = Deno.statSync(`${S}/secret`).mode! & 0o777;
  const times = Deno.statSync(`${S}/secret`).mtime!.getTime();
  const flags = grantsOf(world, ["chmod", "touch", "cat"], ["--wall=bwrap"]);
  await t.step("S11 P13 programs cannot change modes, times and protected files", async () => {
    const command = `chmod 777 ${S}/secret; touch -d 2001-01-01 ${S}/secret; echo x >> .bashrc
echo new > file; cat file; cat ${S}/secret`;
    const result = await bash(world, command, { flags });
    expect(result.text).toContain("Read-only file system");
    expect(result.text).toContain("\nnew\n");
    expect(result.text).not.toContain(SECRET);
    expect(Deno.statSync(`${S}/secret`).mode! & 0o777).toBe(mode);
    expect(Deno.statSync(`${S}/secret`).mtime!.getTime()).toBe(times);
    expect(Deno.readTextFileSync(`${G}/.bashrc`)).toBe("old\n");
    expect(Deno.readTextFileSync(`${G}/file`)).toBe("new\n");
  });
  await t.step("other tools and exit codes work with bubblewrap", async () => {
    const read = await callAs(world, { name: "fs.read", arguments: { path: "file" } }, { flags });
    expect(read).toMatchObject({ exit: 0, text: "new\n" });
    const none = await callAs(world, { name: "fs.read", arguments: { path: "no" } }, { flags });
    expect(none.exit).toBe(1);
    const options = [...grantsOf(world), "--wall", "bwrap"];
    expect((await bash(world, "exit 3", { flags: options })).text).toContain("Exit code 3");
  });
  await t.step(
    "a long output stays, and the rest of the private directory is removed",
    async () => {
      const result = await bash(world, "for ((i = 0; i < 9000; i++)); do echo line $i; done", {
        flags,
      });
      const path = /is in "([^"]+)"/.exec(result.text)?.[1] ?? "";
      expect(Deno.readTextFileSync(path).split("\n").length).toBe(9_001);
      expect(isThere(`${path}/../tmp`)).toBe(false);
    },
  );
  await t.step("a bwrap in a directory of PATH that a call may write is ignored", async () => {
    Deno.writeTextFileSync(`${G}/bwrap`, "#!/bin/sh\ntouch taken\n", { mode: 0o755 });
    world.own(`${G}/bwrap`);
    for (const first of [G, "."]) {
      const env = { PATH: `${first}:${Deno.env.get("PATH")}` };
      expect((await bash(world, "echo works", { flags, env })).text).toBe("works\n");
      expect(isThere(`${G}/taken`)).toBe(false);
    }
  });
  await t.step("an unknown --wall is a usage error, and a missing bwrap is reported", async () => {
    expect((await toolcall(["--wall=moat", "-A", "Bash", "{}"])).code).toBe(2);
    const missing = await bash(world, "echo", {
      flags,
      launcher: ["/usr/bin/env", `PATH=${world.root}/missing`],
    });
    expect(missing.exit).toBe(8);
    expect(missing.text).toContain("Cannot use --wall=bwrap: it is not installed");
  });
}, (user) => obstacle === undefined && ofOneCall(user));
