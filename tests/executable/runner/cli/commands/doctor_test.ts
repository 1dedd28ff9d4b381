/**
 * The built `toolcall doctor`: on this machine, and on a machine that lacks something.
 */
import { expect } from "@std/expect";
import {
  executable,
  oneLine,
  type Run,
  temporaryDirectory,
  toolcall,
} from "../../../../support/executable.ts";
import { works } from "../../../../support/programs.ts";
import { until } from "../../../../support/wait.ts";

interface Finding {
  kind: string;
  name: string;
  ok: boolean;
  detail: string;
  advice?: string;
  tools?: string[];
}

const WALLS = [
  "landlock",
  "sandbox",
  "files",
  "programs",
  "network",
  "sockets",
  "signals",
  "metadata",
  "protected",
];
/** The sandbox layers that calls can do without, because not every user can make mounts. */
const OPTIONAL = ["metadata", "protected"];
const PROGRAMS = ["bash", "git", "rg", "bwrap", "state"];
const OTHERS = [...PROGRAMS, "model", "MCP server", "search provider", "notion"];
/** The built-in bundles. */
const BUNDLES = ["code_agent", "blog_agent", "read_only", "all", "compat"];

/** The findings of a run by name. Each finding must have a detail. */
function findingsOf(run: Run): Record<string, Finding> {
  const { ok, findings: all } = oneLine(run) as { ok: boolean; findings: Finding[] };
  const findings = all.filter(({ kind }) => kind !== "server");
  expect(findings.map(({ name }) => name)).toEqual([...WALLS, ...OTHERS, ...BUNDLES]);
  for (const { detail } of findings) expect(detail).not.toBe("");
  expect(ok).toBe(
    findings.every((each) =>
      each.ok || [...OTHERS, ...BUNDLES].includes(each.name) || "optional" in each
    ),
  );
  expect(run.code).toBe(ok ? 0 : 1);
  expect(run.stderr).toBe("");
  return Object.fromEntries(findings.map((finding) => [finding.name, finding]));
}

/** Every sandbox layer that this machine's version of Landlock supports must work. */
function expectSandbox(findings: Record<string, Finding>): void {
  const version = Number(/^version (\d+)/.exec(findings["landlock"]!.detail)?.[1]);
  for (const name of WALLS.filter((name) => !OPTIONAL.includes(name))) {
    expect(findings[name]).toMatchObject({ name, ok: name !== "signals" || version >= 6 });
  }
}

/**
 * The names of the directories that a run with this TMPDIR leaves there. The cleanup is waited for.
 */
async function leftIn(directory: string): Promise<string[]> {
  const names = () => [...Deno.readDirSync(directory)].map(({ name }) => name);
  await until(() => names().length === 0);
  return names();
}

