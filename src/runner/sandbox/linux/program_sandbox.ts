/** The sandbox of programs: the effect of the flags on bash and all that it starts. */
import { type BaseRights, baseRights } from "./base_rights.ts";
import type { Grants } from "../policy/grants.ts";
import { type Kernel, sandboxMissing, stepFailed } from "./kernel.ts";
import { enterLandlock, type FileRights, landlockVersion, since } from "./landlock.ts";
import { namespacesFor } from "./mount_state.ts";
import { networkFor, type NetworkPlan } from "../policy/network.ts";
import { expandExcept } from "../policy/openings.ts";
import { isFolder, isInside, kernelFolders, realPaths } from "../policy/paths.ts";
import {
  dropCapabilities,
  keepDescriptors,
  keepMemory,
  type Limits,
  limitsFor,
  renounceNewPrivileges,
  setLimits,
} from "./privileges.ts";
import { requireProc } from "./proc.ts";
import { deniedPrograms, programFiles } from "../policy/program_files.ts";
import { enterNamespaces } from "./program_namespace.ts";
import type { Scope } from "../policy/scope.ts";
import { enterFilter, filterProgram } from "./seccomp.ts";
import { trustedPaths, untrustedLink, untrustedStep } from "../policy/trust.ts";

/**
 * The configuration of name services. Without network it stays closed, because it would send
 * programs past /etc/passwd to services that are out of reach.
 */
const NAME_SERVICES = "/etc/nsswitch.conf";

const SIGKILL = 9;

/** The options of the sandbox. */
export interface ProgramSandboxOptions {
  /** The permissions of the flags. */
  grants: Grants;
  /** The directory of the program's own modules, which may be read. */
  programFolder: string;
  /** The call's own folder, which may be read and written. */
  temporary: string;
  /** The resource limits of each program. */
  limits: Limits;
  /** A process of this user outside the sandbox, if there is one. */
  bystander: number | undefined;
  /** The working directory of the call. */
  cwd: string;
}

/** A sandbox that was entered. */
export interface EnteredSandbox {
  /** The network access of programs. */
  plan: NetworkPlan;
  /** The program that starts each command, if one is needed. */
  through?: string;
  /**
   * Kills all started programs at once, if the kernel keeps the signal inside the sandbox. Returns
   * whether it did: an outer sandbox may refuse it.
   */
  endAll?(): boolean;
}

/**
 * Enters the sandbox in this thread, for good. It restricts everything that the thread starts from
 * now on. Throws `unavailable`, with its own text for each step that fails. After that, no program
 * may be started.
 */
export function enterProgramSandbox(
  kernel: Kernel | undefined,
  options: ProgramSandboxOptions,
): EnteredSandbox {
  const version = kernel === undefined ? 0 : landlockVersion(kernel);
  if (kernel === undefined || version < 1) throw sandboxMissing();
  requireProc();
  const plan = networkFor(options.grants, version);
  const { network, ports } = plan;
  const namespaces = namespacesFor(kernel, { ...options, temporary: [options.temporary] });
  const key = [...crypto.getRandomValues(new Uint32Array(3))];
  const filter = filterProgram({
    arch: Deno.build.arch,
    network,
    // The group may belong to a pipeline that the caller's shell made.
    own: { pid: Deno.pid, group: kernel.call("getpgid", 0) },
    restrictsTruncate: version >= since.truncate,
    key,
  });
  const { bystander = 0 } = options;
  const isThere = bystander > 0 && kernel.call("kill", bystander, 0) === 0;
  keepDescriptors(kernel);
  const through = namespaces && enterNamespaces(kernel, { namespaces, key, cwd: options.cwd });
  setLimits(kernel, limitsFor(options.limits));
  renounceNewPrivileges(kernel);
  enterLandlock(kernel, version, {
    ...programRights(options),
    ...(network !== "all" && { ports }),
    isolated: true,
  });
  keepMemory(kernel);
  dropCapabilities(kernel);
  enterFilter(kernel, filter);
  const entered = { plan, ...(through !== undefined && { through }) };
  if (version < since.signals || !isThere) return entered;
  // Test it: a signal that went further would end all of the user's programs.
  if (kernel.call("kill", bystander, 0) === 0) {
    throw stepFailed("Landlock", "signals still reach the processes outside of it");
  }
  return { ...entered, endAll: () => kernel.call("kill", -1, SIGKILL, ...key) === 0 };
}

