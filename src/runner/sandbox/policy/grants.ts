import { pathRules } from "../../../base/fs/path_rules.ts";
import type { Permission, PermissionKind } from "../../registry/define.ts";
import { isInside, isKernelPath, kernelDirectories, realPath } from "./paths.ts";
import { auditLogs, isSecret, secretDirectories } from "./closed_paths.ts";
import { findProgram, findPrograms } from "./programs.ts";
import { protectedPath } from "./protected_paths.ts";
import { flagWith, type Scope } from "./scope.ts";

/**
 * The permissions that the caller's flags allow and deny, as plain data. The values of `read` and
 * `write`, and the paths of `run`, are real paths. The values of `net` are hosts in their canonical
 * form.
 */
export interface Grants {
  /** `--allow-all` was given. */
  all: boolean;
  /** The allowed values, by kind. */
  allow: { readonly [kind in PermissionKind]?: Scope };
  /** The denied values, by kind. They override the allowed ones. */
  deny: { readonly [kind in PermissionKind]?: Scope };
  /** Hosts that flags name besides a bare `--allow-net`, which opens only public hosts. */
  hosts?: readonly string[];
  /** The state directory, which programs do not read. */
  state?: string;
  /** The program's own files, which no grant of writing covers: only `--allow-all` does. */
  own?: readonly string[];
  /** The file that names MCP servers, a real path, which only a grant that names it lets write. */
  config?: string;
  /** The file that takes a line about each call, which no call reads or writes by its path. */
  audit?: string;
}

/** Whether nothing at all is enforced: `--allow-all` without one deny flag. */
export function isUnrestricted(grants: Grants): boolean {
  return grants.all && Object.keys(grants.deny).length === 0;
}

/**
 * The path that the flags are asked about for the absolute `path`: its real path. In a restricted
 * call a path in the kernel's file systems stays as it is. It can lead elsewhere in each process, and
 * the flags refuse it. Throws the system's error for a path that cannot be looked up.
 */
export function pathToDecide(path: string, grants: Grants): string {
  return isKernelPath(path) && !isUnrestricted(grants) ? path : realPath(path);
}

/** The scopes with each named path made absolute and real, from `cwd`. */
export function realScopes(scopes: Grants["allow"], cwd: string): Grants["allow"] {
  const realOf = (path: string) => realPath(pathRules.resolve(cwd, path));
  const real = (scope: Scope) => {
    const paths = scope === true ? ["/"] : scope.map(realOf);
    // A grant of the root directory is a grant of everything.
    return paths.includes("/") ? true : paths;
  };
  return {
    ...scopes,
    ...(scopes.read && { read: real(scopes.read) }),
    ...(scopes.write && { write: real(scopes.write) }),
    ...(Array.isArray(scopes.run) && {
      run: scopes.run.map((name) => pathRules.isPath(name) ? realOf(name) : name),
    }),
  };
}

/** Whether one thing is granted, and what to say when it is not. */
export interface Decision {
  /** The permission in question; a path in it is real. */
  permission: Permission;
  /** The answer. */
  granted: boolean;
  /** The flag that would allow it, or the deny flag that forbids it. */
  flag: string;
  /** Whether a deny flag forbids it. */
  denied: boolean;
  /** The reason why a general grant does not cover it. */
  why?: string;
}

/** The reason why no flag opens the directories with secrets. */
const SECRET =
  "no call reads the tokens of MCP servers and the texts before edits, or reaches the servers that " +
  "are kept";

/** The reason why any deny flag closes the kernel's own files to tools. Programs may use them. */
export const CLOSED_TO_TOOLS =
  "tools access /proc, /sys and /dev only under --allow-all without a deny flag";

/** The reason why a grant of a directory does not cover a protected file. */
const OBEYED =
  "other programs run or obey this file, so a grant of its directory does not cover it";

/**
 * Compares one need with the flags. A path in `permission` must be real already. Hosts are
 * `decideNet`'s, in `hosts.ts`.
 */
