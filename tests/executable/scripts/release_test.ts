/** `deno task release`: its files, and their installation in a base system. */
// tier: machine
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { parse } from "@std/yaml/parse";
import { version } from "../../../src/base/version.ts";
import { RUNTIME_FLAGS } from "../../../scripts/self_extracting.ts";
import { addresses } from "../../../scripts/release/addresses.ts";
import { ownTarget } from "../../../scripts/release/targets.ts";
import { baseSystemFault, makeBaseSystem } from "../../support/base_system.ts";
import { temporaryDirectory } from "../../support/temporary_directory.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const target = ownTarget();
const MIB = 2 ** 20;

const work = temporaryDirectory();
globalThis.addEventListener("unload", () => work[Symbol.dispose]());

/** Says why tests are skipped. */
function skip(reason: string | undefined): boolean {
  if (reason === undefined) return false;
  Deno.stderr.writeSync(new TextEncoder().encode(`Skipping tests of the release: ${reason}\n`));
  return true;
}

const hasGit = await new Deno.Command("git", { args: ["--version"] }).output().then(
  () => true,
  () => false,
);
const fault = target === undefined
  ? `there is no release for ${Deno.build.target}`
  : hasGit
  ? undefined
  : "git is missing";
const ignore = skip(fault);
const rootFault = fault ?? await baseSystemFault();
const ignoreRoot = skip(rootFault);

