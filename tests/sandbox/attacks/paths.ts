/** Attacks P1 to P12 and P15 of docs/attacks.md, counted, as root and as an ordinary user. */
import { expect } from "@std/expect";
import { exitCodes } from "../../../src/runner/call/failure.ts";
import { callAs, makeWorld, SECRET, testAs, type User } from "./world.ts";

/**
 * Makes a granted directory `G`, its sibling `G_evil`, a directory `S` outside with a secret, and a
 * function for calls as the user.
 */
function layout(user: User) {
  const world = makeWorld(user);
  const { root, G, S } = world;
  Deno.mkdirSync(`${root}/G_evil`);
  Deno.writeTextFileSync(`${G}/file`, "inside\n");
  Deno.writeTextFileSync(`${root}/G_evil/secret`, SECRET);
  world.own(`${root}/G_evil`, `${G}/file`, `${root}/G_evil/secret`);
  Deno.symlinkSync(`${S}/secret`, `${G}/link`);
  Deno.symlinkSync(S, `${G}/linkdir`);
  Deno.symlinkSync(`${S}/new`, `${G}/dangling`);
  Deno.symlinkSync(G, `${root}/alias`);
  const call = (
    name: string,
    args: Record<string, unknown>,
    way: { flags: string[]; cwd?: string },
  ) => callAs(world, { name, arguments: args }, way);
  return { ...world, call };
}

/** The exit code of a call that its time limit has ended. */
const TIMED_OUT = exitCodes.timeout;

/** Expects that the files outside the grant are unchanged. */
function expectUntouched({ root, S }: { root: string; S: string }): void {
  expect([...Deno.readDirSync(S)].map(({ name }) => name)).toEqual(["secret"]);
  expect([...Deno.readDirSync(`${root}/G_evil`)].map(({ name }) => name)).toEqual(["secret"]);
  for (const name of ["S", "G_evil"]) {
    expect(Deno.readTextFileSync(`${root}/${name}/secret`)).toBe(SECRET);
  }
}

/** Calls Read, Write and Edit on one path under a grant of `G`. */
async function tryAll(path: string, world: ReturnType<typeof layout>) {
  const { call } = world;
  const flags = [`--allow-read=${world.G}`, `--allow-write=${world.G}`];
  return {
    Read: await call("Read", { file_path: path }, { flags }),
    Write: await call("Write", { file_path: path, content: "written" }, { flags }),
    Edit: await call("Edit", { file_path: path, old_string: "secret", new_string: "x" }, { flags }),
  };
}