export function decide(permission: Exclude<Permission, { name: "net" }>, grants: Grants): Decision {
  const { name } = permission;
  const value = valueOf(permission);
  const isPath = name === "read" || name === "write";
  const decision = { permission, denied: false, granted: false };
  if (isPath && auditLogs(grants).includes(value)) {
    return { ...decision, denied: true, flag: `--audit=${grants.audit}` };
  }
  if (isPath && isSecret(value, grants)) {
    return { ...decision, denied: true, flag: `--state-dir=${grants.state}`, why: SECRET };
  }
  const deny = grants.deny[name];
  if (deny === true) return { ...decision, denied: true, flag: `--deny-${name}` };
  const { write: writable } = grants.allow;
  const isNamed = (each: string, isDenied: boolean) =>
    name === "run"
      ? namesProgram(value, each, { writable, isDenied })
      : isPath
      ? isInside(value, each)
      : value === each;
  const denying = deny?.find((each) => isNamed(each, true));
  if (denying !== undefined) {
    return { ...decision, denied: true, flag: flagWith(`--deny-${name}`, denying) };
  }
  if (isPath && isKernelPath(value) && !isUnrestricted(grants)) {
    return { ...decision, ...kernelDecision(grants) };
  }
  if (grants.all) return { ...decision, granted: true, flag: "--allow-all" };
  if (name === "write" && grants.own?.some((each) => isInside(value, each))) {
    return { ...decision, flag: "--allow-all" };
  }
  const allow = grants.allow[name] ?? [];
  const flag = flagWith(`--allow-${name}`, value);
  const isConfig = value === grants.config;
  const guarded = name === "write" ? (isConfig ? value : protectedPath(value)) : undefined;
  if (guarded !== undefined) {
    const naming = allow === true ? [] : allow.filter((each) => isInside(each, guarded));
    const granted = naming.some((each) => isNamed(each, false));
    return { ...decision, granted, flag, ...(!granted && { why: OBEYED }) };
  }
  const granted = allow === true || allow.some((each) => isNamed(each, false));
  return { ...decision, granted, flag };
}

/**
 * The kernel's own files contain secrets of other processes, so a grant of files does not cover
 * them. The runtime opens them only to a thread with every permission, so any deny flag closes them.
 */
function kernelDecision({ all, deny }: Grants): Pick<Decision, "flag" | "denied" | "why"> {
  if (!all) return { flag: "--allow-all", denied: false };
  const [kind, scope] = Object.entries(deny)[0] as [PermissionKind, Scope];
  const flag = scope === true ? `--deny-${kind}` : flagWith(`--deny-${kind}`, scope[0]!);
  return { flag, denied: true, why: CLOSED_TO_TOOLS };
}

/** The paths that no call reads by a grant of a directory, as far as they are named. */
export function closedPaths(grants: Grants): string[] {
  const { deny } = grants;
  const denied = deny.read === undefined || deny.read === true ? [] : deny.read;
  const kernel = isUnrestricted(grants) ? [] : kernelDirectories;
  return [...denied, ...auditLogs(grants), ...secretDirectories(grants), ...kernel];
}

/** The value of a permission: its path, program, host, … */
export function valueOf(permission: Permission): string {
  switch (permission.name) {
    case "read":
    case "write":
      return permission.path;
    case "run":
      return permission.command;
    case "net":
      return permission.host;
    case "env":
      return permission.variable;
    case "sys":
      return permission.kind;
    case "mcp":
      return permission.server;
  }
}

/**
 * Whether a flag names a program by its name, its path or its directory. A program that a call with
 * the write grant could have put there does not count.
 */
function namesProgram(
  program: string,
  flag: string,
  { writable, isDenied }: { writable: Scope | undefined; isDenied: boolean },
): boolean {
  if (program === flag) return true;
  const path = findProgram(program, writable)?.path;
  if (path === undefined) return false;
  if (pathRules.isAbsolute(flag)) return isInside(path, flag);
  return isDenied ? findPrograms(flag).includes(path) : findProgram(flag, writable)?.path === path;
}