async function run(command: string[], env: Record<string, string>): Promise<Run> {
  const [program, ...args] = command;
  const options = { args, env, clearEnv: true, stdin: "null" } as const;
  const { code, stdout, stderr } = await new Deno.Command(program!, options).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

const isLinux = Deno.build.os === "linux";
const PATH = Deno.env.get("PATH")!;
/** The commands that start a program as an ordinary user, and under a system call filter. */
const asUser = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"];
const filtered = ["bwrap", "--dev-bind", "/", "/"];

Deno.test({
  name: "doctor > each sandbox layer is reported in text that users can read",
  ignore: !isLinux,
  async fn() {
    using directory = temporaryDirectory();
    const { code, stdout, stderr } = await toolcall(["doctor"], {
      env: { TMPDIR: directory.path },
    });
    const found = stdout.split("\n").filter((line) => /^(ok|MISSING) /.test(line));
    const lines = found.map((line) => line.replaceAll(/ {2,}/g, "  "));
    const version = Number(/^ok {2}landlock {2}version (\d+)/.exec(lines[0]!)?.[1]);
    expect(lines.slice(1, 6)).toEqual([
      "ok  sandbox  bash and its private TMPDIR work in the sandbox",
      "ok  files  programs read and write only what the flags allow",
      "ok  programs  programs start only what --allow-run allows",
      "ok  network  programs have no network access without --allow-net",
      "ok  sockets  programs reach no Unix socket, and so no local service",
    ]);
    const [signals, exit] = version >= 6
      ? ["ok  signals  programs signal only their own processes", 0]
      : ["MISSING  signals  a program can signal other processes of this user", 1];
    expect(lines[6]).toContain(signals);
    expect(lines[7]).toMatch(
      /^(ok {2}metadata {2}programs change mode|MISSING {2}metadata {2}a program)/,
    );
    expect(lines[8]).toMatch(
      /^(ok {2}protected {2}programs cannot|MISSING {2}protected {2}programs can)/,
    );
    expect(lines[9]).toMatch(/^ok {2}bash {2}GNU bash, version/);
    expect(lines[10]).toMatch(/^(ok {2}git {2}git version|MISSING {2}git {2}not in PATH)/);
    expect(lines[11]).toMatch(/^ok {2}rg {2}ripgrep \d/);
    expect(lines[12]).toMatch(/^(ok {2}bwrap {2}bubblewrap \d|MISSING {2}bwrap {2})/);
    expect(lines[13]).toMatch(/^ok {2}state {2}\/.*created when a call needs it$/);
    const columns = found.map((line) => /^\S+ +\S+(?: \S+)* {2,}/.exec(line)![0].length);
    expect(new Set(columns).size).toBe(1);
    expect(stdout).toMatch(/^Sandbox of the programs that a call starts:\nok /);
    expect(stdout).toMatch(
      /\n\nRequirements of the tools:\nok .*\n {9}needed by Bash, Monitor, test\n/,
    );
    expect(stdout).toMatch(
      /^\S+ +bwrap .*\n {9}not required: one more sandbox layer \(--wall=bwrap\)$/m,
    );
    expect({ code, stderr }).toEqual({ code: exit, stderr: "" });
    expect(await leftIn(directory.path)).toEqual([]);
  },
});

Deno.test({
  name: "doctor > --format=json prints the findings on one line",
  ignore: !isLinux,
  async fn() {
    expectSandbox(findingsOf(await toolcall(["doctor", "--format=json"])));
  },
});

Deno.test("doctor > the help describes the command, and wrong options are refused", async () => {
  using directory = temporaryDirectory();
  expect((await toolcall(["help", "doctor"])).stdout).toContain(
    "toolcall doctor [--format=text|json]",
  );
  expect((await toolcall(["doctor", "--help"])).stdout).toContain("--format=FORMAT");
  const rows: [args: string[], says: string][] = [
    [["--format=mcp"], "available: text and json"],
    [["more"], 'Unexpected argument "more"'],
    [["--session=x"], 'cannot be combined with "doctor"'],
    [[`--root=${directory.path}/none`], "does not exist"],
  ];
  for (const [args, says] of rows) {
    const { code, stdout, stderr } = await toolcall(["doctor", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(says);
  }
});

Deno.test({
  name: "doctor > a program that is missing in PATH is reported, with how to get it",
  ignore: !isLinux,
  async fn(t) {
    using directory = temporaryDirectory();
    const real = async (name: string) =>
      (await run(["/bin/sh", "-c", `command -v ${name}`], { PATH })).stdout.trim();
    for (const name of ["bash", "ls"]) {
      Deno.symlinkSync(await real(name), `${directory.path}/${name}`);
    }
    await t.step("git and bwrap are missing: the sandbox works", async () => {
      const done = await run([executable, "doctor", "--format=json"], {
        ...cache(),
        PATH: directory.path,
      });
      const findings = findingsOf(done);
      expectSandbox(findings);
      expect(findings["git"]).toMatchObject({ ok: false, detail: "not in PATH", tools: ["git"] });
      expect(findings["git"]!.advice).toContain("install git");
      expect(findings["bwrap"]!.advice).toContain("install bubblewrap");
    });
    await t.step(
      "bash is missing too: no layer can be tested, and the advice names --unconfined-run",
      async () => {
        Deno.removeSync(`${directory.path}/bash`);
        const env = { ...cache(), PATH: directory.path };
        const findings = findingsOf(await run([executable, "doctor", "--format=json"], env));
        expect(findings["sandbox"]!.detail).toContain("without bash");
        expect(findings["bash"]!.advice).toContain("install bash");
        expect(findings["bash"]!.tools).toEqual(["Bash", "Monitor", "test"]);
        for (const name of WALLS.slice(2)) {
          expect(findings[name]).toEqual({ kind: "sandbox", name, ok: false, detail: "not tried" });
        }
        const { code, stdout } = await run([executable, "doctor"], env);
        expect(code).toBe(1);
        expect(stdout).toMatch(/^MISSING {2}files +not tried$/m);
        expect(stdout).toContain("--unconfined-run");
      },
    );
  },
});

Deno.test({
  name: "doctor > a TMPDIR that is missing, or too long for a socket, does not end the report",
  ignore: !isLinux,
  async fn(t) {
    using directory = temporaryDirectory();
    await t.step("the directory is missing", async () => {
      const env = { TMPDIR: `${directory.path}/none` };
      const findings = findingsOf(await toolcall(["doctor", "--format=json"], { env }));
      expect(findings["sandbox"]).toMatchObject({ ok: false });
      expect(findings["sandbox"]!.detail).toContain("No such file or directory");
    });
    await t.step("the path is too long", async () => {
      const long = `${directory.path}/${"x".repeat(100)}`;
      Deno.mkdirSync(long);
      const done = await toolcall(["doctor", "--format=json"], { env: { TMPDIR: long } });
      expect(findingsOf(done)["sockets"]!.ok).toBe(true);
      expect(await leftIn(long)).toEqual([]);
    });
  },
});

Deno.test({
  name: "doctor > an ordinary user has the same sandbox",
  ignore: !isLinux || !works([...asUser, "true"], "to become an ordinary user takes root"),
  async fn() {
    using directory = temporaryDirectory();
    Deno.chmodSync(directory.path, 0o755);
    const [program, kept, temporary] = ["toolcall", "cache", "tmp"].map((name) =>
      `${directory.path}/${name}`
    );
    Deno.copyFileSync(executable, program!);
    Deno.chmodSync(program!, 0o755);
    for (const path of [kept!, temporary!]) {
      Deno.mkdirSync(path, { mode: 0o700 });
      Deno.chownSync(path, 54321, 54321);
    }
    const env = { PATH, TOOLCALL_CACHE_DIR: kept!, TMPDIR: temporary! };
    const findings = findingsOf(await run([...asUser, program!, "doctor", "--format=json"], env));
    expectSandbox(findings);
    expect(await leftIn(temporary!)).toEqual([]);
  },
});

/**
 * The number of a system call on this machine, its forced result (0 is a success without effect),
 * and the findings of doctor.
 */
const BROKEN: readonly [
  name: string,
  call: number,
  answer: number,
  missing: Readonly<Record<string, string>>,
][] = [
  ["a kernel without Landlock", 444, 38, {
    landlock: "this kernel has no Landlock",
    sandbox: "Landlock",
    ...notTried(),
  }],
  ["a Landlock that is refused", 446, 1, {
    sandbox: "Landlock): the kernel did not restrict this thread",
    ...notTried(),
  }],
  ["a Landlock that does nothing", 446, 0, {
    sandbox: "Landlock): signals still reach the processes outside of it",
    ...notTried(),
  }],
  ["a filter that is refused", seccomp(), 22, {
    sandbox: "seccomp): the system call filter was refused",
    ...notTried(),
  }],
  ["a filter that does nothing", seccomp(), 0, {
    network: "a program sent a UDP packet",
    sockets: "a Unix socket can be reached",
    signals: "a program can signal toolcall itself",
  }],
];

Deno.test({
  name: "doctor > a sandbox layer that does not work is reported",
  ignore: !isLinux || !works([...filtered, "true"], "what changes the kernel's answers"),
  async fn(t) {
    using directory = temporaryDirectory();
    for (const [name, call, answer, missing] of BROKEN) {
      await t.step(name, async () => {
        Deno.writeFileSync(`${directory.path}/filter`, answering(call, answer));
        Deno.mkdirSync(`${directory.path}/tmp`, { recursive: true });
        const script = 'exec "$@" 3< "$0"';
        const inner = [...filtered, "--seccomp", "3", executable, "doctor", "--format=json"];
        const env = { ...cache(), PATH, TMPDIR: `${directory.path}/tmp` };
        const findings = findingsOf(
          await run(["/bin/sh", "-c", script, `${directory.path}/filter`, ...inner], env),
        );
        for (const wall of WALLS) {
          if (missing[wall] === undefined) {
            // Not every machine allows mounts inside bubblewrap.
            if (OPTIONAL.includes(wall)) continue;
            expect(findings[wall]).toMatchObject({ name: wall, ok: true });
          } else {
            expect(findings[wall]).toMatchObject({ name: wall, ok: false });
            expect(findings[wall]!.detail).toContain(missing[wall]);
          }
        }
        expect(await leftIn(`${directory.path}/tmp`)).toEqual([]);
      });
    }
  },
});

function notTried(): Record<string, string> {
  return Object.fromEntries(WALLS.slice(2).map((name) => [name, "not tried"]));
}

function seccomp(): number {
  return Deno.build.arch === "x86_64" ? 317 : 277;
}

/** A filter in the format of bwrap that makes one system call only return `errno`. */
function answering(call: number, errno: number): Uint8Array {
  const program: [code: number, yes: number, no: number, operand: number][] = [
    [0x20, 0, 0, 0], // the system call's number
    [0x15, 0, 1, call],
    [0x06, 0, 0, 0x00050000 | errno],
    [0x06, 0, 0, 0x7fff0000],
  ];
  const view = new DataView(new ArrayBuffer(8 * program.length));
  for (const [at, [code, yes, no, operand]] of program.entries()) {
    view.setUint16(8 * at, code, true);
    view.setUint8(8 * at + 2, yes);
    view.setUint8(8 * at + 3, no);
    view.setUint32(8 * at + 4, operand, true);
  }
  return new Uint8Array(view.buffer);
}

/** The variables that lead the executable to the cache of the other tests. */
function cache(): Record<string, string> {
  const names = ["HOME", "XDG_CACHE_HOME", "TOOLCALL_CACHE_DIR"];
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}