testAs(
  "paths > Read, Write and Edit refuse a path that leads outside the grant",
  async (t, user) => {
    const paths: [id: string, path: (root: string) => string][] = [
      ["P1 a sibling with the grant's name as its prefix", (root) => `${root}/G_evil/secret`],
      ["P1 a new file in the sibling", (root) => `${root}/G_evil/new`],
      ["P2 a symlink to a file", (root) => `${root}/G/link`],
      ["P2 a file through a symlinked directory", (root) => `${root}/G/linkdir/secret`],
      ["P3 a new file through a symlinked directory", (root) => `${root}/G/linkdir/new`],
      ["P3 new directories through a symlinked directory", (root) => `${root}/G/linkdir/a/b/new`],
      ["P4 a dangling symlink", (root) => `${root}/G/dangling`],
      ["P6 two dots", (root) => `${root}/G/../S/secret`],
      ["P6 two dots and more slashes", (root) => `${root}/G//..//S///secret`],
      ["P8 file: and slashes", (root) => `/${`file://${root}/S/secret`}`],
      ["P11 the root of a process", (root) => `/proc/self/root${root}/S/secret`],
      [
        "P11 the working directory of a process",
        (root) => `/proc/self/cwd/../../../../../../${root}/S/secret`,
      ],
      ["P11 the environment of a process", () => "/proc/self/environ"],
      ["P11 the environment of another process", () => "/proc/1/environ"],
      ["P11 /dev/stdin", () => "/dev/stdin"],
      ["P11 /dev/zero", () => "/dev/zero"],
      ["P11 /sys", () => "/sys/kernel/uevent_seqnum"],
    ];
    const world = layout(user);
    let tried = 0;
    let refused = 0;
    for (const [id, path] of paths) {
      await t.step(id, async () => {
        for (const [tool, result] of Object.entries(await tryAll(path(world.root), world))) {
          tried++;
          expect(result.text).not.toContain(SECRET);
          expect(result.text).toMatch(
            /^(Permission denied: (reading|writing)|Cannot (read|write)) "/,
          );
          // A server's own permissions let it resolve the root of a process.
          const isRefusedByKernel = user.server !== undefined &&
            result.text.includes("through files of the kernel");
          expect([tool, result._meta?.["toolcall/error"].code, result.exit]).toEqual(
            isRefusedByKernel ? [tool, "tool_failed", 1] : [tool, "permission_denied", 6],
          );
          expect(result.text).toContain(
            isRefusedByKernel ? "give the path of the file itself" : "needs --allow-",
          );
          refused++;
        }
        expectUntouched(world);
      });
    }
    await t.step(`tried ${tried}, refused ${refused}, escaped ${tried - refused}`, () => {
      expect(refused).toBe(paths.length * 3);
    });
  },
);

testAs(
  "paths > P6 P7 P8 P9 P10 an odd name is used literally, without expansion or trimming",
  async (t, user) => {
    const names = [
      ...[
        'quote"',
        "space ",
        "tab\t",
        "a%20b",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e",
        "$HOME",
        "~",
        "~root",
      ],
      ...[
        "new\nline",
        "\u001b[31mred",
        "$(id)",
        "`id`",
        "'",
        "*",
        "-rf",
        "\u00e9",
        "e\u0301",
        "a\u00a0b",
        "a\u202fb",
      ],
    ];
    for (const name of names) {
      await t.step(JSON.stringify(name), async () => {
        const world = layout(user);
        const { call } = world;
        const path = `${world.G}/${name}`;
        const flags = [`--allow-read=${world.G}`, `--allow-write=${world.G}`];
        const written = await call("Write", { file_path: path, content: name }, { flags });
        expect(written.exit).toBe(0);
        expect(Deno.readTextFileSync(path)).toBe(name);
        // deno-lint-ignore no-control-regex
        expect(written.text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
        const found = [...Deno.readDirSync(world.G)].map((entry) => entry.name);
        expect(found.sort()).toEqual(["dangling", "file", "link", "linkdir", name].sort());
        const read = await call("Read", { file_path: path }, { flags });
        expect(read.exit).toBe(0);
        const relative = await call("fs.read", { path: name }, { flags, cwd: world.G });
        expect(relative.text).toBe(name);
        expectUntouched(world);
      });
    }
  },
);

testAs(
  "paths > P6 two dots after a symlink do not lead outside",
  async (_, user) => {
    const world = layout(user);
    for (const result of Object.values(await tryAll(`${world.G}/linkdir/../S/secret`, world))) {
      expect(result.text).not.toContain(SECRET);
    }
    expectUntouched(world);
  },
);

testAs("paths > P6 quotes and spaces around an outside path are not trimmed", async (_, user) => {
  const world = layout(user);
  const { call } = world;
  for (const path of [`"${world.G}/../S/secret"`, ` ${world.S}/secret`, `${world.S}/secret `]) {
    const result = await call("Read", { file_path: path }, {
      flags: [`--allow-read=${world.root}`],
    });
    expect(result.isError).toBe(true);
    expect(result.text).not.toContain(SECRET);
  }
});

testAs(
  "paths > P7 the composed and the decomposed form of a name are different names",
  async (_, user) => {
    const world = layout(user);
    const { call } = world;
    const flags = [`--allow-read=${world.G}`];
    Deno.writeTextFileSync(`${world.G}/caf\u00e9`, "composed");
    const missing = await call("Read", { file_path: `${world.G}/cafe\u0301` }, { flags });
    expect(missing.exit).toBe(1);
    Deno.writeTextFileSync(`${world.G}/cafe\u0301`, "decomposed");
    const found = await call("Read", { file_path: `${world.G}/cafe\u0301` }, { flags });
    expect(found.text).toContain("decomposed");
  },
);

testAs(
  "paths > P9 an impossible path is a clear error, and nothing is created",
  async (t, user) => {
    const paths: [name: string, path: (G: string) => string][] = [
      ["a NUL", (G) => `${G}/a\0b`],
      ["5,000 bytes", (G) => `${G}/${"d/".repeat(2_500)}f`],
      ["a component of 256 bytes", (G) => `${G}/${"x".repeat(256)}`],
      ["a directory of 256 bytes", (G) => `${G}/${"x".repeat(256)}/f`],
      ["a path through a file", (G) => `${G}/file/below`],
    ];
    for (const [name, path] of paths) {
      await t.step(name, async () => {
        const world = layout(user);
        const { call } = world;
        const flags = ["-A"];
        const file_path = path(world.G);
        for (const given of [flags, [`--allow-read=${world.G}`, `--allow-write=${world.G}`]]) {
          const written = await call("Write", { file_path, content: "x" }, { flags: given });
          expect(written.isError).toBe(true);
          expect([1, 5, 6]).toContain(written.exit);
          expect(written.text).toMatch(
            /^(Invalid arguments for "Write":\n- \/file_path: )?Cannot /,
          );
          const read = await call("Read", { file_path }, { flags: given });
          expect([1, 5, 6]).toContain(read.exit);
          expect(read.text.length).toBeLessThan(6_000);
        }
        expect([...Deno.readDirSync(world.G)].length).toBe(4);
      });
    }
    await t.step("C:\\x is not an absolute path, and is a file name below the root", async () => {
      const world = layout(user);
      const { call } = world;
      const result = await call("Read", { file_path: "C:\\x" }, { flags: ["-A"], cwd: world.G });
      expect(result.exit).toBe(5);
      expect((await call("fs.read", { path: "C:\\x" }, { flags: ["-R=."], cwd: world.G })).exit)
        .toBe(
          1,
        );
    });
  },
);

testAs("paths > P10 ~ and $HOME are not absolute paths", async (_, user) => {
  const { call } = layout(user);
  for (const file_path of ["~", "~/x", "~root/x", "$HOME/x", "./x", "x"]) {
    expect((await call("Read", { file_path }, { flags: ["-A"] })).exit).toBe(5);
    expect((await call("Write", { file_path, content: "" }, { flags: ["-A"] })).exit).toBe(5);
  }
});

testAs(
  "paths > P11 pipes, devices and directories are refused with every permission, without hanging",
  async (t, user) => {
    const world = layout(user);
    const { call } = world;
    const fifo = `${world.G}/fifo`;
    expect((await new Deno.Command("mkfifo", { args: [fifo] }).output()).success).toBe(true);
    for (const file_path of [fifo, "/dev/zero", "/dev/stdin", "/dev/tty", world.G]) {
      await t.step(file_path.replace(world.root, ""), async () => {
        for (const flags of [["-A"], ["--allow-read", "--allow-write"]]) {
          const result = await call("Read", { file_path }, { flags });
          expect(result.isError).toBe(true);
          const written = await call("Write", { file_path, content: "x" }, { flags });
          expect(written.isError).toBe(true);
          // The time limit of a call ends a call that hangs.
          expect([result.exit, written.exit]).not.toContain(TIMED_OUT);
        }
      });
    }
    await t.step("a bare --allow-read does not open files of the kernel", async () => {
      for (const file_path of ["/proc/self/environ", "/proc/1/environ", "/proc/self/mem"]) {
        expect((await call("Read", { file_path }, { flags: ["--allow-read"] })).exit).toBe(6);
      }
      const named = await call("Read", { file_path: "/proc/version" }, {
        flags: ["--allow-read=/proc/version"],
      });
      expect(named.exit === 0 || named.exit === 6).toBe(true);
    });
  },
);

testAs(
  "paths > P12 a grant that is itself a symlink works with both spellings",
  async (_, user) => {
    const world = layout(user);
    const { call } = world;
    for (const grant of [`${world.root}/alias`, world.G]) {
      const flags = [`--allow-read=${grant}`, `--allow-write=${grant}`];
      for (const directory of [`${world.root}/alias`, world.G]) {
        const file_path = `${directory}/file`;
        expect((await call("Read", { file_path }, { flags })).text).toContain("inside");
        expect((await call("Write", { file_path, content: "inside\n" }, { flags })).exit).toBe(0);
        const edit = { file_path, old_string: "inside", new_string: "inside" + " again" };
        expect((await call("Edit", edit, { flags })).exit).toBe(0);
      }
      expect((await call("Read", { file_path: `${world.S}/secret` }, { flags })).exit).toBe(6);
    }
  },
);

testAs(
  "paths > P12 a grant of one file, of a new file, or of a new directory works",
  async (_, user) => {
    const world = layout(user);
    const { call } = world;
    const one = `${world.G}/file`;
    expect((await call("Write", { file_path: one, content: "1" }, { flags: [`-W=${one}`] })).exit)
      .toBe(0);
    expect(Deno.readTextFileSync(one)).toBe("1");
    const fresh = `${world.G}/fresh`;
    expect(
      (await call("Write", { file_path: fresh, content: "2" }, { flags: [`-W=${fresh}`] })).exit,
    )
      .toBe(0);
    expect(Deno.readTextFileSync(fresh)).toBe("2");
    const deep = `${world.G}/new/deep/file`;
    const made = await call("Write", { file_path: deep, content: "3" }, {
      flags: [`-W=${world.G}/new`],
    });
    expect(made.exit).toBe(0);
    expect(Deno.readTextFileSync(deep)).toBe("3");
    const other = await call("Write", { file_path: `${world.G}/other`, content: "4" }, {
      flags: [`-W=${one}`],
    });
    expect(other.exit).toBe(6);
  },
);

testAs("paths > P15 a search stays in its directory, and ends", async (t, user) => {
  const world = layout(user);
  const { call } = world;
  Deno.symlinkSync(world.G, `${world.G}/loop`);
  Deno.mkdirSync(`${world.G}/sub`);
  Deno.symlinkSync("..", `${world.G}/sub/up`);
  const flags = [`--allow-read=${world.G}`];
  const patterns = [
    "**",
    "**/*",
    "*/**/*",
    "../**",
    "sub/../../**",
    "{..,sub}/**",
    `${world.S}/**`,
    "linkdir/*",
  ];
  for (const pattern of patterns) {
    for (const given of [flags, ["-A"]]) {
      await t.step(
        `Glob ${pattern.replace(world.root, "")} ${given[0] === "-A" ? "-A" : ""}`,
        async () => {
          const result = await call("Glob", { pattern, path: world.G }, { flags: given });
          // A refusal repeats the pattern that was asked for.
          if (!result.isError) expect(result.text).not.toContain("/S/");
          expect(result.text).not.toContain("secret");
        },
      );
    }
  }
  for (const glob of ["../**", "**", `${world.S}/**`]) {
    for (const given of [flags, ["-A"]]) {
      await t.step(
        `Grep ${glob.replace(world.root, "")} ${given[0] === "-A" ? "-A" : ""}`,
        async () => {
          const args = { pattern: "secret", path: world.G, glob, output_mode: "content" };
          expect((await call("Grep", args, { flags: given })).text).not.toContain(SECRET);
        },
      );
    }
  }
});
