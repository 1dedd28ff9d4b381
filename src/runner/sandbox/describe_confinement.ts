/** Describes what a plan lets a call do, as data. Describing it restricts nothing. */

import { join } from "@std/path/posix/join";
import type { Program } from "../program.ts";
import type { Plan } from "./plan.ts";
import type { Grants } from "./policy/grants.ts";
import { type Limits, limitsFor, openKernel } from "./linux/kernel.ts";
import { type FileRights, landlockVersion, since } from "./linux/landlock.ts";
import { fileRights } from "./linux/file_sandbox.ts";
import type { FileToWrite } from "./executors/executor.ts";
import type { MountState } from "./linux/mount_namespace.ts";
import {
  networkPermissions,
  permissionsOf,
  type RuntimePermissions,
} from "./policy/permissions.ts";
import { networkFor, programRights } from "./policy/program_rights.ts";
import { directoryToWrite } from "./linux/write_directories.ts";

/** The access of a call, as `check` prints it. */
export interface Confinement {
  /** The executor that runs the call. */
  executor: Plan["executor"];
  /**
   * The permissions of the tool's thread. For a tool that stays in the main thread these are only
   * the kinds, and the kernel restricts its files.
   */
  runtime: RuntimePermissions | "open" | "may start programs and nothing else";
  /** The access that the kernel leaves, or everything; `none` if it restricts nothing. */
  kernel: KernelConfinement | "open" | "none";
  /** Whether the call will be refused because the machine has no sandbox for it. */
  missing?: true;
}

/** The access that the kernel leaves to a call. It refuses everything else. */
interface KernelConfinement {
  /** Landlock's version, or the name of the sandbox on macOS. */
  landlock: number | "sandbox-exec";
  /** Files and directories. */
  files: Partial<FileRights>;
  /** For tools that start programs: the system files that every program may use. */
  system?: Partial<FileRights>;
  /**
   * For tools that start programs or ripgrep: the network access of these, and why it is reduced.
   */
  network?: { access: string; note?: string };
  /** The effect of read-only mounts on tools that start programs, if it was found out. */
  mounts?: MountState;
  /** For tools that start programs: what this version of the kernel cannot restrict. */
  unprotected?: string[];
  /** For tools that start programs: the resource limits of each. */
  limits?: Limits;
}

/** The data that a description depends on, besides the plan. */
interface DescribeOptions {
  grants: Grants;
  program: Program;
  limits: Limits;
  /** The hosts that the call needs, with their ports. */
  hosts: readonly string[];
  /** The files that the call needs to write and may. */
  writes: readonly FileToWrite[];
  /** The effect of read-only mounts on programs, if it was found out. */
  mounts?: MountState;
}

/**
 * Describes what a plan lets a call do. The executor of the plan restricts the call to the same.
 */
export function describeConfinement(plan: Plan, options: DescribeOptions): Confinement {
  const { executor } = plan;
  switch (executor) {
    case "in_process":
      return { executor, runtime: "open", kernel: "open" };
    case "network_worker": {
      const own = Deno.realPathSync(options.program.directory);
      const hosts = options.hosts.map((host) => `the addresses of ${host}`);
      return { executor, runtime: networkPermissions(hosts, own), kernel: "none" };
    }
    case "programs":
      return plan.sandboxed
        ? { executor, ...describePrograms(options) }
        : { executor, runtime: "open", kernel: "open" };
    case "kept_process":
    case "subprocess":
    case "session_shell":
    case "background_process":
      return { ...describeConfinement(plan.inside, options), executor };
    default:
      return { executor, ...describeFiles(plan, options) };
  }
}

function describePrograms(options: DescribeOptions): Omit<Confinement, "executor"> {
  const runtime = "may start programs and nothing else";
  const isMac = Deno.build.os === "darwin";
  const version = isMac ? Infinity : landlockVersionHere();
  if (version === 0) return { runtime, kernel: "none", missing: true };
  const kernel = programConfinement(version, options);
  return { runtime, kernel: isMac ? { ...kernel, landlock: "sandbox-exec" } : kernel };
}

function describeFiles(
  plan: Extract<Plan, { kinds: unknown }>,
  { grants, program, writes }: DescribeOptions,
): Omit<Confinement, "executor"> {
  const own = Deno.realPathSync(program.directory);
  const runtime = permissionsOf(plan.kinds, { grants, own });
  if (plan.executor !== "sandboxed_in_process" && !plan.landlock) {
    return { runtime, kernel: "none" };
  }
  const isOfCall = plan.executor !== "worker";
  const granted = runtime.write === true ? ["/"] : runtime.write;
  const write = isOfCall ? writes.flatMap((file) => directoryToWrite(file) ?? []) : granted;
  const execute = plan.helper === undefined ? undefined : [join(own, plan.helper)];
  const files = { ...fileRights(runtime, { grants, write }), ...(execute && { execute }) };
  // The kernel restricts the paths of such a call, so the runtime only restricts the kinds.
  const kinds = { read: anyOf(runtime.read), write: anyOf(runtime.write) };
  return {
    runtime: isOfCall ? { ...runtime, ...kinds } : runtime,
    kernel: {
      ...{ landlock: landlockVersionHere(), files },
      ...(execute && { network: { access: "none" } }),
    },
  };
}

function anyOf(values: RuntimePermissions["read"]): RuntimePermissions["read"] {
  return values === true || values.length > 0 ? true : [];
}

function programConfinement(
  version: number,
  { mounts, grants, program, limits }: DescribeOptions,
): KernelConfinement {
  const programDirectory = Deno.realPathSync(program.directory);
  const { network, ports, note } = networkFor(grants, version);
  const access = network === "ports" ? `TCP to port ${ports.join(", ")}` : network;
  return {
    landlock: version,
    ...programRights({ grants, programDirectory, temporary: "$TMPDIR" }),
    network: { access, ...(note && { note }) },
    ...(mounts && { mounts }),
    unprotected: [
      mounts?.available
        ? "metadata of files: stat"
        : "metadata of files: stat, and chmod, utime and extended attributes of the user's own files",
      ...gapsBefore(version),
    ],
    limits: limitsFor(limits),
  };
}

/** Returns what a version of Landlock cannot restrict, and the effect of that. */
export function gapsBefore(version: number): string[] {
  const gaps: [from: number, gap: string][] = [
    [since.ports, "single ports of --allow-net (programs do not get them)"],
    [since.signals, "signals to other processes of the user (not enforced)"],
  ];
  return gaps.filter(([from]) => version < from).map(([, gap]) => gap);
}

/** The version of Landlock on this machine; 0 if it has no Landlock. */
export function landlockVersionHere(): number {
  const kernel = openKernel();
  const version = kernel === undefined ? 0 : landlockVersion(kernel);
  kernel?.close();
  return version;
}
