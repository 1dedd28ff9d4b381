// deno-lint-ignore-file no-console
/**
 * The attack tests share this module: users, their directories, calls as a user, and a tally.
 */
import { expect } from "@std/expect";
import { landlockVersionHere } from "../../../src/runner/sandbox/describe_confinement.ts";
import { isAlive } from "../../support/processes.ts";
import { until } from "../../support/wait.ts";
import { executable, oneLine, type Result, type Run } from "../../support/executable.ts";
import { Server, type ServerCommand } from "./served.ts";

/** The text of a file outside every grant. */
export const SECRET = "the secret outside";

/** The user that a call runs as. */
export interface User {
  name: string;
  /** Whether this user is root. */
  isRoot: boolean;
  /** Absent for the user that the tests run as. */
  uid?: number;
  /** The command that answers all calls with the same flags in one process. Optional. */
  server?: ServerCommand;
  /** Whether commands of Bash run in the shell of a session. */
  hasSession?: boolean;
}

/** A directory with a copy of the executable and of deno that every user can start. */
export interface Installation {
  path: string;
  /** The directory of the executable. */
  bin: string;
  toolcall: string;
  deno: string;
}

/** The directories of one user in an {@link Installation}. The user owns all of them. */
export interface World {
  user: User;
  installation: Installation;
  root: string;
  /** The directory that calls are granted. */
  G: string;
  /** A directory that no call is granted. Its file `secret` has the text {@link SECRET}. */
  S: string;
  /** The directory that the executable unpacks into. */
  cache: string;
  /** The directory for the temporary files of calls. */
  tmp: string;
  /** Makes the user the owner of paths that the tests have made. */
  own(...paths: string[]): void;
}

/** The number of a user for this run only, so that ending all processes of the user ends no others. */
const ordinary = 61_000 + Deno.pid % 4000;

/** Why these tests cannot run on this machine, if they cannot. Each file prints it once. */
export const obstacle = Deno.build.os !== "linux" || Deno.build.arch !== "x86_64"
  ? "the attacks are written in system calls of Linux on x86-64"
  : landlockVersionHere() < 6
  ? "this kernel has no Landlock of version 6"
  : undefined;
if (obstacle !== undefined) console.log(`skipped: ${obstacle}`);

/** The user of the tests and, if that is root, an ordinary one. */
export const users: User[] = usersHere();

function usersHere(): User[] {
  if (Deno.uid() !== 0) {
    console.log("skipped as root and as another user: the tests do not run as root");
    return [{ name: "as this user", isRoot: false }];
  }
  return [
    { name: "as root", isRoot: true },
    { name: "as an ordinary user", isRoot: false, uid: ordinary },
  ];
}

/** Whether each user makes every attempt, through each server. */
export const isFull = Deno.env.get("FULL_TESTS") === "1";

/** The users through each command that answers many calls; without `isFull`, only the last user. */
const servedUsers: User[] = users.slice(isFull ? 0 : -1)
  .flatMap((user) =>
    (["mcp", "submit"] as const)
      .map((server) => ({ ...user, name: `${user.name}, through ${server}`, server }))
  );

/** The users in the shell of a session: all of them with `isFull`, else only the last user. */
const sessionUsers: User[] = users.slice(isFull ? 0 : -1)
  .map((user) => ({ ...user, name: `${user.name}, in a session`, hasSession: true }));

/** The worlds of the running test that may have shells of sessions. */
const sessionWorlds: World[] = [];

/** Makes an {@link Installation}. `remove` removes it and its files. */
function makeInstallation(): Installation & { remove(): void } {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolcall-attacks-" }));
  Deno.chmodSync(path, 0o755);
  const bin = `${path}/bin`;
  Deno.mkdirSync(bin, { mode: 0o755 });
  const [toolcall, deno] = [`${bin}/toolcall`, `${path}/deno`] as const;
  for (const [from, to] of [[executable, toolcall], [Deno.execPath(), deno]] as const) {
    Deno.copyFileSync(from, to);
    Deno.chmodSync(to, 0o755);
  }
  for (const name of ["attack.js", "launch.js"]) {
    Deno.copyFileSync(new URL(name, import.meta.url), `${path}/${name}`);
    Deno.chmodSync(`${path}/${name}`, 0o644);
  }
  return { path, bin, toolcall, deno, remove: () => Deno.removeSync(path, { recursive: true }) };
}

/** The {@link Installation} of all these tests. Undefined if they cannot run. */
export const installation = obstacle === undefined ? makeInstallation() : undefined;
Deno.test.afterAll(() => installation?.remove());

