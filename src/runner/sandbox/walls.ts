/** What the walls will hold of a call, told without entering them. */

import type { RegisteredTool } from "../registry/registered_tool.ts";
import { isEither, withoutNetwork } from "./executors/either_place.ts";
import { type Grants, isUnrestricted } from "./policy/grants.ts";
import { openKernel } from "./linux/kernel.ts";
import { type FileRights, landlockVersion, since } from "./linux/landlock.ts";
import { hasFileWall, staysInThread } from "./executors/confined.ts";
import { fileRights } from "./linux/file_wall.ts";
import type { FileToWrite } from "./executors/job.ts";
import type { MountState } from "./linux/mount_state.ts";
import { networkFor } from "./policy/network.ts";
import { networkPermissions } from "./policy/network_permissions.ts";
import { permissionsOf, type RuntimePermissions } from "./policy/permissions.ts";
import { type Limits, limitsFor } from "./linux/privileges.ts";
import { programRights } from "./linux/program_wall.ts";
import { folderToWrite } from "./linux/write_folders.ts";

/** What each wall will hold, as data. */
export interface Walls {
  /**
   * The permissions of the tool's thread; of a tool that stays in the engine's the kinds
   * alone, and the kernel holds its files.
   */
  runtime: RuntimePermissions | "open" | "may start programs and nothing else";
  /** What the kernel opens: everything, or what is told; `none` where it holds nothing. */
  kernel: KernelWall | "open" | "none";
  /** Whether the call will be refused because the machine has no wall that it needs. */
  missing?: true;
}

/** What the kernel's wall opens; all else is shut. */
export interface KernelWall {
  /** Landlock's version, or what stands for it on macOS. */
  landlock: number | "sandbox-exec";
  /** Files and folders. */
  files: Partial<FileRights>;
  /** For tools that start programs: what every program has of the system. */
  system?: Partial<FileRights>;
  /** For tools that start programs: what the programs have of the network, and why no more. */
  network?: { open: string; note?: string };
  /** The effect of read-only mounts on tools that start programs, if it was found out. */
  mounts?: MountState;
  /** For tools that start programs: what the kernel's version cannot hold. */
  notHeld?: string[];
  /** For tools that start programs: what each may use at most. */
  limits?: Limits;
}

/** What is needed to know the walls of a call. */
export interface WallsOptions {
  /** What the flags allow. */
  grants: Grants;
  /** The folder of the program's own files. */
  programFolder: string;
  /** Whether that folder is all that the program loads. */
  isBundled: boolean;
  /** Whether programs are held by nothing. */
  unconfinedRun: boolean;
  /** What programs may use at most. */
  limits: Limits;
  /** The hosts that the call needs, with their ports. */
  hosts: readonly string[];
  /** The files that the call needs to write and may. */
  writes: readonly FileToWrite[];
  /** The effect of read-only mounts on programs, if it was found out. */
  mounts?: MountState;
}

/** What the walls hold of the calls of a tool under these flags. */
export function wallsOf(tool: RegisteredTool, options: WallsOptions): Walls {
  const { grants, isBundled, hosts } = options;
  if (isEither(tool) && hosts.length === 0) return wallsOf(withoutNetwork(tool), options);
  if (tool.metadata.permissionKinds.includes("net")) return networkWalls(options, hosts);
  const starts = tool.metadata.permissionKinds.includes("run");
  // An MCP server is the user's own program, which nothing holds.
  const isServers = tool.metadata.permissionKinds.includes("mcp");
  const isOpen = isUnrestricted(grants) && (starts || tool.metadata.simple !== true);
  if (isOpen || isServers || (starts && options.unconfinedRun)) {
    return { runtime: "open", kernel: "open" };
  }
  const version = fileWallVersion();
  const own = Deno.realPathSync(options.programFolder);
  if (starts) {
    const runtime = "may start programs and nothing else";
    const isMac = Deno.build.os === "darwin";
    if (version === 0 && !isMac) return { runtime, kernel: "none", missing: true };
    const kernel = programWall(isMac ? Infinity : version, { ...options, programFolder: own });
    return { runtime, kernel: isMac ? { ...kernel, landlock: "sandbox-exec" } : kernel };
  }
  const runtime = permissionsOf(tool.metadata.permissionKinds, { grants, own });
  if (version === 0 || !hasFileWall(tool, isBundled)) return { runtime, kernel: "none" };
  const stays = staysInThread(tool);
  const granted = runtime.write === true ? ["/"] : runtime.write;
  const write = stays ? options.writes.flatMap((file) => folderToWrite(file) ?? []) : granted;
  const files = fileRights(runtime, { grants, write });
  const kinds = { read: anyOf(runtime.read), write: anyOf(runtime.write) };
  return {
    runtime: stays ? { ...runtime, ...kinds } : runtime,
    kernel: { landlock: version, files },
  };
}

/** A tool that uses the network has a Worker of its own under all flags. */
function networkWalls({ programFolder }: WallsOptions, hosts: readonly string[]): Walls {
  const own = Deno.realPathSync(programFolder);
  const runtime = networkPermissions(hosts.map((host) => `the addresses of ${host}`), own);
  return { runtime, kernel: "none" };
}

function anyOf(values: RuntimePermissions["read"]): RuntimePermissions["read"] {
  return values === true || values.length > 0 ? true : [];
}

function programWall(version: number, { mounts, ...options }: WallsOptions): KernelWall {
  const { network, ports, note } = networkFor(options.grants, version);
  const open = network === "ports" ? `TCP to port ${ports.join(", ")}` : network;
  return {
    landlock: version,
    ...programRights({ ...options, temporary: "$TMPDIR" }),
    network: { open, ...(note && { note }) },
    ...(mounts && { mounts }),
    notHeld: [
      mounts?.isMade
        ? "metadata of files: stat"
        : "metadata of files: stat, and chmod, utime and extended attributes of the user's own files",
      ...gapsBefore(version),
    ],
    limits: limitsFor(options.limits),
  };
}

/** What Landlock cannot hold before each of its versions. */
const GAPS: readonly [version: number, gap: string][] = [
  [since.ports, "single ports of --allow-net (they are not opened to programs)"],
  [since.signals, "signals to other processes of the user (not held)"],
];

/** What a version of Landlock cannot hold, and what becomes of it. */
export function gapsBefore(version: number): string[] {
  return GAPS.filter(([from]) => version < from).map(([, gap]) => gap);
}

/** The version of Landlock on this machine; 0 where there is none. */
export function fileWallVersion(): number {
  const kernel = openKernel();
  const version = kernel === undefined ? 0 : landlockVersion(kernel);
  kernel?.close();
  return version;
}