/** The file rights that the sandbox leaves. */
export interface ProgramRights {
  /** The files of the flags and of the named programs, by real paths. */
  files: FileRights;
  /** The system paths of every program. A list may contain links and missing paths. */
  system: Partial<FileRights>;
}

/** The file rights of programs under the flags. */
export function programRights(
  { grants, programFolder, temporary }: Omit<ProgramSandboxOptions, "limits" | "bystander" | "cwd">,
  base: BaseRights = baseRights,
): ProgramRights {
  const scope = (kind: "read" | "write"): Scope => grants.all || (grants.allow[kind] ?? []);
  const denied = (kind: "read" | "write") => foldersOf(grants.deny[kind] ?? []);
  const inKernel = grants.all ? [] : kernelFolders;
  // `-A` with a deny flag allows devices, but never writing /proc and /sys: that could lift the
  // deny.
  const settings = ["/proc", "/sys"];
  const log = grants.audit === undefined ? [] : [grants.audit];
  const own = [...log, ...(grants.state === undefined ? [] : realPaths([grants.state]))];
  const read = expandExcept(foldersOf(scope("read")), [...denied("read"), ...own, ...inKernel]);
  const write = expandExcept(
    foldersOf(scope("write")),
    // A path that may not be read must not be moved to a readable one.
    [...denied("write"), ...denied("read"), ...log, ...grants.own ?? [], ...inKernel, ...settings],
  );
  const programs = programFiles(grants, temporary);
  const system = systemRights(grants, base);
  const names = grants.all || grants.allow.net !== undefined ? [NAME_SERVICES] : [];
  const resolver = realPaths(trustedPaths(names, grants.allow.write));
  // The files that programs need are open only as far as no flag denies them.
  const needed = expandExcept(
    [...programs.read, ...system.shared.read, ...resolver],
    denied("read"),
  );
  return {
    files: {
      read: [...read.open, ...needed.open, temporary, programFolder],
      // Listing a directory lists everything below it. So directories that contain a closed one are
      // left out.
      list: [...read.listed, ...needed.listed].filter((folder) =>
        !denied("read").some((path) => isInside(path, folder) && isFolder(path))
      ),
      write: [...write.open, temporary],
      execute: [...programs.execute, ...system.shared.execute],
      device: [],
    },
    system: system.whole,
  };
}

/**
 * The system paths that are open to every program. If a flag denies reading a part, or a call can
 * write it, only the parts around it are open. The target of a link that a call could have made is
 * not opened.
 */
function systemRights({ allow, deny }: Grants, base: BaseRights) {
  const writable = Array.isArray(allow.write) ? allow.write : [];
  const all = new Set([...base.read, ...base.file, ...base.execute]);
  const meets = writable.length > 0 &&
    [...all].some((path) =>
      untrustedStep(path, writable) !== undefined || writable.some((each) => isInside(each, path))
    );
  if (!meets && deny.read === undefined && deny.run === undefined) {
    return { whole: base, shared: { read: [], execute: [] } };
  }
  const real = (paths: readonly string[]) =>
    realPaths(paths.filter((path) => untrustedLink(path, writable) === undefined));
  const closed = [...writable, ...deniedPrograms(deny.run)];
  const execute = expandExcept(real(base.execute), closed).open;
  const shared = { read: real([...base.read, ...base.file]), execute };
  return { whole: { device: base.device }, shared };
}

function foldersOf(scope: Scope): readonly string[] {
  return scope === true ? ["/"] : scope;
}

/** Merges all rights, for a sandbox that compares paths and not files. */
export function merged({ files, system }: ProgramRights): FileRights {
  const both = (name: keyof FileRights) => [...files[name] ?? [], ...system[name] ?? []];
  return {
    read: [...both("read"), ...both("file")],
    list: both("list"),
    write: both("write"),
    execute: both("execute"),
    device: both("device"),
  };
}
