// deno-lint-ignore-file no-console
/**
 * The attack tests share this module: users, their directories, calls as a user, and a tally.
 */
import { expect } from "@std/expect";
import { landlockVersionHere } from "../../../src/runner/sandbox/describe_confinement.ts";
import { isAlive } from "../../support/processes.ts";
import { executable, oneLine, type Result, type Run } from "../../support/executable.ts";
import { Server, type ServerCommand } from "./served.ts";

/** What lies outside every grant. */
export const SECRET = "the secret outside";

/** Whom a call runs as. */
export interface User {
  name: string;
  /** Whether the system lets this user do everything. */
  isRoot: boolean;
  /** Absent for the user that the tests run as. */
  uid?: number;
  /** The command that answers all calls of the same flags in one process, if there is one. */
  server?: ServerCommand;
  /** Whether commands of Bash run in the shell of a session. */
  hasSession?: boolean;
}

/** A directory with a copy of the executable and of deno that every user can start. */
export interface Place {
  path: string;
  /** The directory of the executable. */
  bin: string;
  toolcall: string;
  deno: string;
}

/** The directories of one user in a {@link Place}; all of them are the user's own. */
export interface World {
  user: User;
  place: Place;
  root: string;
  /** What calls are granted. */
  G: string;
  /** What no call is granted: its file `secret`. */
  S: string;
  /** Where the executable unpacks. */
  cache: string;
  /** Where calls keep temporary files. */
  tmp: string;
  /** Gives what the harness has made to the user. */
  own(...paths: string[]): void;
}

/** A user of this run's own: what ends all processes of one user ends none of another run's. */
const ordinary = 61_000 + Deno.pid % 4000;

/** Why these tests cannot run on this machine, if so; said once a file. */
export const obstacle = Deno.build.os !== "linux" || Deno.build.arch !== "x86_64"
  ? "the attacks are written in system calls of Linux on x86-64"
  : landlockVersionHere() < 6
  ? "this kernel has no Landlock of version 6"
  : undefined;
if (obstacle !== undefined) console.log(`skipped: ${obstacle}`);

/** The user of the tests and, where that is root, an ordinary one. */
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

/** Whether every attempt is made, by each user through each server. */
export const isFull = Deno.env.get("FULL_TESTS") === "1";

/** The users through each command that answers many calls; without `isFull`, only the last user. */
const servedUsers: User[] = users.slice(isFull ? 0 : -1)
  .flatMap((user) =>
    (["mcp", "submit"] as const)
      .map((server) => ({ ...user, name: `${user.name}, through ${server}`, server }))
  );

/** The same in the shell of a session: all of them for `deno task test:full`, else the last one. */
const sessionUsers: User[] = users.slice(isFull ? 0 : -1)
  .map((user) => ({ ...user, name: `${user.name}, in a session`, hasSession: true }));

/** The worlds of the running test that may have such shells. */
const sessionWorlds: World[] = [];

