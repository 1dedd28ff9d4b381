/**
 * Programs from npm that the tests run, through Deno's cache. They are not in deno.json: the first
 * `deno task` of a clone downloads all packages of its lock file, and these have 220 MiB.
 */

import { killWhenStuck } from "./wait.ts";

/** The packages with their versions. Nothing else names a version. */
const packages = {
  conformance: "@modelcontextprotocol/conformance@0.1.16",
  // The first version with scenarios of revision 2026-07-28. It is not tagged as the latest.
  "conformance-next": "@modelcontextprotocol/conformance@0.2.0-alpha.12",
  "oidc-provider": "oidc-provider@9.13.3",
  "ext-tasks": "@modelcontextprotocol/ext-tasks@0.2.2",
  inspector: "@modelcontextprotocol/inspector@2.12.0",
  "server-everything": "@modelcontextprotocol/server-everything@2026.8.31",
  "server-filesystem": "@modelcontextprotocol/server-filesystem@2026.8.31",
  "server-memory": "@modelcontextprotocol/server-memory@2026.8.31",
  "server-sequential-thinking": "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
  playwright: "@playwright/mcp@0.0.83",
  llama: "@node-llama-cpp/linux-x64@3.22.1",
} as const;

/** A package that the tests run. */
export type PackageName = keyof typeof packages;

/** The command of a program. It can be an entry of the configuration of an MCP client. */
export interface ServerEntry {
  command: string;
  args: string[];
  /** The variables that the program needs in a clean environment. */
  env: Record<string, string>;
}

/** The time limit of a download, in milliseconds. */
const DOWNLOAD_MS = 120_000;

const outside = ["--quiet", "--no-config", "--no-lock"];
const denoDir = await findDenoDir();
const found = new Map<PackageName, Promise<string | undefined>>();

/**
 * The conformance suite: `server --url URL`, `client --command COMMAND --scenario NAME`, `list`.
 */
export function conformance(...args: string[]): ServerEntry {
  return run("conformance", args);
}

/** The conformance suite with scenarios of the newest revision. */
export function conformanceNext(...args: string[]): ServerEntry {
  return run("conformance-next", args);
}

/** The Inspector on the command line. The arguments are the server's command and `--method NAME`. */
export function inspector(...args: string[]): ServerEntry {
  return run("inspector", ["--cli", ...args]);
}

/** A program that imports the authorization server. Its first argument is the server's specifier. */
export function authorizationServer(program: string, ...args: string[]): ServerEntry {
  const { command, env } = run("oidc-provider", []);
  const all = ["run", "-A", ...outside, program, specifier("oidc-provider"), ...args];
  return { command, args: all, env };
}

/** The program `ext_tasks_client.ts` with the client of MCP's extension for tasks, and its input. */
export function extensionClient(program: string, order: unknown): ServerEntry {
  const { command, env } = run("ext-tasks", []);
  const sdk = "npm:@modelcontextprotocol/client@2.4.0";
  const words = [program, sdk, specifier("ext-tasks"), JSON.stringify(order)];
  return { command, args: ["run", "-A", ...outside, ...words], env };
}

/** The reference server that has every feature. */
export function everythingServer(transport: "stdio" | "streamableHttp" | "sse"): ServerEntry {
  return run("server-everything", [transport]);
}

/** The reference server of files, over stdio, for these directories. */
export function filesystemServer(...directories: string[]): ServerEntry {
  return run("server-filesystem", directories);
}

/** The reference servers that have a state. */
export function statefulServer(name: "server-memory" | "server-sequential-thinking"): ServerEntry {
  return run(name, []);
}

/** The server of a headless browser. `chromium` is the path of the browser. */
export function playwrightServer(chromium: string): ServerEntry {
  const options = ["--headless", "--isolated", "--no-sandbox", `--executable-path=${chromium}`];
  return run("playwright", options);
}

/** The directory of llama.cpp's binaries. */
export async function llamaDirectory(): Promise<string> {
  const code = `import { getBinsDir } from "${
    specifier("llama")
  }"; console.log(getBinsDir().binsDir)`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", ...outside, code],
    env: { NO_COLOR: "1" },
  }).output();
  return new TextDecoder().decode(stdout).trim();
}

/**
 * Downloads a package unless it is in the cache. If that fails, it prints the reason and returns
 * true. The result is the option `ignore` of the tests that need the package.
 */
export async function isMissing(name: PackageName): Promise<boolean> {
  if (!found.has(name)) found.set(name, download(name));
  const reason = await found.get(name);
  if (reason === undefined) return false;
  // deno-lint-ignore no-console -- The test runner shows a line that begins with this word.
  console.log(`skipped: ${specifier(name)} is missing: ${reason}`);
  return true;
}

function run(name: PackageName, args: string[]): ServerEntry {
  return {
    command: Deno.execPath(),
    args: ["run", "-A", ...outside, specifier(name), ...args],
    env: { DENO_DIR: denoDir, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
  };
}

function specifier(name: PackageName): string {
  return `npm:${packages[name]}`;
}

/** Downloads a package. Returns the reason of a failure, or undefined. */
async function download(name: PackageName): Promise<string | undefined> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["cache", ...outside, specifier(name)],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  using _ = killWhenStuck(child, DOWNLOAD_MS);
  const { success, signal, stderr } = await child.output();
  if (success) return undefined;
  if (signal === "SIGKILL") return `no end after ${DOWNLOAD_MS / 1000} seconds`;
  return new TextDecoder().decode(stderr).trim().split("\n")[0];
}

async function findDenoDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-config"],
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
