/**
 * Attacks L1 and L2 of docs/attacks.md. They cover each path where a program, a library, an
 * interpreter or a file of the configuration is looked up. A file that one call has put there must
 * not affect the next call. Each attack is also made under flags that do not let calls write the
 * path. Then the file counts as the user's, and it must work.
 */
import { expect } from "@std/expect";
import { programRights } from "../../../src/runner/sandbox/policy/program_rights.ts";
import {
  bash,
  callAs,
  isThere,
  makeWorld,
  ofOneCall,
  SECRET,
  Tally,
  testAs,
  type World,
} from "./world.ts";
import { TrustedFiles } from "../../../src/runner/state/trusted_files.ts";

/** The output of the program outside every grant. */
const RAN = "the program outside ran";

/** The flags of a call, with the write grant that is under test. */
type Flags = (run: string, ...more: string[]) => string[];

/** A path that is looked up, the commands that plant a file there, and the next call. */
interface Row {
  name: string;
  /** Shell commands of the first call, in G. */
  plant: (world: World) => string;
  /** The answer of the next call. */
  use: (world: World, flags: Flags) => Promise<string>;
}

const ASK = {
  name: "AskUserQuestion",
  arguments: {
    questions: [{
      question: "Which?",
      header: "Which",
      multiSelect: false,
      options: [{ label: "A", description: "a" }, { label: "B", description: "b" }],
    }],
  },
};

/**
 * A PATH whose first directory is inside the grant, as in an activated virtual environment. A link in
 * its last directory leads there too.
 */
const pathOf = ({ G, root }: World) => ({
  PATH: `${G}/venv/bin:/usr/local/bin:/usr/bin:/bin:${root}/links`,
});

