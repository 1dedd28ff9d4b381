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
import { Peer } from "./peer.ts";

const nastyServer = fileURLToPath(new URL("servers/nasty.ts", import.meta.url));

/** What no output and no file may hold. */
export const TOKEN = "s3cret-t0ken-value";

/** An entry of `mcpServers` for the server that misbehaves so. */
export function nasty(mode: string, ...more: string[]): Record<string, unknown> {
  return {
    command: Deno.execPath(),
    args: ["run", "-A", "--quiet", "--no-config", nastyServer, mode, ...more],
    env: { TOKEN: "${TOKEN}" },
  };
}

/** An entry for a server of the newest revision, of the packages of the project itself. */
export function modern(): Record<string, unknown> {
  return {
    command: Deno.execPath(),
    args: ["run", "-A", "--quiet", fileURLToPath(new URL("servers/modern.ts", import.meta.url))],
    env: cacheDirectory(),
  };
}

/** Where the runtime keeps packages, for a program with an environment of its own. */
export function cacheDirectory(): Record<string, string> {
  const directory = Deno.env.get("DENO_DIR");
  return directory === undefined ? {} : { DENO_DIR: directory };
}

/**
 * How a call reaches a server: by a process of its own, by a server that is kept between calls, or
 * through `toolcall mcp` in front of the server.
 */
export const ways = ["alone", "kept", "gateway"] as const;

/** One of them. */
export type Way = typeof ways[number];

/** The ways of attacks: also a gateway with the names that servers give their tools. */
export const attackWays = [...ways, "upstream names"] as const;

/** One of them. */
export type AttackWay = typeof attackWays[number];

/** The world of one test. */
export interface World extends Disposable {
  /** Its directory. */
  path: string;
  /** Runs the executable there. */
  run(args: string[], options?: { stdin?: string; env?: Record<string, string> }): Promise<Run>;
  /** Runs a call there; with `--allow-mcp` unless other flags are given. */
  call(
    name: string,
    args?: Record<string, unknown>,
    flags?: string[],
  ): Promise<Result & { exit: number; text: string; stderr?: string }>;
  /** Replaces the servers of the configuration. */
  write(entries: Record<string, unknown>): void;
  /** Every file that was kept there, as one text. */
  kept(): string;
}

/**
 * A world whose configuration names these servers, made from its directory. Its calls take this
 * way. When it ends, no server is left.
 */
export function world(
  servers: (directory: string) => Record<string, unknown>,
  { way = "alone", ...environment }: { way?: AttackWay } & Record<string, string> = {},
): World {
  const directory = temporaryDirectory();
  const { path } = directory;
  const home = `${path}/home`;
  Deno.mkdirSync(home);
  const write = (entries: Record<string, unknown>) =>
    Deno.writeTextFileSync(
      `${path}/toolcall.json`,
      `// A comment\n${JSON.stringify({ mcpServers: inWay(way, entries) })}`,
    );
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

/** The entries of programs, with a time if they are kept. */
function inWay(way: AttackWay, entries: Record<string, unknown>): Record<string, unknown> {
  if (way !== "kept") return entries;
  const kept = (entry: unknown) => ({ keepAlive: "5m", ...entry as Record<string, unknown> });
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, kept(entry)]));
}

/** Calls a tool as a client of `toolcall mcp`. A tool of a server has no other tools beside it then. */
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
    return [...Deno.readDirSync(directory)].map(({ name, isDirectory, isFile }) => {
      const path = `${directory}/${name}`;
      return isDirectory ? textsIn(path) : isFile ? Deno.readTextFileSync(path) : "";
    }).join("\n");
  } catch {
    return "";
  }
}