/** Makes new directories for `user`. All worlds of a user share the directory `cache`. */
export function makeWorld(user: User): World {
  if (installation === undefined) throw new Error(`The tests cannot run: ${obstacle}`);
  const root = Deno.makeTempDirSync({ dir: installation.path, prefix: "world-" });
  const [G, S, tmp] = [`${root}/G`, `${root}/S`, `${root}/tmp`];
  const cache = `${installation.path}/cache-${user.uid ?? "own"}`;
  const own = (...paths: string[]) => {
    if (user.uid === undefined) return;
    for (const path of paths) Deno.chownSync(path, user.uid, user.uid);
  };
  for (const path of [G, S, tmp]) Deno.mkdirSync(path, { mode: 0o700 });
  if (!isThere(cache)) Deno.mkdirSync(cache, { mode: 0o700 });
  Deno.writeTextFileSync(`${S}/secret`, SECRET);
  own(root, G, S, cache, tmp, `${S}/secret`);
  const world = { user, installation, root, G, S, cache, tmp, own };
  if (user.hasSession) sessionWorlds.push(world);
  return world;
}

/** The directory with the files of the keepers of a world's shells. */
export const keptBy = ({ root }: World) => `${root}/.local/state/toolcall/servers`;

/** Ends the shells of a world. */
export async function endShells(world: World): Promise<void> {
  const directory = keptBy(world);
  if (!isThere(directory)) return;
  const names = [...Deno.readDirSync(directory)].map(({ name }) => name);
  for (const name of names.filter((name) => name.endsWith(".json"))) {
    const { pid } = JSON.parse(Deno.readTextFileSync(`${directory}/${name}`)) as { pid: number };
    Deno.kill(pid, "SIGTERM");
    await until(() => !isAlive(pid));
  }
}

/** How a call is made. */
export interface CallOptions {
  flags?: string[];
  env?: Record<string, string>;
  cwd?: string;
  /** The time limit of Bash, in milliseconds. */
  timeout?: number;
  /** A program that starts the executable, with the arguments before it. */
  launcher?: string[];
  /** Another path of the executable. */
  executable?: string;
  /** Whether a server answers only this call, so that a test can look at its process or end it. */
  isAlone?: boolean;
}

/** The servers of the running test, by their flags and environment. */
const servers = new Map<string, Server>();

/** The result of a call, with the exit code, the first text, and the time that it took. */
export type Answer = Result & { exit: number; text: string; ms: number };

/** Starts a call as the user. The child process is toolcall itself. */
export function start(
  world: World,
  call: { name: string; arguments: Record<string, unknown> } | readonly unknown[],
  way: CallOptions = {},
): {
  child: Deno.ChildProcess;
  answer: () => Promise<Answer>;
  messages: () => Promise<{ id?: number; result?: Result }[]>;
} {
  const { user } = world;
  const server = Array.isArray(call) ? undefined : user.server;
  const key = JSON.stringify([
    world.root,
    way.flags,
    way.env,
    way.cwd,
    way.launcher,
    way.executable,
  ]);
  const running = server !== undefined && !way.isAlone ? servers.get(key) : undefined;
  if (running !== undefined) return served(running, call as Call, way);
  const command = [
    ...(user.uid === undefined
      ? []
      : ["setpriv", `--reuid=${user.uid}`, `--regid=${user.uid}`, "--clear-groups"]),
    ...(way.launcher ?? []),
    way.executable ?? world.installation.toolcall,
    ...(way.flags ?? []),
    ...(server === undefined ? [] : [server]),
  ];
  const begin = performance.now();
  const child = new Deno.Command(command[0]!, {
    args: command.slice(1),
    cwd: way.cwd ?? world.G,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      HOME: world.root,
      TMPDIR: world.tmp,
      TOOLCALL_CACHE_DIR: world.cache,
      ...way.env,
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (server !== undefined) {
    const started = new Server(child, server);
    servers.set(way.isAlone ? crypto.randomUUID() : key, started);
    return served(started, call as Call, way);
  }
  const writer = child.stdin.getWriter();
  // A list contains messages for an MCP server.
  const input = Array.isArray(call)
    ? call.map((each) => `${JSON.stringify(each)}\n`).join("")
    : JSON.stringify(call);
  const written = writer.write(new TextEncoder().encode(input))
    .then(() => Array.isArray(call) ? undefined : writer.close()).catch(() => {});
  const answer = async () => {
    const output = await child.output();
    await written;
    const ms = performance.now() - begin;
    const decoder = new TextDecoder();
    const run: Run = {
      code: output.code,
      stdout: decoder.decode(output.stdout),
      stderr: decoder.decode(output.stderr),
    };
    const result = oneLine(run) as Result;
    return { ...result, exit: run.code, text: result.content[0]?.text ?? "", ms };
  };
  // Each line of the output is a JSON value. A server that has answered ends with its input.
  const messages = async () => {
    const found: { id?: number; result?: Result }[] = [];
    let open = Array.isArray(call) ? call.filter((each) => "id" in each).length : 0;
    let rest = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const message = JSON.parse(line);
        found.push(message);
        if ("id" in message && --open === 0) await writer.close();
      }
    }
    await child.stderr.cancel();
    await child.status;
    return found;
  };
  return { child, answer, messages };
}