async function execute(command: string[], cwd: string, env: Record<string, string> = {}) {
  const { success, stdout, stderr } = await new Deno.Command(command[0]!, {
    args: command.slice(1),
    cwd,
    env,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`${command.join(" ")}: ${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}

/** Copies the sources into a directory and commits them there, always as the same commit. */
async function checkOut(path: string): Promise<void> {
  Deno.mkdirSync(path, { recursive: true });
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const names = (await execute(["git", ...list], root)).split("\0").filter((name) => name !== "");
  for (const name of names) {
    Deno.mkdirSync(dirname(join(path, name)), { recursive: true });
    await Deno.copyFile(join(root, name), join(path, name)).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
  const date = "2026-01-01T00:00:00Z";
  const env = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const user = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
  await execute(["git", "init", "-q"], path);
  await execute(["git", "add", "-A"], path);
  await execute(["git", ...user, "commit", "-qm", "Sources"], path, env);
}

/** Makes the release of this platform from a copy of the sources. Returns its directory. */
async function makeRelease(path: string): Promise<string> {
  await checkOut(path);
  const args = ["run", "-A", "scripts/release.ts", `--target=${target!.name}`];
  await execute([Deno.execPath(), ...args], path);
  return join(path, "dist", "release");
}

/** Two releases of one commit, made in two directories at the same time. */
const releases = ignore
  ? Promise.resolve([])
  : Promise.all(["a", "b/with a blank"].map((name) => makeRelease(join(work.path, name))));
releases.catch(() => {});

function filesIn(directory: string): string[] {
  return [...Deno.readDirSync(directory)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesIn(join(directory, name)).map((each) => `${name}/${each}`) : [name]
  ).sort();
}

function hashes(directory: string): Record<string, string> {
  return Object.fromEntries(
    filesIn(directory).map((name) => [
      name,
      createHash("sha256").update(Deno.readFileSync(join(directory, name))).digest("hex"),
    ]),
  );
}

Deno.test({
  name: "release > two builds of one commit in two directories give the same bytes",
  ignore,
  async fn() {
    const [first, second] = await releases;
    const { SHA256SUMS: _, ...sums } = hashes(first!);
    expect(hashes(second!)).toEqual(hashes(first!));
    const listed = Deno.readTextFileSync(join(first!, "SHA256SUMS")).trim().split("\n")
      .map((line) => line.split("  ").reverse());
    expect(Object.fromEntries(listed)).toEqual(sums);
  },
});

Deno.test({
  name: "release > the executable and each download have at most 55 MiB",
  ignore,
  async fn() {
    const [release] = await releases;
    const large = filesIn(release!).map((name) => [name, Deno.statSync(join(release!, name)).size])
      .filter(([, size]) => (size as number) > 55 * MIB);
    expect(large).toEqual([]);
    const directory = join(work.path, "unpacked");
    Deno.mkdirSync(directory);
    const archive = `toolcall-${version}-${target!.name}`;
    await execute(["tar", "-xzf", join(release!, `${archive}.tar.gz`)], directory);
    expect(Deno.statSync(join(directory, archive, "toolcall")).size).toBeLessThan(55 * MIB);
    expect(filesIn(join(directory, archive))).toEqual([
      ...["LICENSE", "THIRD_PARTY_NOTICES.txt", "completions/_toolcall"],
      ...["completions/toolcall.bash", "completions/toolcall.fish", "toolcall", "toolcall.1"],
    ]);
  },
});

/** Unpacks both parts of a self-extracting executable, whatever its platform is. */
async function unpack(program: string, directory: string): Promise<void> {
  const start = new TextDecoder().decode(Deno.readFileSync(program).subarray(0, 65_536));
  const [, rest, runtime] = /tc_offset=(\d+) tc_runtime_offset=(\d+)/.exec(start)!;
  Deno.mkdirSync(directory);
  const script = `head -c ${Number(runtime) - 1} "$0" | tail -c +${rest} | gzip -dc | tar -xf - &&
    tail -c +${runtime} "$0" | gzip -dc | tar -xf -`;
  await execute(["sh", "-c", script, program], directory);
}

/** The files of the program by the components that they come from. */
const ORIGINS: readonly (readonly [name: RegExp, component: string])[] = [
  [/^deno(\.[0-9a-f]{16})?$/, "Deno"],
  [/^rg(\.sha256)?$/, "ripgrep"],
  [/^rregex\.wasm$/, "rregex"],
  [/^bytes_web-tree-sitter\.wasm\.js$/, "web-tree-sitter"],
  [/^bytes_tree-sitter-c\.wasm\.js$/, "tree-sitter-c"],
  [/^bytes_tree-sitter-[\w-]+\.wasm\.js$/, "tree-sitter grammars for"],
  // The program itself, with the packages of the lock file that the bundler has put into it.
  [/^[\w-]+(\.validate)?\.js$|^build\.json$/, "ajv"],
];

Deno.test({
  name:
    "release > every file of the program is in the notices, and all but the runtime have at most 25 MiB",
  ignore,
  async fn() {
    const [release] = await releases;
    const directory = join(work.path, "licenses");
    Deno.mkdirSync(directory);
    const name = `toolcall-${version}-${target!.name}`;
    await execute(["tar", "-xzf", join(release!, `${name}.tar.gz`)], directory);
    const files = join(directory, "files");
    await unpack(join(directory, name, "toolcall"), files);
    const notices = Deno.readTextFileSync(join(directory, name, "THIRD_PARTY_NOTICES.txt"));
    const unknown = filesIn(files).filter((file) => {
      const [, component] = ORIGINS.find(([pattern]) => pattern.test(file)) ?? [];
      return component === undefined || !notices.includes(`\n- ${component} `);
    });
    expect(filesIn(files).length).toBeGreaterThan(100);
    expect(unknown).toEqual([]);
    // An executable of "deno compile" contains these files uncompressed, besides its runtime.
    const sizes = filesIn(files).filter((file) => file !== "deno")
      .map((file) => Deno.statSync(join(files, file)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(25 * MIB);
  },
});

Deno.test({
  name:
    "release > the GitHub Action installs it, and fails with a reason while nothing is published",
  ignore,
  async fn() {
    const [release] = await releases;
    const directory = join(work.path, "action");
    Deno.mkdirSync(directory);
    const { runs } = parse(Deno.readTextFileSync(join(root, "action.yml"))) as {
      runs: { steps: { run: string }[] };
    };
    const act = async (from: string) => {
      const { code, stderr } = await new Deno.Command("sh", {
        args: ["-e", "-c", runs.steps[0]!.run],
        env: {
          PATH: "/usr/bin:/bin",
          HOME: directory,
          FROM: from,
          RUNNER_TEMP: directory,
          GITHUB_ACTION_PATH: root,
          GITHUB_PATH: join(directory, "path"),
          GITHUB_OUTPUT: join(directory, "output"),
        },
        clearEnv: true,
      }).output();
      return { code, stderr: new TextDecoder().decode(stderr) };
    };
    expect(await act(release!)).toEqual({ code: 0, stderr: "" });
    const path = Deno.readTextFileSync(join(directory, "path")).trim();
    expect(Deno.readTextFileSync(join(directory, "output"))).toBe(`path=${path}/toolcall\n`);
    const env = { HOME: directory, TOOLCALL_CACHE_DIR: join(directory, "cache") };
    expect(await execute([`${path}/toolcall`, "--version"], directory, env))
      .toBe(`toolcall ${version}\n`);
    if (addresses.downloads !== "") return;
    const failed = await act("");
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("Nothing is published yet");
  },
});

/** The runtime of Debian's C library for another processor, under which QEMU runs programs. */
const ARM = { qemu: "qemu-aarch64-static", library: "/usr/aarch64-linux-gnu" };

Deno.test({
  name:
    "release > the executable for Linux on ARM64 is built on x86-64, and its files run under QEMU",
  ignore: ignore || Deno.build.arch !== "x86_64" || Deno.build.os !== "linux",
  async fn() {
    const [release] = await releases;
    const checkout = dirname(dirname(release!));
    const output = join(work.path, "arm64");
    const args = ["--target=linux-arm64", "--runtime=latest", `--output=${output}`];
    const said = await execute(
      [Deno.execPath(), "run", "-A", "scripts/release.ts", ...args],
      checkout,
    ).catch((error: Error) => error.message);
    const name = `toolcall-${version}-linux-arm64`;
    if (/Nothing can be made/.test(said)) return void skip(`ARM64: ${said}`);
    await execute(["tar", "-xzf", join(output, `${name}.tar.gz`)], work.path);
    const program = join(work.path, name, "toolcall");
    const files = join(work.path, "arm64-files");
    await unpack(program, files);
    const AARCH64 = [183, 0];
    for (const path of [program, join(files, "deno"), join(files, "rg")]) {
      const header = Deno.readFileSync(path).subarray(0, 20);
      expect([...header.subarray(0, 4)]).toEqual([0x7f, 0x45, 0x4c, 0x46]);
      expect([...header.subarray(18)]).toEqual(AARCH64);
    }
    const command = [ARM.qemu, join(files, "deno"), "run", ...RUNTIME_FLAGS];
    const call = ["--allow-all", "fs.read", '{"path":"LICENSE"}'];
    const env = { QEMU_LD_PREFIX: ARM.library, DENO_DIR: join(work.path, "arm64-state") };
    try {
      Deno.statSync(ARM.library);
      await execute([ARM.qemu, "--version"], root);
    } catch (error) {
      return void skip(`ARM64 under QEMU: ${(error as Error).message}`);
    }
    const result = await execute([...command, join(files, "main.js"), ...call], root, env);
    expect(JSON.parse(result).content[0].text).toContain("MIT License");
  },
});

/** The commands of the README's section "Sixty seconds". */
function readmeCommands(): string[] {
  const [, section] = /^## Sixty seconds\n([^]*?)^## /m.exec(
    Deno.readTextFileSync(join(root, "README.md")),
  )!;
  return [...section!.matchAll(/^\$ (.*)$/gm)].map(([, line]) => line!.replace(/\s+# .*$/, ""));
}

/** A script that runs the README's examples and a sandboxed program, and prints the exit codes. */
function examplesScript(program: string): string {
  const commands = [
    ...readmeCommands(),
    "toolcall --allow-read=. --allow-run=bash,cat Bash command='cat hello.txt' | grep -c Hello",
  ];
  return [
    "mkdir -p ~/project && cd ~/project && cp /README.md . && echo Hello >hello.txt",
    `export PATH=${program}:$PATH`,
    ...commands.map((command) => `{ ${command}; } >~/out 2>&1; echo "$? $(head -c 300 ~/out)"`),
    "cd && rm -rf project out",
  ].join("\n");
}

/** Runs the examples as the user and checks the exit code of each. */
async function expectExamples(system: Awaited<ReturnType<typeof makeBaseSystem>>, path: string) {
  const { stdout, stderr } = await system.run(examplesScript(path));
  const codes = stdout.split("\n").filter((line) => /^\d+ /.test(line))
    .map((line) => Number(line.split(" ")[0]));
  // A refused read exits with 6, and so does the check of a call without its permissions.
  const expected = readmeCommands().map((command) =>
    /^toolcall (fs\.read|check) /.test(command) ? 6 : 0
  );
  expect({ codes, stdout, stderr }).toEqual({ codes: [...expected, 0], stdout, stderr });
}

/** Installs the npm packages in a project too, and runs them there by `npx` and by a script. */
const LOCAL_INSTALL = [
  "mkdir ~/local && cd ~/local",
  `echo '{"scripts":{"tools":"toolcall list --format=json"}}' >package.json`,
  "npm install --offline --no-audit /release/npm/*.tgz",
  "npx --offline toolcall --version",
  "npm run --silent tools | grep -c fs.read",
  "cd && rm -r ~/local",
].join(" && ");

/** The ways to install the release, with the scripts that do so in a base system. */
const ways: readonly {
  name: string;
  /** The directory of the program in PATH. */
  path: string;
  asRoot?: boolean;
  needsNode?: boolean;
  install: (name: string) => string;
  remove: (name: string) => string;
  /** The end of the output of the removal. */
  says?: string;
}[] = [{
  name: "the archive",
  path: `/home/user/toolcall-${version}-${target?.name}`,
  install: (name) => `cd && gzip -dc /release/${name}.tar.gz | tar -xf -`,
  remove: (name) => `rm -r ~/${name}`,
}, {
  name: "install.sh",
  path: "/home/user/.local/bin",
  install: () => "sh /release/install.sh --from=/release",
  remove: () => "sh /release/install.sh --uninstall",
  says: '"toolcall cache clean --all --state"',
}, {
  name: "the Debian package",
  path: "/usr/bin",
  asRoot: true,
  install: () => "dpkg -i /release/*.deb",
  remove: () => "dpkg -r toolcall",
  says: '"toolcall cache clean --all --state"',
}, {
  name: "the npm packages",
  path: "/home/user/npm/bin",
  needsNode: true,
  install: () =>
    "npm install --global --prefix ~/npm --offline --no-audit /release/npm/*.tgz && " +
    LOCAL_INSTALL,
  remove: () =>
    "npm uninstall --global --prefix ~/npm toolcall @toolcall/linux-x64 @toolcall/linux-arm64 " +
    "&& rm -rf ~/.npm ~/npm",
}];

const node = await execute(["sh", "-c", "command -v node && readlink -f $(command -v npm)"], root)
  .then((text) => text.trim().split("\n"), () => []);

Deno.test({
  name:
    "release > every package is installed in a base system, runs the README's examples and is removed",
  ignore: ignoreRoot,
  async fn(t) {
    const [release] = await releases;
    using system = await makeBaseSystem();
    await execute(["cp", "-r", release!, join(system.root, "release")], root);
    Deno.copyFileSync(join(root, "README.md"), join(system.root, "README.md"));
    const archive = `toolcall-${version}-${target!.name}`;
    for (const { name, path, asRoot = false, needsNode, install, remove, says } of ways) {
      await t.step({
        name,
        ignore: needsNode === true && node.length < 2,
        async fn() {
          if (needsNode) await copyNode(system.root);
          const before = await system.files();
          const installed = await system.run(install(archive), { asRoot });
          expect(installed, installed.stderr).toMatchObject({ code: 0 });
          await expectExamples(system, path);
          const cleaned = await system.run(`${path}/toolcall cache clean --all --state`);
          expect(cleaned, cleaned.stderr).toMatchObject({ code: 0 });
          const removed = await system.run(remove(archive), { asRoot });
          expect(removed, removed.stderr).toMatchObject({ code: 0 });
          if (says !== undefined) expect(removed.stdout + removed.stderr).toContain(says);
          expect(await system.files()).toEqual(before);
        },
      });
    }
  },
});

/** Copies Node and npm with the libraries that they load into a root directory. */
async function copyNode(directory: string): Promise<void> {
  const [program, npm] = node as [string, string];
  const packages = dirname(dirname(npm));
  const modules = join(directory, "usr/lib/node_modules");
  Deno.mkdirSync(modules, { recursive: true });
  await execute(["cp", "-rL", packages, join(modules, basename(packages))], root);
  Deno.copyFileSync(Deno.realPathSync(program), join(directory, "usr/bin/node"));
  for (const name of ["npm", "npx"]) {
    const module = `../lib/node_modules/npm/bin/${name}-cli.js`;
    Deno.symlinkSync(module, join(directory, "usr/bin", name));
  }
  const libraries = await execute(["ldd", program], root);
  for (const [library] of libraries.matchAll(/\/\S+(?= \()/g)) {
    const copy = join(directory, library);
    Deno.mkdirSync(dirname(copy), { recursive: true });
    if (!filesIn(dirname(copy)).includes(basename(copy))) Deno.copyFileSync(library, copy);
  }
}
