// tier: machine
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { version } from "../../../src/base/version.ts";
import {
  type SelfExtractingOptions,
  writeSelfExtracting,
} from "../../../scripts/self_extracting.ts";
import { processesWith } from "../../support/processes.ts";
import { pause, until } from "../../support/wait.ts";
import { dropPages, residentPart } from "../../../scripts/bench/page_cache.ts";
import { Missing } from "../../../scripts/bench/rows.ts";
import { ownArchitecture } from "../../../scripts/head/native_head.ts";
import { has } from "../../support/programs.ts";
import { type Ended, run, startWith, writeStandIn } from "../../support/stand_in.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PATH = "/usr/bin:/bin:/usr/sbin:/sbin";
const isRoot = Deno.uid() === 0;

/** The base tools that the executable's head may use. */
const TOOLS = [
  ...["chmod", "dd", "find", "gzip", "head", "id", "ln", "ls", "mkdir", "mv", "rm", "sleep"],
  ...["tail", "tar"],
];

type Head = NonNullable<SelfExtractingOptions["head"]>;

/** The heads that an executable can have on this platform. */
const heads: readonly Head[] = [...new Set([ownArchitecture() ?? "script", "script"] as const)];

/** Declares a test for each head. */
function testHeads(name: string, test: (t: Deno.TestContext, head: Head) => Promise<void>) {
  for (const head of heads) Deno.test(`${name} (${head} head)`, (t) => test(t, head));
}