/** Runs the executable with these arguments. Returns its whole output, with stderr. */
async function printed(world: World, args: string[], env: Record<string, string>) {
  const { user, installation, root, tmp, cache, G } = world;
  const as = user.uid === undefined
    ? []
    : ["setpriv", `--reuid=${user.uid}`, `--regid=${user.uid}`, "--clear-groups"];
  const [program = "", ...rest] = [...as, installation.toolcall, ...args];
  const { stdout, stderr } = await new Deno.Command(program, {
    args: rest,
    cwd: G,
    clearEnv: true,
    env: { HOME: root, TMPDIR: tmp, TOOLCALL_CACHE_DIR: cache, ...env },
    stdin: "null",
  }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

function write(world: World, path: string, text: string, mode = 0o755): void {
  Deno.writeTextFileSync(path, text);
  Deno.chmodSync(path, mode);
  world.own(path);
}

/** Writes a configuration with an MCP server, outside every grant. Returns its path. */
function withServer(world: World, command: string, args: string[] = []): string {
  const path = `${world.root}/servers.json`;
  write(world, path, JSON.stringify({ mcpServers: { it: { command, args } } }), 0o600);
  return path;
}

const callServer = async (world: World, flags: string[]) =>
  (await callAs(world, { name: "mcp__it__x", arguments: {} }, { flags, env: pathOf(world) })).text;

const cat =
  (what: (world: World) => string, run: (world: World) => string): Row["use"] =>
  async (world, flags) => {
    const way = { flags: flags(run(world)), env: pathOf(world) };
    return (await bash(world, `cat ${what(world)}`, way)).text;
  };

/** Lets the user trust this text of a configuration file. */
function setTrust(world: World, path: string, text: string): void {
  const state = [".local", ".local/state", ".local/state/toolcall"].map((each) =>
    `${world.root}/${each}`
  );
  // The list of another user is refused, also for this test.
  if (isThere(`${state.at(-1)}/trusted.json`)) Deno.removeSync(`${state.at(-1)}/trusted.json`);
  new TrustedFiles(state.at(-1)!).add(path, text);
  for (const each of [...state, `${state.at(-1)}/trusted.json`]) world.own(each);
}

const linkTo = (name: string, target: (world: World) => string) => (world: World) =>
  `ln -sfn ${target(world)} ${name}`;
const outsideProgram = ({ root }: World) => `${root}/outside`;

const rows: Row[] = [
  ...["bash", "git"].map((name): Row => ({
    name: `PATH > the program ${name} of a tool`,
    plant: linkTo(`venv/bin/${name}`, outsideProgram),
    use: async (world, flags) => {
      const call = name === "git"
        ? { name: "git", arguments: { action: "status" } }
        : { name: "Bash", arguments: { command: "true" } };
      return (await callAs(world, call, { flags: flags(name), env: pathOf(world) })).text;
    },
  })),
  {
    name: "PATH > the program of a tool under --unconfined-run",
    plant: linkTo("venv/bin/bash", outsideProgram),
    use: async (world, flags) =>
      (await bash(world, "true", { flags: flags("bash", "--unconfined-run"), env: pathOf(world) }))
        .text,
  },
  {
    name: "PATH > the bash of --limit=memory",
    plant: linkTo("venv/bin/bash", outsideProgram),
    use: async (world, flags) =>
      (await callAs(world, { name: "git", arguments: { action: "status" } }, {
        flags: flags("git,bash", "--limit=memory=4G"),
        env: pathOf(world),
      })).text,
  },
  {
    name: "PATH > a program that --allow-run names, to be read",
    plant: linkTo("venv/bin/tool", outsideProgram),
    use: cat(outsideProgram, () => "bash,cat,tool"),
  },
  {
    name: "PATH > a program that --allow-run names, to be executed",
    plant: linkTo("venv/bin/tool", outsideProgram),
    use: async (world, flags) =>
      (await bash(world, `${world.root}/outside`, {
        flags: flags("bash,tool"),
        env: pathOf(world),
      })).text,
  },
  {
    name: "PATH > a name that leads to a program that another tool needs",
    plant: linkTo("venv/bin/tool", () => "/usr/bin/printf"),
    use: async (world, flags) =>
      (await bash(world, `/usr/bin/printf "${RAN}"`, {
        flags: flags("bash,tool"),
        env: pathOf(world),
      })).text,
  },
  {
    name: "PATH > a directory that a symlink leads to",
    plant: ({ root }) => `mv venv/bin old; ln -s ${root}/tools venv/bin`,
    use: cat(({ root }) => `${root}/tools/tool`, () => "bash,cat,tool"),
  },
  {
    name: "PATH > a symlink of the user that leaves a directory of the grant by ..",
    plant: ({ root }) => `rm -r way; ln -s ${root}/S way`,
    use: async (world, flags) => {
      // The path G/way/.. is the directory above G when way leads to S.
      const link = `${world.root}/tools/through`;
      if (!isThere(link)) Deno.symlinkSync(`${world.G}/way/../outside`, link);
      return (await bash(world, `cat ${world.root}/outside`, {
        flags: flags("bash,cat,through"),
        env: { PATH: `${world.root}/tools:/usr/bin:/bin` },
      })).text;
    },
  },
  {
    name: "the interpreter of a script, by its path",
    plant: linkTo("venv/bin/python", outsideProgram),
    use: cat(outsideProgram, ({ root }) => `bash,cat,${root}/by_path`),
  },
  {
    name: "the interpreter of a script, by env",
    plant: linkTo("venv/bin/planted", outsideProgram),
    use: cat(outsideProgram, ({ root }) => `bash,cat,${root}/by_env`),
  },
  ...["lib", "lib64", "libexec"].flatMap((name): Row[] => [
    {
      name: `the libraries in ${name} beside a program that is named by its path`,
      plant: linkTo(`venv/${name}`, ({ S }) => S),
      use: cat(({ S }) => `${S}/secret`, ({ G }) => `bash,cat,${G}/venv/bin/python3`),
    },
    {
      name: `the libraries in ${name} beside a program that is named by its name`,
      plant: linkTo(`opt/${name}`, ({ S }) => S),
      use: async (world, flags) =>
        (await bash(world, `cat ${world.S}/secret`, {
          flags: flags("bash,cat,tool"),
          env: { PATH: `${world.G}/opt/bin:/usr/bin:/bin` },
        })).text,
    },
    {
      name: `the libraries in ${name} beside PATH, with a bare --allow-run`,
      plant: linkTo(`venv/${name}`, ({ S }) => S),
      use: async (world, flags) =>
        (await bash(world, `cat ${world.S}/secret`, {
          flags: flags("").map((flag) => flag.replace("--allow-run=", "--allow-run")),
          env: pathOf(world),
        })).text,
    },
  ]),
  {
    name: "an MCP server's program, by name",
    plant: linkTo("venv/bin/uvx", outsideProgram),
    use: (world, flags) =>
      callServer(world, flags("bash", "--allow-mcp", `--config=${withServer(world, "uvx")}`)),
  },
  {
    name: "an MCP server's program, by path",
    plant: linkTo("venv/bin/uvx", outsideProgram),
    use: (world, flags) =>
      callServer(
        world,
        flags(
          "bash",
          "--allow-mcp",
          `--config=${withServer(world, `${world.G}/venv/bin/uvx`)}`,
        ),
      ),
  },
  ...["by_path", "by_env", "by_option", "by_start"].map((script): Row => ({
    name: `a program that the script of an MCP server starts, ${script}`,
    plant: (world) =>
      ["python", "planted"].map((name) => linkTo(`venv/bin/${name}`, outsideProgram)(world))
        .join(";"),
    use: (world, flags) =>
      callServer(
        world,
        flags(
          "bash",
          "--allow-mcp",
          `--config=${withServer(world, `${world.root}/${script}`)}`,
        ),
      ),
  })),
  ...["asks", "./venv/bin/asks", "by_path", "by_env", "by_option", "by_start"].map((
    program,
  ): Row => ({
    name: `the program of --ask=exec:${program}`,
    plant: (world) =>
      ["python", "planted", "asks"].map((name) => linkTo(`venv/bin/${name}`, outsideProgram)(world))
        .join(";"),
    use: (world, flags) => {
      const value = program.startsWith("by_") ? `${world.root}/${program}` : program;
      return printedCall(world, [...flags("bash"), `--ask=exec:${value}`], ASK);
    },
  })),
  {
    name: "bubblewrap",
    plant: linkTo("venv/bin/bwrap", outsideProgram),
    use: async (world, flags) =>
      await printedCall(world, [...flags("bash"), "--wall=bwrap"], {
        name: "Bash",
        arguments: { command: "true" },
      }),
  },
  ...["git", "bash", "bwrap"].map((name): Row => ({
    name: `doctor > the program ${name}`,
    plant: linkTo(`venv/bin/${name}`, outsideProgram),
    use: (world, flags) => printed(world, ["doctor", ...flags("bash")], pathOf(world)),
  })),
];

/** The whole output of a call, also when its command line is refused. */
async function printedCall(
  world: World,
  args: string[],
  call: { name: string; arguments: unknown },
): Promise<string> {
  const given = [call.name, JSON.stringify(call.arguments)];
  return await printed(world, [...args, ...given], pathOf(world));
}

/** Makes a world with directories, programs and symlinks of the user, before any call. */
function prepared(user: World["user"]): World {
  const world = makeWorld(user);
  const { root, G, S } = world;
  for (
    const directory of [
      "G/venv",
      "G/venv/bin",
      "G/out",
      "G/opt",
      "G/opt/bin",
      "G/way",
      "tools",
      "links",
    ]
  ) {
    Deno.mkdirSync(`${root}/${directory}`);
    world.own(`${root}/${directory}`);
  }
  const outside = `#!/bin/sh\n: "${SECRET}"\necho "${RAN}"\necho "${RAN}" >&2\n: >> ${S}/ran\n`;
  write(world, `${root}/outside`, outside);
  write(world, `${root}/tools/tool`, outside);
  write(world, `${root}/by_path`, `#!${G}/venv/bin/python\n`);
  write(world, `${root}/by_env`, "#!/usr/bin/env planted\n");
  write(world, `${root}/by_option`, "#!/usr/bin/env -S -u LANG linked\n");
  write(world, `${root}/by_start`, "#!/bin/sh\nplanted\n");
  Deno.copyFileSync("/usr/bin/true", `${G}/venv/bin/python3`);
  Deno.symlinkSync("/usr/bin/true", `${G}/opt/bin/tool`);
  Deno.symlinkSync(`${G}/venv/bin/planted`, `${root}/links/linked`);
  world.own(`${G}/venv/bin/python3`);
  return world;
}

testAs(
  "planted > a file that a call puts into a search path does not affect the next call",
  async (t, user) => {
    const tally = new Tally();
    const planting = ["bash", "ln", "mv", "rm"];
    // The rows whose file has no effect even if the user has put it there.
    const ineffective: string[] = [];
    for (const { name, plant, use } of rows) {
      for (const granted of ["G/out", "G"]) {
        const world = prepared(user);
        const { root, G, S } = world;
        const way = {
          flags: [`--allow-read=${G}`, `--allow-write=${G}`, `--allow-run=${planting}`],
        };
        const done = await bash(world, plant(world), way);
        expect([name, done.exit]).toEqual([name, 0]);
        const flags: Flags = (run, ...more) => [
          ...[`--allow-read=${G}`, `--allow-write=${root}/${granted}`, `--allow-run=${run}`],
          ...more,
        ];
        const said = await use(world, flags);
        const escaped = said.includes(RAN) || said.includes(SECRET) || isThere(`${S}/ran`);
        if (granted === "G") tally.note(name, !escaped, said);
        else if (!escaped) ineffective.push(`${name}: ${said}`);
      }
    }
    expect(ineffective).toEqual([]);
    await tally.report(t, rows.length);
  },
);

testAs(
  "planted > a configuration behind a symlink is ignored if a call may write it",
  async (t, user) => {
    const tally = new Tally();
    const call = { name: "mcp__it__x", arguments: {} };
    // The user made the symlinks, and a call can write or replace their targets.
    const links: [name: string, make: (world: World) => void][] = [
      ["the file in the root directory", ({ G }) => {
        Deno.symlinkSync("out/tools.json", `${G}/toolcall.json`);
      }],
      ["the user's own file", ({ root, G }) => {
        Deno.mkdirSync(`${root}/.config/toolcall`, { recursive: true });
        Deno.symlinkSync(`${G}/out/tools.json`, `${root}/.config/toolcall/toolcall.json`);
      }],
      ["the user's own directory", ({ root, G }) => {
        Deno.mkdirSync(`${root}/.config`);
        Deno.symlinkSync(`${G}/out`, `${root}/.config/toolcall`);
        Deno.symlinkSync("tools.json", `${G}/out/toolcall.json`);
      }],
    ];
    for (const [name, make] of links) {
      for (const run of [[], ["--allow-run=bash,ln"]]) {
        const world = prepared(user);
        const { root, G } = world;
        write(world, `${G}/out/tools.json`, "{}", 0o600);
        make(world);
        for (const path of [`${root}/.config`, `${root}/.config/toolcall`]) {
          if (isThere(path)) world.own(path);
        }
        const planted = JSON.stringify({ mcpServers: { it: { command: outsideProgram(world) } } });
        const flags = [`--allow-read=${G}`, `--allow-write=${G}`, ...run, "--allow-mcp"];
        const written = await callAs(world, {
          name: "Write",
          arguments: { file_path: `${G}/out/tools.json`, content: planted },
        }, { flags });
        expect([name, written.text.includes("Overwrote")]).toEqual([name, true]);
        const control = flags.map((flag) => flag.replace(/write=.*/, `write=${G}/opt`));
        const isForeign = isThere(`${G}/toolcall.json`);
        if (isForeign) setTrust(world, `${G}/toolcall.json`, planted);
        const obeyed = await callAs(world, call, { flags: control });
        expect([name, obeyed.text.includes(RAN)]).toEqual([name, true]);
        if (isForeign) setTrust(world, `${G}/toolcall.json`, "{}");
        const { text } = await callAs(world, call, { flags });
        const isRefused =
          /(tools|programs that a call starts) may write to it|have not trusted this file/.test(
            text,
          );
        tally.note(`${name} with ${run}`, isRefused && !text.includes(RAN), text);
      }
    }
    await tally.report(t, 6);
  },
  ofOneCall,
);

testAs(
  "planted > no program starts from a directory of PATH that a call may write",
  async (t, user) => {
    const names = [
      ...["sh", "ls", "id", "rm", "mkdir", "grep", "sleep", "kill", "chmod", "rmdir", "setsid"],
      ...[
        "ps",
        "true",
        "false",
        "cat",
        "env",
        "uname",
        "deno",
        "rg",
        "tail",
        "head",
        "less",
        "ssh",
      ],
      ...[
        "gpg",
        "xdg-open",
        "sandbox-exec",
        "stat",
        "date",
        "dd",
        "xz",
        "tar",
        "gzip",
        "od",
        "cksum",
      ],
    ];
    const world = prepared(user);
    const { G, S, root } = world;
    // The server starts programs by their names, and ends.
    const server = `${root}/starts`;
    write(world, server, "#!/bin/sh\nid\nsleep --version\nrg\n");
    const config = withServer(world, server);
    const grant = [`--allow-read=${G}`, `--allow-write=${G}`];
    const body = `#!/bin/bash\necho ran \${0##*/} >> ${S}/ran 2> /dev/null\n`;
    const plant = `for name in ${names.join(" ")}; do printf '%s' '${body}' > venv/bin/$name; ` +
      `chmod 755 venv/bin/$name; done`;
    const planted = await bash(world, plant, { flags: [...grant, "--allow-run=bash,chmod"] });
    expect([planted.exit, isThere(`${G}/venv/bin/rg`)]).toEqual([0, true]);
    const calls: [name: string, args: Record<string, unknown>, flags: string[]][] = [
      ["Bash", { command: ":" }, ["--allow-run=bash"]],
      ["Bash", { command: ":" }, ["--allow-run=bash", "--limit=memory=4G"]],
      ["Bash", { command: "sleep 600 & kill -0 $!", timeout: 900 }, ["--allow-run=bash,sleep"]],
      ["Bash", { command: ":", run_in_background: true }, ["--allow-run=bash"]],
      ["git", { action: "status" }, ["--allow-run=git"]],
      ["Grep", { pattern: "x", path: G }, []],
      ["Read", { file_path: `${root}/by_env` }, [`--allow-read=${root}`]],
      ["mcp__it__x", {}, ["--allow-mcp", `--config=${config}`]],
      ["AskUserQuestion", ASK.arguments, [`--ask=exec:${server}`]],
      ["Bash", { command: ":" }, ["--allow-run=bash", "--wall=bwrap"]],
    ];
    const tally = new Tally();
    const ran = () => isThere(`${S}/ran`) ? Deno.readTextFileSync(`${S}/ran`) : "";
    for (const [name, args, flags] of calls) {
      await printedCall(world, [...grant, ...flags], { name, arguments: args });
      tally.note(`${name} ${flags}`, ran() === "", ran());
    }
    await printed(world, ["doctor", ...grant, "--allow-run"], pathOf(world));
    tally.note("doctor", ran() === "", ran());
    await tally.report(t, calls.length + 1);
    // If calls cannot write the directory, the user controls this PATH, and its programs start.
    const given = { name: "mcp__it__x", arguments: {} };
    const own = [
      `--allow-read=${G}`,
      `--allow-write=${G}/out`,
      "--allow-mcp",
      `--config=${config}`,
    ];
    await printedCall(world, own, given);
    expect(ran()).toContain("ran id");
  },
);

testAs(
  "planted > the next call does not trust certificates that a call may write",
  async (_, user) => {
    const world = prepared(user);
    const { G, root } = world;
    const file = `${G}/out/ca.pem`;
    write(world, file, "");
    Deno.symlinkSync(file, `${root}/ca.pem`);
    const call = { name: "WebFetch", arguments: { url: "http://127.0.0.1:9/", prompt: "What?" } };
    for (const variable of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"]) {
      for (const path of [file, `${root}/ca.pem`]) {
        const said = async (write: string) => {
          const flags = [`--allow-read=${G}`, `--allow-write=${write}`, "--allow-net=127.0.0.1:9"];
          return (await callAs(world, call, { flags, env: { [variable]: path } })).text;
        };
        expect(await said(G)).toContain(`Cannot use the network: ${variable} names "${path}"`);
        expect(await said(`${G}/opt`)).not.toContain(variable);
      }
    }
  },
);

testAs(
  "planted > a symlink that a call may have made is not opened as a system directory",
  (_, user) => {
    const world = prepared(user);
    const { root, G, S } = world;
    const system = `${G}/usr`;
    for (const name of ["", "/lib", "/share"]) Deno.mkdirSync(system + name);
    const base = {
      ...{ read: [`${system}/lib`, `${system}/share`], file: [`${system}/hosts`] },
      ...{ execute: [`${system}/lib`], device: [] },
    };
    const opened = (write: string[]) => {
      const grants = { all: false, allow: { write, run: ["bash"] }, deny: {} };
      const options = { grants, programDirectory: "/usr/bin", temporary: world.tmp };
      const { files, system } = programRights(options, base);
      const all = [files.read, files.execute, system.read, system.file, system.execute];
      return all.flatMap((each) => each ?? []).filter((path) => path.startsWith(root));
    };
    const isOpen = (path: string, write: string[]) => opened(write).includes(path);
    // The directory itself stays readable.
    expect(isOpen(`${system}/lib`, [system])).toBe(true);
    for (const name of ["lib", "share"]) {
      Deno.removeSync(`${system}/${name}`);
      Deno.symlinkSync(S, `${system}/${name}`);
    }
    Deno.symlinkSync(`${S}/secret`, `${system}/hosts`);
    expect(opened([system]).filter((path) => path !== world.tmp)).toEqual([]);
    expect(isOpen(`${system}/share`, [`${G}/out`])).toBe(true);
    return Promise.resolve();
  },
);

testAs(
  "planted > programs of the user outside the grant work, and an ignored one is reported",
  async (_, user) => {
    const world = prepared(user);
    const { root, G } = world;
    const grant = [`--allow-read=${G}`, `--allow-write=${G}`];
    const said = async (command: string, run: string, PATH: string) => {
      const { content } = await bash(world, command, {
        flags: [...grant, `--allow-run=bash,${run}`],
        env: { PATH },
      });
      return content.map(({ text }) => text).join("\n");
    };
    // Nix and Homebrew have such chains of symlinks: bin -> profile/bin -> store/farmed.
    for (const directory of ["store", "profile", "profile/bin"]) {
      Deno.mkdirSync(`${root}/${directory}`);
      world.own(`${root}/${directory}`);
    }
    write(world, `${root}/store/farmed`, "#!/bin/sh\necho farmed\n");
    Deno.symlinkSync("../../store/farmed", `${root}/profile/bin/farmed`);
    Deno.symlinkSync("profile/bin", `${root}/bin`);
    expect(await said("farmed", "farmed", `${root}/bin:/usr/bin:/bin`)).toBe("farmed\n");
    // The project has a virtual environment, whose python is a symlink to a program of the system.
    const { PATH } = pathOf(world);
    const python = Deno.realPathSync("/usr/bin/env");
    Deno.symlinkSync(python, `${G}/venv/bin/python`);
    expect(await said("venv/bin/python echo", "echo", PATH)).toContain(
      `the symlink "${G}/venv/bin/python" is in a place that a call may write to, so it must be ` +
        `given by its path: needs --allow-run=${python}`,
    );
    expect(await said("venv/bin/python echo works", `echo,${python}`, PATH)).toBe("works\n");
    const flags = [...grant, `--allow-run=bash,${G}/venv/bin/python`];
    const refused = await printedCall(world, flags, { name: "Bash", arguments: { command: ":" } });
    expect(refused).toContain("give the path that it leads to");
    const server = await callServer(world, [
      ...[...grant, "--allow-mcp", `--config=${withServer(world, "python")}`],
    ]);
    expect(server).toContain(
      `Cannot run "python": "${G}/venv/bin/python" is ignored: it is in a place that calls may ` +
        `write to; grant less with --allow-write, or install it elsewhere`,
    );
  },
);
