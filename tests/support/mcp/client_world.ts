/** A directory with a configuration of MCP servers, and the executable in it. */
import { fileURLToPath } from "node:url";
import { call, type Result, type Run, temporaryDirectory, toolcall } from "../executable.ts";

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
  /** Every file that was kept there, as one text. */
  kept(): string;
}

/** A world whose configuration names these servers, made from its directory. */
export function world(
  servers: (directory: string) => Record<string, unknown>,
  environment: Record<string, string> = {},
): World {
  const directory = temporaryDirectory();
  const { path } = directory;
  const home = `${path}/home`;
  Deno.mkdirSync(home);
  Deno.writeTextFileSync(
    `${path}/toolcall.json`,
    `// A comment\n${JSON.stringify({ mcpServers: servers(path) })}`,
  );
  const env = { TOKEN, XDG_CONFIG_HOME: home, ...cacheDirectory(), ...environment };
  const state = `--state-dir=${path}/state`;
  return {
    path,
    run: (args, options = {}) =>
      toolcall([...args, state], { cwd: path, ...options, env: { ...env, ...options.env } }),
    call: (name, args = {}, flags = ["--allow-mcp"]) =>
      call(name, args, { flags: [...flags, state], cwd: path, env }),
    kept: () => textsIn(`${path}/state`),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

function textsIn(directory: string): string {
  try {
    return [...Deno.readDirSync(directory)].map(({ name, isDirectory }) =>
      isDirectory ? textsIn(`${directory}/${name}`) : Deno.readTextFileSync(`${directory}/${name}`)
    ).join("\n");
  } catch {
    return "";
  }
}