/** A new directory with an executable of the stand-in, and the path of a cache for it. */
async function setUp({ ballast, head = heads[0]! }: { ballast?: number; head?: Head } = {}) {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  await Deno.chmod(directory, 0o755);
  const program = join(directory, "standin");
  const fallbackParent = join(directory, "fallback");
  const accounts = join(directory, "accounts");
  await Deno.writeTextFile(accounts, "");
  await writeStandIn(program, { ballast, fallbackParent, accounts, head });
  const cache = join(directory, "cache");
  return {
    directory,
    program,
    cache,
    fallbackParent,
    accounts,
    env: { PATH, TOOLCALL_CACHE_DIR: cache },
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

function list(directory: string): string[] {
  return [...Deno.readDirSync(directory)].map((entry) => entry.name).toSorted();
}

/** Checks that unpacking left only a pointer file and the directory that it names. Returns this. */
function expectWhole(cache: string): string {
  const [pointer = "", ...rest] = list(cache);
  const named = Deno.readTextFileSync(join(cache, pointer)).trim();
  expect(rest).toEqual([named]);
  return join(cache, named);
}

function expectRefused(ended: Ended, ...reasons: string[]) {
  expect(ended.code).toBe(8);
  for (const reason of reasons) expect(ended.stderr).toContain(reason);
  const result = JSON.parse(ended.text);
  expect(result.isError).toBe(true);
  expect(result._meta).toEqual({ "toolcall/error": { code: "unavailable" } });
  expect(result.content[0].text).toContain("standard error");
  expect(ended.text.split("\n").length).toBe(2);
}

/** Says why a test does not apply on this machine. */
function skip(reason: string) {
  // deno-lint-ignore no-console
  console.log(`skipped: ${reason}`);
}

async function works(...command: string[]): Promise<boolean> {
  try {
    return (await run(command, { env: { PATH } })).code === 0;
  } catch {
    return false;
  }
}

function shells(): string[][] {
  const has = (name: string) =>
    PATH.split(":").some((directory) => {
      try {
        return Deno.statSync(join(directory, name)).isFile;
      } catch {
        return false;
      }
    });
  const known = [["dash"], ["bash", "--posix"], ["busybox", "sh"], ["ksh"], ["mksh"], ["yash"]];
  return [["sh"], ...known.filter(([name]) => has(name ?? ""))];
}

testHeads(
  "executable > arguments of every kind are passed unchanged, in every shell",
  async (t, head) => {
    await using at = await setUp({ head });
    const odd = [
      "",
      " ",
      "a  b",
      "*",
      "?",
      "$HOME",
      "`id`",
      "--",
      "-x",
      "--help",
      "-A",
      "\\n",
      "'",
      '"',
    ];
    odd.push("line\nbreak", "ends\n", "ü€😀", "a=b", "--allow-read=/x y", "~");
    for (const shell of shells()) {
      await t.step(shell.join(" "), async () => {
        for (const start of ["first", "warm"]) {
          const command = await startWith(shell, at.program);
          const ended = await run([...command, "args", ...odd], at);
          expect(ended.text, start).toBe(odd.map((arg) => `<${arg}>`).join(""));
          expect(ended.stderr).toBe("");
          expect(ended.code).toBe(0);
        }
        expectWhole(at.cache);
        await Deno.remove(at.cache, { recursive: true });
      });
    }
  },
);

testHeads(
  "executable > the first start on a terminal prints that it unpacks, later ones do not",
  async (_, head) => {
    await using at = await setUp({ head });
    const onTerminal = async () => {
      const command = ["script", "-qec", `'${at.program}' args x`, "/dev/null"];
      return (await run(command, at)).text;
    };
    if (!await works("script", "-qec", "true", "/dev/null")) {
      return skip(
        "script does not work here",
      );
    }
    expect(await onTerminal()).toBe(`toolcall: Unpacking into ${at.cache}, this once\r\n<x>`);
    expect(await onTerminal()).toBe("<x>");
  },
);

testHeads(
  "executable > stdin, stdout, stderr and the exit code are passed through unchanged",
  async (_, head) => {
    await using at = await setUp({ head });
    const stdin = new Uint8Array(2 ** 20);
    for (let i = 0; i < stdin.length; i += 65536) {
      crypto.getRandomValues(stdin.subarray(i, i + 65536));
    }
    for (const _ of ["first start", "warm start"]) {
      const ended = await run([at.program, "cat"], { ...at, stdin });
      expect(ended.code).toBe(7);
      expect(ended.stderr).toBe("heard\n");
      expect(ended.stdout.length).toBe(stdin.length);
      expect(ended.stdout.every((byte, i) => byte === stdin[i])).toBe(true);
    }
  },
);

testHeads(
  "executable > the program runs in the process of the executable, and gets its signals",
  async (_, head) => {
    await using at = await setUp({ head });
    for (const _ of ["first start", "warm start"]) {
      const child = new Deno.Command(at.program, {
        args: ["pid"],
        clearEnv: true,
        env: at.env,
        stdout: "piped",
      }).spawn();
      const { stdout } = await child.output();
      expect(new TextDecoder().decode(stdout)).toBe(`${child.pid}\n`);
    }
    const child = new Deno.Command(at.program, {
      args: ["term"],
      clearEnv: true,
      env: at.env,
      stdout: "piped",
    }).spawn();
    let text = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (chunk.includes("ready")) Deno.kill(child.pid, "SIGTERM");
    }
    expect(text).toBe("ready\ncaught\n");
    expect((await child.status).code).toBe(42);
  },
);

testHeads(
  "executable > the environment, umask, working directory and descriptors are kept",
  async (_, head) => {
    await using at = await setUp({ head });
    const given: Record<string, string> = {
      ...at.env,
      name: "n",
      key: "k",
      line: "l",
      PATH: "relative:/usr/bin:/bin",
      LC_ALL: "C",
      IFS: "x",
      CDPATH: "/",
      DENO_V8_FLAGS: "--stack-size=1",
      NODE_OPTIONS: 'it\'s "quoted"',
      TOOLCALL_ENV_RUST_LOG: "stale",
    };
    for (const start of ["first", "warm"]) {
      const { text } = await run([at.program, "env"], { env: given });
      const seen = Object.fromEntries(text.trim().split("\n").map((line) => line.split(/=(.*)/s)));
      for (const name of ["name", "key", "line", "PATH", "LC_ALL", "CDPATH"]) {
        expect(seen[name], `${name}, ${start} start`).toBe(given[name]);
      }
      expect("DENO_V8_FLAGS" in seen || "NODE_OPTIONS" in seen).toBe(false);
      expect("TOOLCALL_ENV_RUST_LOG" in seen).toBe(false);
      expect(seen.TOOLCALL_ENV_DENO_V8_FLAGS).toBe("--stack-size=1");
      expect(seen.TOOLCALL_ENV_NODE_OPTIONS).toBe('it\'s "quoted"');
      expect(seen.DENO_DIR.startsWith(`${at.cache}/`)).toBe(true);
      expect(Object.keys(seen).filter((name) => name.startsWith("tc_"))).toEqual([]);
      if (Deno.build.os === "linux") {
        const { text } = await run([at.program, "fds"], at);
        expect(text.trim().split(/\s+/).filter((fd) => Number(fd) < 10)).toEqual(["0", "1", "2"]);
      }
    }
    await Deno.remove(at.cache, { recursive: true });
    const cwd = join(at.directory, "some where");
    await Deno.mkdir(cwd);
    for (const start of ["first", "warm"]) {
      const place = await run(["sh", "-c", 'umask 027; exec "$0" umask', at.program], {
        ...at,
        cwd,
      });
      expect(place.text, `${start} start`).toBe(`0027\n${cwd}\n`);
    }
  },
);

testHeads("executable > it works from every path and directory", async (t, head) => {
  await using at = await setUp({ head });
  const names = [
    "a b",
    "it's",
    '"quoted"',
    "-dash",
    "line\nbreak",
    "$HOME",
    "back\\slash",
    "*",
    "ü",
  ];
  for (const name of names) {
    await t.step(JSON.stringify(name), async () => {
      const directory = join(at.directory, name);
      await Deno.mkdir(directory);
      await Deno.copyFile(at.program, join(directory, name));
      const env = { PATH, TOOLCALL_CACHE_DIR: join(directory, "cache in it") };
      const commands: [string[], string][] = [
        [[join(directory, name), "args", "x"], "/"],
        [[`./${name}`, "args", "x"], directory],
        [[`${name}/${name}`, "args", "x"], at.directory],
        ...(head === "script"
          ? [
            [["sh", "--", name, "args", "x"], directory],
            [["sh", "--", `${name}/${name}`, "args", "x"], at.directory],
          ] as [string[], string][]
          : []),
      ];
      for (const [command, cwd] of commands) {
        const ended = await run(command, { env, cwd });
        expect(ended.text, `${command} in ${cwd}: ${ended.stderr}`).toBe("<x>");
        expectWhole(env.TOOLCALL_CACHE_DIR);
        await Deno.remove(env.TOOLCALL_CACHE_DIR, { recursive: true });
      }
    });
  }
  await t.step("through symbolic links, by PATH, with an odd name", async () => {
    await Deno.symlink(at.program, join(at.directory, "link"));
    await Deno.symlink("link", join(at.directory, "link to it"));
    const env = { PATH: `${at.directory}:${PATH}`, TOOLCALL_CACHE_DIR: at.cache };
    const odd = `exec -a "-odd name" '${at.program}' args x`;
    const commands = [
      [join(at.directory, "link to it"), "args", "x"],
      ["env", "link to it", "args", "x"],
      ["sh", "-c", "standin args x"],
      ...(await works("bash", "-c", "true")
        ? [["bash", "-c", odd], ...(head === "script" ? [["bash", "standin", "args", "x"]] : [])]
        : []),
    ];
    for (const command of commands) {
      expect((await run(command, { env, cwd: "/" })).text, command.join(" ")).toBe("<x>");
      await Deno.remove(at.cache, { recursive: true });
    }
  });
  await t.step("a script read from a pipe is refused", async () => {
    if (head !== "script") return;
    const stdin = await Deno.readFile(at.program);
    expectRefused(await run(["sh"], { env: at.env, stdin, cwd: at.directory }), "damaged");
  });
});

testHeads("executable > twenty starts at the same time unpack once", async (t, head) => {
  for (const shell of shells()) {
    await t.step(shell.join(" "), async () => {
      await using at = await setUp({ ballast: 5_000_000, head });
      const env = { ...at.env, COUNT: join(at.directory, "count") };
      const command = await startWith(shell, at.program);
      const start = (i: number) => run([...command, "args", `${i}`], { env });
      const ended = await Promise.all(Array.from({ length: 20 }, (_, i) => start(i)));
      expect(ended.map((one) => one.text)).toEqual(ended.map((_, i) => `<${i}>`));
      expect(ended.map((one) => one.stderr).join("")).toBe("");
      expect((await Deno.readTextFile(env.COUNT)).split("\n").length - 1).toBe(1);
      expectWhole(at.cache);
    });
  }
});

/**
 * Starts an executable as the leader of a process group, and kills it or the group while it
 * unpacks. On a busy machine it can end before the signal is sent. It is then started again, with an
 * empty cache.
 */
async function killAtStart(
  { program, env, cache }: Pick<Awaited<ReturnType<typeof setUp>>, "program" | "env" | "cache">,
  { signal, group, attempts = 10 }: { signal: Deno.Signal; group: boolean; attempts?: number },
): Promise<void> {
  const child = new Deno.Command(program, {
    args: ["args", "ended"],
    clearEnv: true,
    env: { ...env, COUNT: `${cache}.count` },
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  let hasEnded = false;
  const output = child.output().finally(() => hasEnded = true);
  expect(await until(() => hasEnded || unfinishedIn(cache).length > 0)).toBe(true);
  try {
    Deno.kill(group ? -child.pid : child.pid, signal);
  } catch {
    // It has ended already; the status below shows that.
  }
  // A child that continues to unpack has closed the output that the caller waits for.
  const ended = await output;
  if (ended.signal === null && attempts > 1) {
    for (const name of list(cache)) await Deno.remove(join(cache, name), { recursive: true });
    await Deno.remove(`${cache}.count`, { recursive: true });
    return killAtStart({ program, env, cache }, { signal, group, attempts: attempts - 1 });
  }
  expect(ended.signal).toBe(signal);
  expect(ended.stdout.length + ended.stderr.length).toBe(0);
}

/** The directories that are being unpacked into. */
function unfinishedIn(cache: string): string[] {
  try {
    return list(cache).filter((name) => name.includes(".") && !name.endsWith(".lock"));
  } catch {
    return [];
  }
}

testHeads(
  "executable > an unpacking still finishes, once, after its process is killed",
  async (t, head) => {
    for (const signal of ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"] as const) {
      for (const group of await works("setsid", "true") ? [false, true] : [false]) {
        await t.step(`${signal} to ${group ? "its process group" : "its process"}`, async () => {
          await using at = await setUp({ ballast: 20_000_000, head });
          await killAtStart(at, { signal, group });
          expect(await until(() => !list(at.cache).some((name) => name.endsWith(".lock")))).toBe(
            true,
          );
          expectWhole(at.cache);
          expect((await run([at.program, "args", "warm"], at)).text).toBe("<warm>");
          expect(await Deno.readTextFile(`${at.cache}.count`)).toBe("once\n");
        });
      }
    }
  },
);

testHeads(
  "executable > the next start removes the files of an unpacking whose processes were all killed",
  async (_, head) => {
    if (Deno.build.os !== "linux") return skip("reads /proc");
    await using at = await setUp({ ballast: 20_000_000, head });
    for (let i = 0; i < 10; i++) {
      await killAtStart(at, { signal: "SIGKILL", group: true });
      for (const pid of processesWith(at.cache)) killIfThere(pid);
      expect(await until(() => processesWith(at.cache).length === 0)).toBe(true);
      expect(unfinishedIn(at.cache).length).toBeLessThanOrEqual(1);
    }
    expect((await run([at.program, "args", "next"], at)).text).toBe("<next>");
    expectWhole(at.cache);
  },
);

function killIfThere(pid: number) {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

testHeads(
  "executable > two process namespaces that share a cache do not disturb each other",
  async (_, head) => {
    const inNamespace = ["unshare", "--pid", "--fork", "--mount-proc"];
    if (!await works(...inNamespace, "true")) return skip("needs the right to make a namespace");
    await using at = await setUp({ ballast: 20_000_000, head });
    const start = (...before: string[]) => run([...before, at.program, "args", "x"], at);
    for (
      const ended of await Promise.all([start(), start(...inNamespace), start(...inNamespace)])
    ) {
      expect(ended).toMatchObject({ text: "<x>", stderr: "", code: 0 });
    }
  },
);

testHeads("executable > a stale lock does not delay a start", async (t, head) => {
  await using at = await setUp({ head });
  await run([at.program, "args"], at);
  const key = basename(expectWhole(at.cache)).split(".")[0] ?? "";
  const child = new Deno.Command("true", { clearEnv: true }).spawn();
  await child.status;
  const cases: [string, string, boolean][] = [
    ["the lock of a process that has ended", `${child.pid}\n`, false],
    ["an empty lock", "", false],
    ["a lock without a process id", "../..\n", false],
    ["an old lock of another process", `${Deno.pid}\n`, true],
  ];
  for (const [name, content, old] of cases) {
    await t.step(name, async () => {
      await Deno.remove(at.cache, { recursive: true });
      await Deno.mkdir(at.cache, { mode: 0o700 });
      const lock = join(at.cache, `${key}.lock`);
      await Deno.writeTextFile(lock, content);
      const hour = new Date(Date.now() - 3_600_000);
      if (old) await Deno.utime(lock, hour, hour);
      const begin = performance.now();
      expect((await run([at.program, "args", "x"], at)).text).toBe("<x>");
      // A start that waits for a lock takes two minutes.
      expect(performance.now() - begin).toBeLessThan(30_000);
      expectWhole(at.cache);
    });
  }
});

testHeads("executable > deleted or damaged files are unpacked again", async (t, head) => {
  await using at = await setUp({ head });
  const cases: [string, (directory: string) => Promise<void>][] = [
    ["the program is deleted", (directory) => Deno.remove(join(directory, "deno"))],
    ["the bundle is deleted", (directory) => Deno.remove(join(directory, "main.js"))],
    ["a large file is deleted", (directory) => Deno.remove(join(directory, "ballast"))],
    ["a small file is deleted", (directory) => Deno.remove(join(directory, "chunk-29.js"))],
    ["the directory is moved", async (directory) => {
      const elsewhere = join(at.directory, "elsewhere");
      await Deno.rename(directory, elsewhere);
      await Deno.writeTextFile(directory.replace(/\.\d+\.\d+$/, ""), "../elsewhere\n");
    }],
    ["a file is truncated", (directory) => Deno.truncate(join(directory, "ballast"), 10)],
    ["the program is not executable", (directory) => Deno.chmod(join(directory, "deno"), 0o600)],
    ["a file is writable for others", (directory) => Deno.chmod(join(directory, "main.js"), 0o666)],
    ["the directory is writable for others", (directory) => Deno.chmod(directory, 0o777)],
    ["the directory is deleted", (directory) => Deno.remove(directory, { recursive: true })],
    ["the program is a symlink", async (directory) => {
      await Deno.rename(join(directory, "deno"), join(directory, "other"));
      await Deno.symlink("other", join(directory, "deno"));
    }],
  ];
  for (const text of ["", "\n", "../../etc\n", "x\n", "/etc\n", "no line end"]) {
    cases.push([`the pointer file contains ${JSON.stringify(text)}`, async (directory) => {
      const pointer = directory.replace(/\.\d+\.\d+$/, "");
      await Deno.writeTextFile(pointer, text);
    }]);
  }
  for (const [name, damage] of cases) {
    await t.step(name, async () => {
      expect((await run([at.program, "args"], at)).code).toBe(0);
      const pointer = join(at.cache, list(at.cache)[0] ?? "");
      // Some shells do not notice a deletion within the second of the unpacking.
      const past = new Date(Date.now() - 5000);
      const before = join(at.cache, (await Deno.readTextFile(pointer)).trim());
      await Deno.utime(before, past, past);
      await Deno.utime(pointer, past, past);
      await damage(before);
      expect((await run([at.program, "args", "x"], at)).text).toBe("<x>");
      const after = (await Deno.readTextFile(pointer)).trim();
      expect(after).toMatch(/^[0-9a-f]{16}\.\d+\.\d+$/);
      expect(join(at.cache, after) === before).toBe(false);
      expect((await run([at.program, "args", "x"], at)).text).toBe("<x>");
      expect((await Deno.readTextFile(pointer)).trim()).toBe(after);
    });
  }
});

testHeads(
  "executable > a truncated or changed executable reports the damage and unpacks nothing",
  async (t, head) => {
    await using at = await setUp({ ballast: 100_000, head });
    const whole = await Deno.readFile(at.program);
    const end = whole.length;
    const changed = (position: number) => {
      const copy = whole.slice();
      copy[position] = (copy[position] ?? 0) ^ 0x55;
      return copy;
    };
    const cases: [string, Uint8Array][] = [
      ["half of it", whole.subarray(0, end / 2)],
      ["all but the last byte", whole.subarray(0, end - 1)],
      ["all but the checksum", whole.subarray(0, end - 8)],
      ["a byte in the middle", changed(end - 50_000)],
      ["a byte close to the end", changed(end - 60)],
      ["the checksum itself", changed(end - 6)],
      [
        "the first byte of the payload",
        changed(whole.findIndex((byte, i) => byte === 0x1f && whole[i + 1] === 0x8b)),
      ],
    ];
    for (const [name, content] of cases) {
      await t.step(name, async () => {
        const program = join(at.directory, "damaged");
        await Deno.writeFile(program, content, { mode: 0o755 });
        expectRefused(await run([program, "args"], at), "is damaged", program);
        expect(list(at.cache)).toEqual([]);
      });
    }
  },
);

Deno.test("executable > a large runtime is unpacked in two halves, and damage to either is reported", async () => {
  await using at = await setUp();
  // The shell exits before the ballast.
  const runtime = `exit\n${crypto.getRandomValues(new Uint8Array(60_000)).toBase64()}`.repeat(50);
  await writeStandIn(at.program, { runtime, fallbackParent: at.fallbackParent });
  const whole = await Deno.readFile(at.program);
  const head = new TextDecoder().decode(whole.subarray(0, 65_536));
  const [, ...found] = /tc_first=(\d+) tc_second=(\d+) tc_end=(\d+)/.exec(head)!;
  const [first, second, end] = found.map(Number) as [number, number, number];
  expect(Math.min(second - first, end - second)).toBeGreaterThan(10_000);
  const damaged = join(at.directory, "damaged");
  for (const position of [first, (first + second) / 2, second, (second + end) / 2, end]) {
    const content = whole.slice();
    content[Math.floor(position) - 1]! ^= 0x55;
    await Deno.writeFile(damaged, content, { mode: 0o755 });
    expectRefused(await run([damaged, "args"], at), "is damaged", damaged);
    expect(list(at.cache)).toEqual([]);
  }
  expect((await run([at.program, "args", "x"], at)).text).toBe("<x>");
  const unpacked = await Deno.readTextFile(join(expectWhole(at.cache), "deno"));
  expect(unpacked.endsWith(runtime)).toBe(true);
});

testHeads(
  "executable > a cache directory that another user can write is refused",
  async (t, head) => {
    await using at = await setUp({ head });
    const { directory, cache } = at;
    const other = 54321;
    const cases: [string, string, () => Promise<void>][] = [
      ["writable for its group", "other users can write", () => Deno.chmod(cache, 0o770)],
      ["writable for all", "other users can write", () => Deno.chmod(cache, 0o707)],
      ["writable for all, sticky", "other users can write", () => Deno.chmod(cache, 0o1777)],
      ["a symbolic link", "symbolic link", async () => {
        await Deno.rename(cache, join(directory, "real"));
        await Deno.symlink("real", cache);
      }],
      [
        "in a directory writable for all",
        "other users can write",
        () => Deno.chmod(directory, 0o777),
      ],
      [
        "in a directory writable for its group",
        "other users can write",
        () => Deno.chmod(directory, 0o775),
      ],
      ["a file", "not a directory", async () => {
        await Deno.remove(cache, { recursive: true });
        await Deno.writeTextFile(cache, "");
      }],
      ["not absolute", "absolute path", () => Promise.resolve()],
    ];
    if (isRoot) {
      cases.push(
        ["of another user", "belongs to another user", () => Deno.chown(cache, other, other)],
        [
          "in a directory of another user",
          "belongs to another user",
          () => Deno.chown(directory, other, other),
        ],
      );
    } else skip("directories of another user: only root can make them");
    const env = (name: string) => ({
      ...at.env,
      ...(name === "not absolute" ? { TOOLCALL_CACHE_DIR: "cache" } : {}),
    });
    for (const before of ["empty", "unpacked", "missing"]) {
      for (const [name, reason, change] of cases) {
        if (before === "missing" && !name.startsWith("in ")) continue;
        await t.step(`${name}, ${before}`, async () => {
          await Deno.mkdir(cache, { mode: 0o700 });
          if (before === "unpacked") expect((await run([at.program, "args"], at)).code).toBe(0);
          if (before === "missing") await Deno.remove(cache);
          await change();
          const ended = await run([at.program, "args"], { env: env(name), cwd: directory });
          expectRefused(ended, reason, "TOOLCALL_CACHE_DIR");
          if (before === "missing") expect(list(directory)).not.toContain("cache");
          if (before === "empty" && name !== "a file") expect(list(cache)).toEqual([]);
          if (isRoot) await Deno.chown(directory, 0, 0);
          await Deno.chmod(directory, 0o755);
          for (const path of [cache, join(directory, "real")]) {
            await Deno.remove(path, { recursive: true }).catch(() => {});
          }
        });
      }
    }
  },
);

testHeads("executable > files of another user in the cache are replaced", async (t, head) => {
  if (!isRoot) return skip("only root can make files of another user");
  await using at = await setUp({ head });
  for (const name of ["", "deno", "main.js", "ballast"]) {
    await t.step(name === "" ? "the directory" : name, async () => {
      expect((await run([at.program, "args"], at)).code).toBe(0);
      const pointer = join(at.cache, list(at.cache)[0] ?? "");
      const before = (await Deno.readTextFile(pointer)).trim();
      await Deno.chown(join(at.cache, before, name), 54321, 54321);
      expect((await run([at.program, "args", "x"], at)).text).toBe("<x>");
      expect((await Deno.readTextFile(pointer)).trim() === before).toBe(false);
    });
  }
  await t.step("the pointer file", async () => {
    const pointer = join(at.cache, list(at.cache)[0] ?? "");
    await Deno.chown(pointer, 54321, 54321);
    expect((await run([at.program, "args", "x"], at)).text).toBe("<x>");
    expect((await Deno.stat(pointer)).uid).toBe(0);
  });
});

testHeads("executable > the first cache directory that works is used", async (t, head) => {
  await using at = await setUp({ head });
  const home = join(at.directory, "home");
  const file = join(at.directory, "file");
  await Deno.writeTextFile(file, "");
  const own = `${at.fallbackParent}/toolcall-${Deno.uid()}`;
  const cases: [string, Record<string, string>, string][] = [
    [
      "XDG_CACHE_HOME",
      { XDG_CACHE_HOME: `${at.directory}/xdg/new`, HOME: home },
      `${at.directory}/xdg/new/toolcall`,
    ],
    ["HOME", { HOME: home }, `${home}/.cache/toolcall`],
    ["HOME with a slash", { HOME: `${home}/` }, `${home}/.cache/toolcall`],
    ["a relative XDG_CACHE_HOME", { XDG_CACHE_HOME: "xdg", HOME: home }, `${home}/.cache/toolcall`],
    ["an empty XDG_CACHE_HOME", { XDG_CACHE_HOME: "", HOME: home }, `${home}/.cache/toolcall`],
    ["TOOLCALL_CACHE_DIR", { TOOLCALL_CACHE_DIR: `${at.cache}//`, HOME: home }, at.cache],
    ["no HOME", {}, own],
    ["no HOME, but TMPDIR", { TMPDIR: home }, own],
    ["HOME does not exist", { HOME: `${at.directory}/missing/home` }, own],
    ["HOME is a file", { HOME: file }, own],
    ["HOME is a device", { HOME: "/dev/null" }, own],
    ["HOME is relative", { HOME: "home" }, own],
    ["XDG_CACHE_HOME is a file", { XDG_CACHE_HOME: file, HOME: home }, own],
  ];
  for (const [name, env, expected] of cases) {
    await t.step(name, async () => {
      await Deno.mkdir(home);
      await Deno.mkdir(at.fallbackParent);
      for (const _ of ["first start", "warm start"]) {
        const ended = await run([at.program, "args", "x"], {
          env: { PATH, ...env },
          cwd: at.directory,
        });
        expect(ended.stderr).toBe("");
        expect(ended.text).toBe("<x>");
      }
      expectWhole(expected);
      expect(((await Deno.stat(expected)).mode ?? 0) & 0o777).toBe(0o700);
      for (const directory of [home, at.fallbackParent, join(at.directory, "xdg"), at.cache]) {
        await Deno.remove(directory, { recursive: true }).catch(() => {});
      }
    });
  }
});

testHeads(
  "executable > a start without HOME uses the home of the account if the fallback is not private",
  async (_, head) => {
    await using at = await setUp({ head });
    const home = join(at.directory, "account");
    await Deno.mkdir(home);
    const uid = Deno.uid()!;
    const other = `other:x:${uid + 1}:0::${at.directory}/other:/bin/sh\n`;
    await Deno.writeTextFile(at.accounts, `${other}me:x:${uid}:0::${home}:/bin/sh\n`);
    const fallback = `${at.fallbackParent}/toolcall-${uid}`;
    await Deno.mkdir(fallback, { recursive: true });
    // As another user could make it.
    await Deno.chmod(fallback, 0o777);
    for (const _ of ["first start", "warm start"]) {
      const ended = await run([at.program, "args", "x"], { env: { PATH }, cwd: at.directory });
      expect(ended).toMatchObject({ code: 0, text: "<x>", stderr: "" });
    }
    expectWhole(`${home}/.cache/toolcall`);
    expect(list(fallback)).toEqual([]);
    // Without such an account the error names each directory.
    await Deno.writeTextFile(at.accounts, other);
    const refused = await run([at.program, "args"], { env: { PATH }, cwd: at.directory });
    expectRefused(refused, "Set TOOLCALL_CACHE_DIR", "HOME", fallback, "other users can write");
  },
);

testHeads(
  "executable > the error says what to do when no cache directory can be written",
  async (t, head) => {
    await using at = await setUp({ head });
    const file = join(at.directory, "file");
    await Deno.writeTextFile(file, "");
    const advice = "Set TOOLCALL_CACHE_DIR to a directory that only you can write";
    await t.step("files in place of directories", async () => {
      await Deno.writeTextFile(at.fallbackParent, "");
      const fallback = `"${at.fallbackParent}/toolcall-`;
      const env = { PATH, HOME: file };
      expectRefused(await run([at.program, "args"], { env }), advice, fallback, "HOME");
      await Deno.remove(at.fallbackParent);
      const chosen = { PATH, TOOLCALL_CACHE_DIR: `${file}/x` };
      expectRefused(
        await run([at.program, "args"], { env: chosen }),
        advice,
        `"${file}/x": "${file}"`,
      );
    });
    await t.step("directories of root", async () => {
      if (!isRoot || !await works("setpriv", "--reuid=54321", "--clear-groups", "true")) {
        return skip("needs root and setpriv");
      }
      const home = join(at.directory, "home");
      await Deno.mkdir(home, { mode: 0o755 });
      const user = [
        "setpriv",
        "--reuid=54321",
        "--regid=54321",
        "--clear-groups",
        at.program,
        "args",
      ];
      const env = { PATH, HOME: home };
      const ended = await run(user, { env });
      const fallback = `"${at.fallbackParent}/toolcall-54321"`;
      expectRefused(ended, advice, `"${home}/.cache/toolcall"`, fallback);
      await Deno.chmod(home, 0o1777);
      expect((await run(user, { env })).code).toBe(0);
      // In a user namespace without root, root's files seem to belong to user 65534.
      const inside = [...user.slice(0, -2), "unshare", "-U", "--map-user=54321", ...user.slice(-2)];
      if (await works(...inside.slice(0, -2), "true")) {
        for (const _ of ["warm start", "first start"]) {
          expect((await run(inside, { env })).code).toBe(0);
          await Deno.remove(join(home, ".cache"), { recursive: true });
        }
      } else skip("the part in a user namespace: it cannot be made");
    });
  },
);

testHeads(
  "executable > the next directory is used when a disk is full, read-only or noexec",
  async (t, head) => {
    if (!await works("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt")) {
      return skip("needs the right to mount");
    }
    await using at = await setUp({ ballast: 2_000_000, head });
    const home = join(at.directory, "home");
    await Deno.mkdir(home);
    await Deno.mkdir(at.fallbackParent);
    const cases: [string, string][] = [
      ["noexec", "cannot be started"],
      ["size=1m", "cannot be unpacked into"],
      ["ro", "Read-only"],
    ];
    for (const [option, reason] of cases) {
      await t.step(option, async () => {
        const script = `mount -t tmpfs -o mode=700,${option} tmpfs "$1" && shift && exec "$@"`;
        const command = ["unshare", "-m", "sh", "-c", script, "sh", home, at.program, "args", "x"];
        const next = await run(command, { env: { PATH, HOME: home } });
        expect(next.text).toBe("<x>");
        expect(next.stderr).toBe("");
        const only = await run(command, { env: { PATH, TOOLCALL_CACHE_DIR: `${home}/cache` } });
        expectRefused(only, reason, `"${home}/cache"`);
      });
    }
  },
);

testHeads("executable > it needs only a shell and the base tools", async (t, head) => {
  if (!isRoot || !await works("chroot", "/", "true")) {
    return skip("needs the right to change the root directory");
  }
  for (const shell of ["dash", "busybox"]) {
    await t.step(shell, async () => {
      if (!await works(shell, ...(shell === "dash" ? ["-c", "true"] : ["true"]))) {
        return skip(`${shell} is not installed`);
      }
      await using at = await setUp({ head });
      const root = join(at.directory, "root");
      await Deno.mkdir(join(root, "bin"), { recursive: true });
      await Deno.mkdir(join(root, "dev"));
      expect(await works("mknod", join(root, "dev/null"), "c", "1", "3")).toBe(true);
      await copyProgram(shell, { root, name: "sh" });
      for (const tool of TOOLS) {
        if (shell === "dash") await copyProgram(tool, { root, name: tool });
        else await Deno.symlink("sh", join(root, "bin", tool));
      }
      await Deno.copyFile(at.program, join(root, "standin"));
      const env = { PATH, TOOLCALL_CACHE_DIR: "/cache" };
      const command = ["chroot", root, "/standin", "args", "x y"];
      for (const _ of ["first start", "warm start"]) {
        const ended = await run(command, { env });
        expect(ended.stderr).toBe("");
        expect(ended.text).toBe("<x y>");
      }
      expectWhole(join(root, "cache"));
      await Deno.remove(join(root, "cache"), { recursive: true });
      await Deno.remove(join(root, "bin", "gzip"));
      expectRefused(await run(command, { env }), `"gzip" is missing`);
    });
  }
});

/** Copies a program, with the libraries that it loads, into a new root directory. */
async function copyProgram(program: string, { root, name }: { root: string; name: string }) {
  const path = (await run(["sh", "-c", `command -v ${program}`], { env: { PATH } })).text.trim();
  await Deno.copyFile(await Deno.realPath(path), join(root, "bin", name));
  const { text } = await run(["ldd", path], { env: { PATH } });
  for (const [library] of text.matchAll(/\/\S+(?= \()/g)) {
    const target = join(root, library);
    await Deno.mkdir(join(target, ".."), { recursive: true });
    await Deno.copyFile(library, target);
  }
}

testHeads(
  "executable > the first start removes files of killed processes and old versions, and nothing else",
  async (_, head) => {
    await using at = await setUp({ head });
    await Deno.mkdir(at.cache, { mode: 0o700 });
    const day = new Date(Date.now() - 25 * 3_600_000);
    const month = new Date(Date.now() - 32 * 24 * 3_600_000);
    const make = async (name: string, { time, text }: { time?: Date; text?: string }) => {
      const path = join(at.cache, name);
      if (text === undefined) {
        await Deno.mkdir(path);
        await Deno.writeTextFile(join(path, "deno"), "");
      } else await Deno.writeTextFile(path, text);
      if (time) await Deno.utime(path, time, time);
    };
    const ended = new Deno.Command("true", { clearEnv: true }).spawn();
    await ended.status;
    await make("0123456789abcdef.11.0", { time: day });
    await make("0123456789abcdef.lock", { time: day, text: "11\n" });
    await make(`0123456789abcdef.${ended.pid}.0`, {});
    await make("2123456789abcdef.13.0", { time: day });
    await make("2123456789abcdef", { time: day, text: "2123456789abcdef.13.0\n" });
    await make("3123456789abcdef.14.0", { time: month });
    await make("3123456789abcdef", { time: month, text: "3123456789abcdef.14.0\n" });
    await make("of the user.1.0", { time: month });
    await make("notes", { time: month, text: "mine" });
    // These are being unpacked here or on another machine, or are complete and may be in use.
    await make(`1123456789abcdef.${Deno.pid}.0`, {});
    await make(`1123456789abcdef.${ended.pid}.77`, {});
    await make(`4123456789abcdef.${ended.pid}.0`, {});
    await Deno.mkdir(join(at.cache, `4123456789abcdef.${ended.pid}.0`, "state"));
    expect((await run([at.program, "args"], at)).code).toBe(0);
    const kept = ["2123456789abcdef", "2123456789abcdef.13.0", "notes", "of the user.1.0"];
    kept.push(`1123456789abcdef.${Deno.pid}.0`, `1123456789abcdef.${ended.pid}.77`);
    kept.push(`4123456789abcdef.${ended.pid}.0`);
    const names = list(at.cache);
    for (const name of kept) expect(names).toContain(name);
    expect(names.length).toBe(kept.length + 2);
  },
);

testHeads(
  "executable > versions with the same runtime share its file, others do not",
  async (_, head) => {
    await using at = await setUp({ head });
    const other = join(at.directory, "other");
    await writeStandIn(other, { ballast: 2000, fallbackParent: at.fallbackParent, head });
    const third = join(at.directory, "third");
    const runtime = "# another runtime\n";
    await writeStandIn(third, { fallbackParent: at.fallbackParent, head, runtime });
    const inodeOf = async (program: string) => {
      const before = new Set(await Promise.resolve(list(at.cache)));
      expect((await run([program, "args", "x"], at)).text).toBe("<x>");
      const [added] = list(at.cache).filter((name) => !before.has(name) && name.includes("."));
      return Deno.statSync(join(at.cache, added!, "deno")).ino;
    };
    await Deno.mkdir(at.cache, { mode: 0o700 });
    const first = await inodeOf(at.program);
    expect(await inodeOf(other)).toBe(first);
    expect(await inodeOf(third)).not.toBe(first);
    for (const program of [at.program, other, third]) {
      expect((await run([program, "args", "warm"], at)).text).toBe("<warm>");
    }
  },
);

testHeads(
  "executable > a new version keeps those in use and the last used one, and removes older ones",
  async (_, head) => {
    if (Deno.build.os !== "linux") return skip("reads /proc");
    await using at = await setUp({ head });
    await Deno.mkdir(at.cache, { mode: 0o700 });
    const day = 24 * 3_600_000;
    for (const [letter, days] of [["a", 5], ["b", 3], ["c", 2], ["d", 0]] as const) {
      const mark = join(at.cache, letter.repeat(16));
      await Deno.mkdir(`${mark}.1.2/state`, { recursive: true });
      await Deno.writeTextFile(mark, `${basename(mark)}.1.2\n`);
      const time = new Date(Date.now() - days * day);
      for (const path of [mark, `${mark}.1.2`]) await Deno.utime(path, time, time);
    }
    const used = join(at.cache, `${"a".repeat(16)}.1.2`);
    await Deno.copyFile("/bin/sleep", join(used, "deno"));
    const past = new Date(Date.now() - 5 * day);
    await Deno.utime(used, past, past);
    const sleeper = new Deno.Command(join(used, "deno"), { args: ["600"] }).spawn();
    try {
      const runs = () => Deno.readLinkSync(`/proc/${sleeper.pid}/exe`).startsWith(at.cache);
      expect(await until(runs)).toBe(true);
      expect((await run([at.program, "args", "x"], at)).text).toBe("<x>");
      // "d" was used today, and a process runs from "a".
      const letters = list(at.cache).filter((name) => /^(.)\1{15}$/.test(name));
      expect(letters).toEqual(["a", "d"].map((letter) => letter.repeat(16)));
    } finally {
      sleeper.kill();
      await sleeper.status;
    }
  },
);

testHeads(
  "executable > the same files give the same executable, and a failed build leaves no file",
  async (_, head) => {
    await using at = await setUp({ head });
    const payload = join(at.directory, "payload");
    await Deno.mkdir(payload);
    for (const name of ["main.js", "deno"]) await Deno.writeTextFile(join(payload, name), name);
    const outputs = [join(at.directory, "one"), join(at.directory, "two")];
    for (const output of outputs) {
      await writeSelfExtracting({ directory: payload, output });
      const past = new Date(Math.random() * 1e12);
      await Deno.utime(join(payload, "deno"), past, past);
    }
    const [one, two] = await Promise.all(outputs.map((output) => Deno.readFile(output)));
    expect(one).toEqual(two);
    await Deno.mkdir(join(payload, "folder"));
    await expect(writeSelfExtracting({ directory: payload, output: join(at.directory, "three") }))
      .rejects.toThrow("only files can be packed");
    expect(list(at.directory)).toEqual(["accounts", "one", "payload", "standin", "two"]);
  },
);

const TOOLCALL = join(ROOT, "dist", "toolcall");

/** A new cache directory for the real executable, which is built if it is missing. */
async function setUpReal() {
  try {
    await Deno.stat(TOOLCALL);
  } catch {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["task", "build"],
      cwd: ROOT,
    }).output();
    expect(code, new TextDecoder().decode(stderr)).toBe(0);
  }
  const cache = await Deno.realPath(await Deno.makeTempDir());
  return {
    cache,
    env: { PATH, HOME: cache, TOOLCALL_CACHE_DIR: cache },
    [Symbol.asyncDispose]: () => Deno.remove(cache, { recursive: true }),
  };
}

Deno.test("toolcall > twenty starts at the same time on an empty cache all answer", async () => {
  await using at = await setUpReal();
  const call = [TOOLCALL, "--allow-read=.", "fs.read", '{"path":"LICENSE"}'];
  const all = await Promise.all(
    Array.from({ length: 20 }, () => run(call, { env: at.env, cwd: ROOT })),
  );
  for (const ended of all) {
    expect(ended.stderr).toBe("");
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.text).content[0].text).toContain("MIT License");
  }
  // A compiled executable has nothing to unpack.
  if (list(at.cache).length > 0) expectWhole(at.cache);
});

Deno.test("toolcall > the first start takes at most six times as long as gzip and tar for the same bytes", async () => {
  await using at = await setUpReal();
  const [, offset, runtime] = /tc_offset=(\d+) tc_runtime_offset=(\d+)/.exec(
    new TextDecoder().decode((await Deno.readFile(TOOLCALL)).subarray(0, 65_536)),
  ) ?? [];
  if (offset === undefined) return skip("the executable was made by deno compile");
  const script = `mkdir "$1" && cd "$1" &&
    head -c ${Number(runtime) - 1} "$0" | tail -c +${offset} | gzip -dc | tar -xf - &&
    tail -c +${runtime} "$0" | gzip -dc | tar -xf -`;
  const took = async (command: string[], env: Record<string, string>) => {
    const begin = performance.now();
    expect((await run(command, { env })).code).toBe(0);
    return performance.now() - begin;
  };
  let [unpack, start] = [Infinity, Infinity];
  // The fastest tries exclude the time that other programs took. The bench measures the ratio.
  for (let i = 0; i < 20 && (i < 4 || start > 1.2 * unpack); i++) {
    const directory = join(at.cache, `unpacked-${i}`);
    const cache = join(at.cache, `cache-${i}`);
    unpack = Math.min(unpack, await took(["sh", "-c", script, TOOLCALL, directory], at.env));
    const env = { ...at.env, TOOLCALL_CACHE_DIR: cache };
    start = Math.min(start, await took([TOOLCALL, "--version"], env));
    for (const each of [directory, cache]) await Deno.remove(each, { recursive: true });
  }
  expect(start / unpack).toBeLessThanOrEqual(6);
});

Deno.test("toolcall > a start empties a long log of the runtime's code cache", async () => {
  await using at = await setUpReal();
  const call = [TOOLCALL, "--allow-read=.", "fs.read", '{"path":"LICENSE"}'];
  const start = async () => (await run(call, { ...at, cwd: ROOT })).text;
  const first = await start();
  const state = join(expectWhole(at.cache), "state");
  const logs = () =>
    list(state).filter((name) => name.endsWith("-wal")).map((name) =>
      Deno.statSync(join(state, name)).size
    );
  expect(logs()).toHaveLength(3);
  // The modules of doctor make the log longer than its limit.
  await run([TOOLCALL, "doctor"], at);
  expect(Math.max(...logs())).toBeGreaterThan(512 * 1024);
  expect(await start()).toBe(first);
  expect(Math.max(...logs())).toBeLessThan(512 * 1024);
  expect(await start()).toBe(first);
});

Deno.test("toolcall > a start reads all of a runtime that is not in memory, and later starts read nothing", async () => {
  if (ownArchitecture() === undefined) return skip("only the native head reads the runtime");
  await using at = await setUpReal();
  await run([TOOLCALL, "--version"], at);
  if (list(at.cache).length === 0) return skip("the executable was made by deno compile");
  const runtime = join(expectWhole(at.cache), "deno");
  try {
    dropPages([runtime]);
  } catch (error) {
    if (error instanceof Missing) return skip(error.message);
    throw error;
  }
  await run([TOOLCALL, "--version"], at);
  expect(residentPart(runtime)).toBe(1);
  if (!has("strace")) return;
  const { stderr } = await run(
    ["strace", "-e", "trace=execve,madvise", TOOLCALL, "--version"],
    at,
  );
  const calls = stderr.split("\n").map((line) => line.split("(")[0]);
  expect(calls.slice(0, 2)).toEqual(["execve", "execve"]);
});

Deno.test("toolcall > a start works after a kill in the middle of unpacking", async () => {
  await using at = await setUpReal();
  for (const moment of [100, 250, 400]) {
    const child = new Deno.Command(TOOLCALL, {
      args: ["--version"],
      clearEnv: true,
      env: at.env,
      stdout: "null",
    }).spawn();
    await pause(moment, "The kill comes at an arbitrary moment of the start.");
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await child.status;
    expect((await run([TOOLCALL, "--version"], at)).text).toBe(`toolcall ${version}\n`);
    for (const name of list(at.cache)) await Deno.remove(join(at.cache, name), { recursive: true });
  }
});

Deno.test("toolcall > configuration files and variables of the runtime around it are ignored", async () => {
  await using at = await setUpReal();
  const cwd = await Deno.makeTempDir();
  for (const name of ["deno.json", "package.json", "tsconfig.json", "import_map.json", ".env"]) {
    await Deno.writeTextFile(join(cwd, name), "{ no JSON");
  }
  const env = {
    ...at.env,
    DENO_V8_FLAGS: "--no-such-flag",
    DENO_TRACE_PERMISSIONS: "1",
    DENO_AUDIT_PERMISSIONS: join(cwd, "audit"),
    DENO_COVERAGE_DIR: join(cwd, "coverage"),
    DENO_LOG: "debug",
    RUST_LOG: "debug",
    NODE_OPTIONS: `--require=${join(cwd, "missing")}`,
    NODE_DEBUG: "fs",
    NODE_CHANNEL_FD: "1",
    NODE_V8_COVERAGE: join(cwd, "coverage"),
    OTEL_DENO: "console",
  };
  const before = list(cwd);
  for (const _ of ["first start", "warm start"]) {
    const ended = await run([TOOLCALL, "--version"], { env, cwd });
    expect(ended.stderr).toBe("");
    expect(ended.text).toBe(`toolcall ${version}\n`);
    expect(ended.code).toBe(0);
  }
  expect(list(cwd)).toEqual(before);
  expect(list(at.cache).filter((name) => !/^[0-9a-f]{16}(\.\d+\.\d+)?$/.test(name))).toEqual([]);
  await Deno.remove(cwd, { recursive: true });
});

Deno.test("toolcall > a large call is read from stdin, and an unknown flag is refused", async () => {
  await using at = await setUpReal();
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const content = "0123456789 é€😀\n".repeat(50_000);
  const call = { name: "Write", arguments: { file_path: join(directory, "-out put"), content } };
  const stdin = new TextEncoder().encode(JSON.stringify(call));
  const ended = await run([TOOLCALL, `--allow-write=${directory}`], { env: at.env, stdin });
  expect(ended.code, ended.text).toBe(0);
  expect(await Deno.readTextFile(join(directory, "-out put"))).toBe(content);
  const unknown = await run([TOOLCALL, "--no-such-flag"], { env: at.env });
  expect(unknown.code).toBe(2);
  expect(unknown.text).toBe("");
  await Deno.remove(directory, { recursive: true });
});

Deno.test("toolcall > a call is one process, which a signal ends", async () => {
  if (Deno.build.os !== "linux") return skip("reads /proc");
  await using at = await setUpReal();
  await run([TOOLCALL, "--version"], at);
  const child = new Deno.Command(TOOLCALL, {
    clearEnv: true,
    env: at.env,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const running = () => Deno.readLinkSync(`/proc/${child.pid}/exe`);
  expect(await until(() => running().startsWith(at.cache))).toBe(true);
  expect(Deno.readTextFileSync(`/proc/${child.pid}/task/${child.pid}/children`)).toBe("");
  child.kill("SIGTERM");
  const [{ code, signal }] = await Promise.all([child.status, child.stdout.cancel()]);
  expect(signal === "SIGTERM" || code === 7).toBe(true);
  await child.stdin.close().catch(() => {});
});

Deno.test("build > deno itself is refused as the runtime of compiled programs", async () => {
  const directory = await Deno.makeTempDir();
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "scripts/build.ts", "--compile", `--output=${directory}/toolcall`],
    cwd: ROOT,
    env: { DENORT_BIN: Deno.execPath() },
  }).output();
  expect(new TextDecoder().decode(stderr)).toContain("DENORT_BIN has to name the runtime");
  expect(code).toBe(1);
  expect(list(directory)).toEqual([]);
  await Deno.remove(directory, { recursive: true });
});
