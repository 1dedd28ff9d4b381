/** A directory with a configuration of MCP servers, and the executable in it. */
import { fileURLToPath } from "node:url";
import { exitCodes } from "../../../src/runner/call/failure.ts";
import {
  call,
  executable,
  type Result,
  type Run,
  temporaryDirectory,
  toolcall,
} from "../executable.ts";
import { trustFile } from "../trust.ts";
import { Peer } from "./peer.ts";

const nastyServer = fileURLToPath(new URL("servers/nasty.ts", import.meta.url));

/** A secret that no output and no file may contain. */
export const TOKEN = "s3cret-t0ken-value";

/** Returns an entry of `mcpServers` for the server that misbehaves in this mode. */
export function nasty(mode: string, ...more: string[]): Record<string, unknown> {
  return {
    command: Deno.execPath(),
    args: ["run", "-A", "--quiet", "--no-config", nastyServer, mode, ...more],
    env: { TOKEN: "${TOKEN}" },
  };
}

/** Returns an entry for a server of the newest revision, which uses the packages of the project. */
export function modern(): Record<string, unknown> {
  return {
    command: Deno.execPath(),
    args: ["run", "-A", "--quiet", fileURLToPath(new URL("servers/modern.ts", import.meta.url))],
    env: cacheDirectory(),
  };
}

/** The variable that names the runtime's cache of packages, for a program in a clean environment. */
export function cacheDirectory(): Record<string, string> {
  const directory = Deno.env.get("DENO_DIR");
  return directory === undefined ? {} : { DENO_DIR: directory };
}

/**
 * The ways of a call to a server: the call starts the server, the server is kept between calls, or
 * the call goes through `toolcall mcp`.
 */
export const ways = ["alone", "kept", "gateway"] as const;

/** A way of a call to a server. */
export type Way = typeof ways[number];

/** The ways of attacks. One more is a gateway with `--upstream-names`. */
export const attackWays = [...ways, "upstream names"] as const;

/** A way of an attack. */
export type AttackWay = typeof attackWays[number];

/** The world of one test. */
export interface World extends Disposable {
  /** Its directory. */
  path: string;
  /** Runs the executable there. */
  run(args: string[], options?: { stdin?: string; env?: Record<string, string> }): Promise<Run>;
  /** Runs a call there, by default with `--allow-mcp`. */
  call(
    name: string,
    args?: Record<string, unknown>,
    flags?: string[],
  ): Promise<Result & { exit: number; text: string; stderr?: string }>;
  /** Replaces the servers of the configuration. */
  write(entries: Record<string, unknown>): void;
  /** Returns the contents of every file in its state directory, as one text. */
  kept(): string;
}

/**
 * Makes a world whose configuration has these servers. Its calls use this way. No server runs after
 * its disposal.
 */
export function world(
  servers: (directory: string) => Record<string, unknown>,
  { way = "alone", ...environment }: { way?: AttackWay } & Record<string, string> = {},
): World {
  const directory = temporaryDirectory();
  const { path } = directory;
  const home = `${path}/home`;
  Deno.mkdirSync(home);
  const write = (entries: Record<string, unknown>) => {
    const text = `// A comment\n${JSON.stringify({ mcpServers: inWay(way, entries) })}`;
    Deno.writeTextFileSync(`${path}/toolcall.json`, text);
    trustFile(`${path}/toolcall.json`, `${path}/state`);
  };
  write(servers(path));
  const env = { TOKEN, XDG_CONFIG_HOME: home, ...cacheDirectory(), ...environment };
  const state = `--state-dir=${path}/state`;
  return {
    path,
    run: (args, options = {}) =>
      toolcall([...args, state], { cwd: path, ...options, env: { ...env, ...options.env } }),
    call: (name, args = {}, flags = ["--allow-mcp"]) =>
      way === "gateway" || way === "upstream names"
        ? callThroughGateway([name, args], [...flags, state], { cwd: path, env, way })
        : call(name, args, { flags: [...flags, state], cwd: path, env }),
    write,
    kept: () => textsIn(`${path}/state`),
    [Symbol.dispose]: () => {
      if (way === "kept") {
        new Deno.Command(executable, { args: ["mcp", "stop", "--all", state], cwd: path, env })
          .outputSync();
      }
      directory[Symbol.dispose]();
    },
  };
}

/** Adds `keepAlive` to the entries if the servers are kept. */
function inWay(way: AttackWay, entries: Record<string, unknown>): Record<string, unknown> {
  if (way !== "kept") return entries;
  const kept = (entry: unknown) => ({ keepAlive: "5m", ...entry as Record<string, unknown> });
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, kept(entry)]));
}

/** Calls a tool as a client of `toolcall mcp`. With upstream names, only tools of servers are listed. */
async function callThroughGateway(
  [name, args]: [name: string, args: Record<string, unknown>],
  flags: string[],
  { way, ...options }: { cwd: string; env: Record<string, string>; way: AttackWay },
): Promise<Result & { exit: number; text: string }> {
  const [, upstream] = /^mcp__[^_]+__(.+)$/.exec(name) ?? [];
  const isRenamed = way === "upstream names" && upstream !== undefined;
  const renaming = isRenamed ? ["--upstream-names", "--tools=mcp__*"] : [];
  await using peer = Peer.start([...flags, ...renaming], options);
  await peer.initialize();
  const { result } = await peer.call(isRenamed ? upstream : name, args);
  const code = result._meta?.["toolcall/error"]?.code as keyof typeof exitCodes | undefined;
  const text = result.content[0]?.text ?? "";
  return { ...result, text, exit: code === undefined ? 0 : exitCodes[code] };
}

function textsIn(directory: string): string {
  try {
    // The list of trusted files was written by the test itself.
    const entries = [...Deno.readDirSync(directory)].filter(({ name }) => name !== "trusted.json");
    return entries.map(({ name, isDirectory, isFile }) => {
      const path = `${directory}/${name}`;
      return isDirectory ? textsIn(path) : isFile ? Deno.readTextFileSync(path) : "";
    }).join("\n");
  } catch {
    return "";
  }
}
