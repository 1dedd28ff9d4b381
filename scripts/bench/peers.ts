/**
 * The programs that the bench compares with. npm installs each one in the exact version of this
 * table, once, into the bench's cache. The packages that they depend on are those of one day.
 */
import { join } from "node:path";
import { cacheDirectory } from "./cache_directory.ts";
import { Missing } from "./rows.ts";

/** The day that decides the versions of the packages that the peers depend on. */
const DAY = "2026-11-20";

/** The packages of the peers. A package that is only for one platform has its name in it. */
const PACKAGES = {
  filesystem: "@modelcontextprotocol/server-filesystem@2026.8.31",
  inspector: "@modelcontextprotocol/inspector@2.12.0",
  mcporter: "mcporter@0.12.3",
  codex: "@openai/codex@0.169.0",
  node: `node-${Deno.build.os}-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}@24.21.0`,
} as const;

/** A program from npm. */
export type Peer = keyof typeof PACKAGES;

const installed = new Map<Peer, Promise<string>>();

/** The directory of an installed peer. Throws `Missing` with npm's last words if it fails. */
export function peerDirectory(peer: Peer): Promise<string> {
  const found = installed.get(peer) ?? install(peer);
  installed.set(peer, found);
  return found;
}

async function install(peer: Peer): Promise<string> {
  const wanted = PACKAGES[peer];
  const directory = join(cacheDirectory(), `${wanted.replace(/[@/]/g, "_")}_${DAY}`);
  const modules = join(directory, "node_modules");
  if (exists(join(directory, "complete"))) return modules;
  Deno.mkdirSync(directory, { recursive: true });
  Deno.writeTextFileSync(join(directory, "package.json"), '{ "private": true }\n');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", `--before=${DAY}`];
  try {
    const { success, stderr } = await new Deno.Command("npm", {
      args: ["install", ...flags, wanted],
      cwd: directory,
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Missing(`npm cannot install ${wanted}: ${lastError(stderr)}`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Missing(`${wanted} needs npm, which is not installed`);
  }
  Deno.writeTextFileSync(join(directory, "complete"), "");
  return modules;
}

/** npm's reason. Its other lines name directories of this machine. */
function lastError(stderr: Uint8Array): string {
  const lines = new TextDecoder().decode(stderr).split("\n");
  return lines.find((line) => /^npm (error|ERR!) (code|[0-9])/.test(line)) ?? "no reason given";
}

/** Node 24 from npm, or the user's Node where npm has none for this platform. */
export async function node(): Promise<string> {
  try {
    const name = PACKAGES.node.split("@")[0]!;
    return join(await peerDirectory("node"), name, "bin", "node");
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    return programInPath("node");
  }
}

/** The packages that this run has asked for, with their versions. */
export function usedPackages(): string[] {
  return [...installed.keys()].map((peer) => PACKAGES[peer]);
}

/** The Node that this run has used, if it has used one. */
export async function usedNode(): Promise<string | undefined> {
  return installed.has("node") ? await node().catch(() => undefined) : undefined;
}

/** The command that runs a script of a peer with `node()`. */
export async function nodeScript(peer: Peer, path: string): Promise<string[]> {
  return [await node(), join(await peerDirectory(peer), path)];
}

/** Codex's own executable, without the Node script around it. */
export async function codex(): Promise<string> {
  const vendors = join(await peerDirectory("codex"), "@openai");
  for (const { name } of Deno.readDirSync(vendors)) {
    if (!name.startsWith("codex-")) continue;
    const vendor = join(vendors, name, "vendor");
    for (const target of Deno.readDirSync(vendor)) {
      const path = join(vendor, target.name, "bin", "codex");
      if (exists(path)) return path;
    }
  }
  throw new Missing(`${PACKAGES.codex} has no executable for this platform`);
}

/** The path of a program that the user has. Throws `Missing` if it is not in PATH. */
export function programInPath(name: string): string {
  for (const directory of (Deno.env.get("PATH") ?? "").split(":")) {
    if (directory !== "" && exists(join(directory, name))) return join(directory, name);
  }
  throw new Missing(`${name} is not installed`);
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