/** Makes one; `remove` takes it away with all that is in it. */
function makePlace(): Place & { remove(): void } {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolcall-walls-" }));
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

/** The place of all these tests; there is none where they cannot run. */
export const place = obstacle === undefined ? makePlace() : undefined;
Deno.test.afterAll(() => place?.remove());

/**
 * New directories for `user`. The directory that the executable unpacks into is one for all of
 * them.
 */
export function makeWorld(user: User): World {
  if (place === undefined) throw new Error("There is no place");
  const root = Deno.makeTempDirSync({ dir: place.path, prefix: "world-" });
  const [G, S, tmp] = [`${root}/G`, `${root}/S`, `${root}/tmp`];
  const cache = `${place.path}/cache-${user.uid ?? "own"}`;
  const own = (...paths: string[]) => {
    if (user.uid === undefined) return;
    for (const path of paths) Deno.chownSync(path, user.uid, user.uid);
  };
  for (const path of [G, S, tmp]) Deno.mkdirSync(path, { mode: 0o700 });
  if (!isThere(cache)) Deno.mkdirSync(cache, { mode: 0o700 });
  Deno.writeTextFileSync(`${S}/secret`, SECRET);
  own(root, G, S, cache, tmp, `${S}/secret`);
  const world = { user, place, root, G, S, cache, tmp, own };
  if (user.hasSession) sessionWorlds.push(world);
  return world;
}

/** The files of the keepers of a world's shells. */
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
export interface Way {
  flags?: string[];
  env?: Record<string, string>;
  cwd?: string;
  /** The time limit of Bash, in milliseconds. */
  timeout?: number;
  /** What starts the executable, with its arguments. */
  launcher?: string[];
  /** Another path of the executable. */
  executable?: string;
  /** Whether a server of this call alone answers it, so that its process can be looked at. */
  isAlone?: boolean;
}

/** The servers of the running test, by what they were started with. */
const servers = new Map<string, Server>();

/** What has come of a call. */
export type Answer = Result & { exit: number; text: string; ms: number };

/** Starts a call in the user's name; the pid of the process is that of toolcall itself. */
export function start(
  world: World,
  call: { name: string; arguments: Record<string, unknown> } | readonly unknown[],
  way: Way = {},
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
    way.executable ?? world.place.toolcall,
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
  // A list is of messages for an MCP server.
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
  // The printed JSON values, one a line. A server ends with its input, once it has answered.
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

/** A call through a server. It begins at once. */
function served(server: Server, call: Call, { isAlone }: Way): ReturnType<typeof start> {
  const answered = server.call(call);
  const answer = async () => {
    const found = await answered;
    if (isAlone) await server.close();
    return found;
  };
  return { child: server.child, answer, messages: () => Promise.reject(new Error("not here")) };
}

/** Makes a call in the user's name. */
export function callAs(
  world: World,
  call: { name: string; arguments: Record<string, unknown> },
  way: Way = {},
): Promise<Answer> {
  return start(world, call, way).answer();
}

/**
 * Runs a command with Bash in the user's name; G may be read and written unless `way` says
 * otherwise.
 */
export function bash(world: World, command: string, way: Way = {}): Promise<Answer> {
  return startBash(world, command, way).answer();
}

/** Starts it. */
export function startBash(world: World, command: string, way: Way = {}) {
  const { timeout, ...rest } = way;
  const flags = way.flags ?? grantsOf(world);
  // An "exec" or "exit" of one command must not end the shell of the next one.
  const run = world.user.hasSession
    ? { command: `( ${command}\n)`, session: "attacks" }
    : { command };
  const call = { name: "Bash", arguments: { ...run, ...(timeout && { timeout }) } };
  return start(world, call, { ...rest, flags });
}

/** Runs commands, each in a shell of its own, in one call; gives what each printed. */
export async function bashEach(world: World, commands: string[], way: Way): Promise<string[]> {
  const script = commands.map((command, at) =>
    `printf '\\n@%d\\n' ${at}; (eval ${quoted(command)})`
  );
  const { text } = await bash(world, script.join("\n"), way);
  const parts = text.split(/\n?^@\d+\n/m).slice(1);
  if (parts.length !== commands.length) throw new Error(`The commands did not all run: ${text}`);
  return parts;
}

/** The flags of most attacks: G, bash, what else is named of programs, and more flags. */
export function grantsOf(world: World, programs: string[] = [], more: string[] = []): string[] {
  return [
    `--allow-read=${world.G}`,
    `--allow-write=${world.G}`,
    `--allow-run=${["bash", ...programs].join(",")}`,
    ...more,
  ];
}

/** The flags under which the attacking program can be started. */
export function attackFlags(world: World, more: string[] = []): string[] {
  const { deno, path } = world.place;
  return [
    `--allow-read=${world.G},${path}/attack.js`,
    `--allow-write=${world.G}`,
    `--allow-run=bash,${deno}`,
    ...more,
  ];
}

/** The command that starts it; the pid of toolcall is handed in by bash. */
export function attackCommand(world: World, section: string, params: unknown = {}): string {
  const { deno, path } = world.place;
  return `DENO_DIR=$TMPDIR/deno DENO_NO_UPDATE_CHECK=1 exec ${deno} run -A --quiet --no-remote ` +
    `--cached-only --no-lock --no-config ${path}/attack.js ${section} $PPID ${
      quoted(JSON.stringify(params))
    }`;
}

/** One attempt, as the attacking program tells of it. */
export interface Attempt {
  id: string;
  what: string;
  outcome: "refused" | "escaped" | "unclear";
  detail: string;
}

/** What it told. Throws when it told nothing. */
export function attemptsIn({ text }: { text: string }): Attempt[] {
  const attempts = text.split("\n").filter((line) => line.startsWith('{"id"'))
    .map((line) => JSON.parse(line) as Attempt);
  if (attempts.length === 0) throw new Error(`The attacking program did not run: ${text}`);
  return attempts;
}

/** Counts attempts; its report is the name of a last step. */
export class Tally {
  #refused = 0;
  readonly escaped: string[] = [];
  readonly unclear: string[] = [];

  /** Takes note of one attempt. */
  note(id: string, isRefused: boolean, detail = ""): void {
    if (isRefused) this.#refused++;
    else this.escaped.push(detail === "" ? id : `${id}: ${detail}`);
  }

  /** Takes note of what the attacking program told. */
  add(attempts: Attempt[]): this {
    for (const { id, what, outcome, detail } of attempts) {
      if (outcome === "unclear") this.unclear.push(`${id} ${what}: ${detail}`);
      else this.note(`${id} ${what}`, outcome === "refused", detail);
    }
    return this;
  }

  /** Prints the count, and fails when it is not `tried` refusals. */
  async report(t: Deno.TestContext, tried: number): Promise<void> {
    const { escaped, unclear } = this;
    const all = this.#refused + escaped.length + unclear.length;
    const name = `tried ${all}, refused ${this.#refused}, escaped ${escaped.length}`;
    const passed = await t.step(name, () => {
      expect(escaped).toEqual([]);
      expect(unclear).toEqual([]);
      expect(all).toBe(tried);
    });
    // A step that fails prints no name of its own under --quiet.
    if (!passed) console.log(`${name}\n  ${[...escaped, ...unclear].join("\n  ")}`);
  }
}

/** How many tests have been defined. */
let testCount = 0;

/** A test for each user, and one for the shell of a session. */
export function testInShells(
  name: string,
  fn: (t: Deno.TestContext, user: User) => Promise<void>,
): void {
  testAs(name, fn);
  addTests(name, fn, sessionUsers);
}

/**
 * A test for each user. Without `FULL_TESTS=1` each test has two users. One is the last user. The
 * other one is by turns root, or the last user through `mcp` or through `submit`. Most of the time of
 * these tests goes into the start of a server for each set of flags.
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

/** The users of a test that is about the process of one call alone. */
export const ofOneCall = ({ server }: User) => server === undefined;

/** The processes whose command line holds `text`. */
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

/** Waits until `isSo`; whether that came within `ms`, by default half of {@link oddNap}. */
export async function until(isSo: () => boolean, ms = 20_000): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; await pause(15)) {
    if (isSo()) return true;
  }
  return isSo();
}

/** A word for the shell that it takes as it is. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A duration that no other process sleeps for, in seconds. */
export function oddNap(): string {
  return `40.${1e6 + Math.floor(Math.random() * 9e6)}`;
}

/** Whether a path is there. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