type Call = { name: string; arguments: Record<string, unknown> };

/** Makes a call through a server. The call begins at once. */
function served(server: Server, call: Call, { isAlone }: CallOptions): ReturnType<typeof start> {
  const answered = server.call(call);
  const answer = async () => {
    const found = await answered;
    if (isAlone) await server.close();
    return found;
  };
  return { child: server.child, answer, messages: () => Promise.reject(new Error("not here")) };
}

/** Makes a call as the user. */
export function callAs(
  world: World,
  call: { name: string; arguments: Record<string, unknown> },
  way: CallOptions = {},
): Promise<Answer> {
  return start(world, call, way).answer();
}

/** Runs a command with Bash as the user. By default the flags let it read and write G. */
export function bash(world: World, command: string, way: CallOptions = {}): Promise<Answer> {
  return startBash(world, command, way).answer();
}

/** Starts a command with Bash as {@link bash} does. */
export function startBash(world: World, command: string, way: CallOptions = {}) {
  const { timeout, ...rest } = way;
  const flags = way.flags ?? grantsOf(world);
  // An "exec" or "exit" of one command must not end the shell of the next one.
  const run = world.user.hasSession
    ? { command: `( ${command}\n)`, session: "attacks" }
    : { command };
  const call = { name: "Bash", arguments: { ...run, ...(timeout && { timeout }) } };
  return start(world, call, { ...rest, flags });
}

/** Runs each command in its own shell, all in one call. Returns what each command printed. */
export async function bashEach(
  world: World,
  commands: string[],
  way: CallOptions,
): Promise<string[]> {
  const script = commands.map((command, at) =>
    `printf '\\n@%d\\n' ${at}; (eval ${quoted(command)})`
  );
  const { text } = await bash(world, script.join("\n"), way);
  const parts = text.split(/\n?^@\d+\n/m).slice(1);
  if (parts.length !== commands.length) throw new Error(`The commands did not all run: ${text}`);
  return parts;
}

/** The flags of most attacks: they grant G, bash and `programs`. `more` are further flags. */
export function grantsOf(world: World, programs: string[] = [], more: string[] = []): string[] {
  return [
    `--allow-read=${world.G}`,
    `--allow-write=${world.G}`,
    `--allow-run=${["bash", ...programs].join(",")}`,
    ...more,
  ];
}

/** The flags that let a call start the attacking program. */
export function attackFlags(world: World, more: string[] = []): string[] {
  const { deno, path } = world.installation;
  return [
    `--allow-read=${world.G},${path}/attack.js`,
    `--allow-write=${world.G}`,
    `--allow-run=bash,${deno}`,
    ...more,
  ];
}

/** The command that starts the attacking program. Bash passes it the pid of toolcall. */
export function attackCommand(world: World, section: string, params: unknown = {}): string {
  const { deno, path } = world.installation;
  return `DENO_DIR=$TMPDIR/deno DENO_NO_UPDATE_CHECK=1 exec ${deno} run -A --quiet --no-remote ` +
    `--cached-only --no-lock --no-config ${path}/attack.js ${section} $PPID ${
      quoted(JSON.stringify(params))
    }`;
}

/** One attempt, as the attacking program reports it. */
export interface Attempt {
  id: string;
  what: string;
  outcome: "refused" | "escaped" | "unclear";
  detail: string;
}

/** The attempts in the output of the attacking program. Throws if there are no attempts. */
export function attemptsIn({ text }: { text: string }): Attempt[] {
  const attempts = text.split("\n").filter((line) => line.startsWith('{"id"'))
    .map((line) => JSON.parse(line) as Attempt);
  if (attempts.length === 0) throw new Error(`The attacking program did not run: ${text}`);
  return attempts;
}

