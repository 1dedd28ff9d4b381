/**
 * The programs that the bench compares with. npm installs each one in the exact version of this
 * table, once, into the bench's cache.
 */
import { join } from "node:path";
import { installPackages, isFile } from "./npm_packages.ts";
import { Missing } from "./rows.ts";

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

/** The directory of an installed peer. Throws `Missing` with npm's reason if npm fails. */
export function peerDirectory(peer: Peer): Promise<string> {
  const found = installed.get(peer) ?? installPackages([PACKAGES[peer]]);
  installed.set(peer, found);
  return found;
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
      if (isFile(path)) return path;
    }
  }
  throw new Missing(`${PACKAGES.codex} has no executable for this platform`);
}

/** The path of a program that the user has. Throws `Missing` if it is not in PATH. */
export function programInPath(name: string): string {
  for (const directory of (Deno.env.get("PATH") ?? "").split(":")) {
    if (directory !== "" && isFile(join(directory, name))) return join(directory, name);
  }
  throw new Missing(`${name} is not installed`);
}