/** Counts attempts. The name of a last step reports the counts. */
export class Tally {
  #refused = 0;
  readonly escaped: string[] = [];
  readonly unclear: string[] = [];

  /** Counts one attempt. */
  note(id: string, isRefused: boolean, detail = ""): void {
    if (isRefused) this.#refused++;
    else this.escaped.push(detail === "" ? id : `${id}: ${detail}`);
  }

  /** Counts the attempts of the attacking program. */
  add(attempts: Attempt[]): this {
    for (const { id, what, outcome, detail } of attempts) {
      if (outcome === "unclear") this.unclear.push(`${id} ${what}: ${detail}`);
      else this.note(`${id} ${what}`, outcome === "refused", detail);
    }
    return this;
  }

  /** Prints the counts. Fails unless there were `tried` attempts and all of them were refused. */
  async report(t: Deno.TestContext, tried: number): Promise<void> {
    const { escaped, unclear } = this;
    const all = this.#refused + escaped.length + unclear.length;
    const name = `tried ${all}, refused ${this.#refused}, escaped ${escaped.length}`;
    const passed = await t.step(name, () => {
      expect(escaped).toEqual([]);
      expect(unclear).toEqual([]);
      expect(all).toBe(tried);
    });
    // With --quiet a step that fails does not print its name.
    if (!passed) console.log(`${name}\n  ${[...escaped, ...unclear].join("\n  ")}`);
  }
}

/** How many tests have been defined. */
let testCount = 0;

/** Defines a test for each user, and one for the shell of a session. */
export function testInShells(
  name: string,
  fn: (t: Deno.TestContext, user: User) => Promise<void>,
): void {
  testAs(name, fn);
  addTests(name, fn, sessionUsers);
}

/**
 * Defines a test for each user. Without `FULL_TESTS=1` each test has two users. One is the last user.
 * The other one is in turn root, the last user through `mcp`, and the last user through `submit`.
 * These tests spend most of their time on starting a server for each set of flags.
 */
export function testAs(
  name: string,
  fn: (t: Deno.TestContext, user: User) => Promise<void>,
  isFor: (user: User) => boolean = () => true,
): void {
  const last = users.at(-1)!;
  const others = [...users, ...servedUsers].filter((user) => user !== last && isFor(user));
  const chosen = isFull ? others : others.splice(testCount++ % others.length, 1);
  addTests(name, fn, [...isFor(last) ? [last] : [], ...chosen]);
}

function addTests(
  name: string,
  fn: (t: Deno.TestContext, user: User) => Promise<void>,
  users: readonly User[],
): void {
  for (const user of users) {
    Deno.test({
      name: `${name} (${user.name})`,
      ignore: obstacle !== undefined,
      async fn(t) {
        try {
          await fn(t, user);
        } finally {
          await Promise.all([...servers.values()].map((server) => server.close()));
          servers.clear();
          for (const world of sessionWorlds.splice(0)) await endShells(world);
        }
      },
    });
  }
}

/** Whether each call of the user has its own process, for tests of that process. */
export const ofOneCall = ({ server }: User) => server === undefined;

/** The processes whose command line contains `text`. */
export function processesWith(text: string): number[] {
  return [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const line = Deno.readTextFileSync(`/proc/${name}/cmdline`).replaceAll("\0", " ");
      return line.includes(text) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Quotes a word for the shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** How long {@link sleepers} sleep, in seconds: far longer than a test waits for their end. */
const NAP_SECONDS = 600;

/**
 * The most that a call may take which must not wait for {@link sleepers}, in milliseconds. It is half
 * of their sleep, so that a slow machine does not fail the test.
 */
export const MAX_MS_WITHOUT_NAP = NAP_SECONDS * 500;

/** A duration that no other process sleeps for, in seconds. */
export function oddNap(): string {
  return `${NAP_SECONDS}.${1e6 + Math.floor(Math.random() * 9e6)}`;
}

/** The processes that run `sleep` for a duration of {@link oddNap}. Shells that wait for them are not. */
export function sleepers(nap: string): number[] {
  return processesWith(`sleep ${nap}`).filter((pid) => {
    try {
      return Deno.readTextFileSync(`/proc/${pid}/cmdline`) === `sleep\0${nap}\0`;
    } catch {
      return false;
    }
  });
}

/** Whether a path exists. A symlink exists even if its target does not. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
