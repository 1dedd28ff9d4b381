import { resolve } from "@std/path/posix/resolve";
import type { Permission, PermissionKind } from "../registry/define.ts";
import { isInside, isKernelPath, realPath } from "./paths.ts";

/** `true` for everything of a kind, else the values that were named. */
export type Scope = true | readonly string[];

/**
 * What the caller's flags allow, as plain data. The values of `read` and
 * `write` are real paths.
 */
export interface Grants {
  /** `--allow-all` was given. */
  all: boolean;
  /** What is allowed, by kind. */
  allow: { readonly [kind in PermissionKind]?: Scope };
  /** What is denied, by kind; it wins. */
  deny: { readonly [kind in PermissionKind]?: Scope };
}

/** Whether nothing at all is enforced: `--allow-all` without one deny flag. */
export function isUnrestricted(grants: Grants): boolean {
  return grants.all && Object.keys(grants.deny).length === 0;
}

/** The scopes with each named path made absolute and real, from `cwd`. */
export function realScopes(
  scopes: Grants["allow"],
  cwd: string,
): Grants["allow"] {
  const real = (scope: Scope) =>
    scope === true ? true : scope.map((path) => realPath(resolve(cwd, path)));
  return {
    ...scopes,
    ...(scopes.read && { read: real(scopes.read) }),
    ...(scopes.write && { write: real(scopes.write) }),
  };
}

/** Whether one thing is granted, and what to say when it is not. */
export interface Decision {
  /** What was asked; a path in it is real. */
  permission: Permission;
  /** The answer. */
  granted: boolean;
  /** The flag that would allow it, or the deny flag that forbids it. */
  flag: string;
  /** Whether a deny flag forbids it. */
  denied: boolean;
}

/** Compares one need with the flags. A path in `permission` must be real already. */
export function decide(permission: Permission, grants: Grants): Decision {
  const { name } = permission;
  const value = valueOf(permission);
  const isPath = name === "read" || name === "write";
  const covers = isPath ? isInside : isSame;
  const decision = { permission, denied: false, granted: false };
  const deny = grants.deny[name];
  if (deny === true) {
    return { ...decision, denied: true, flag: `--deny-${name}` };
  }
  const denying = deny?.find((each) => covers(value, each));
  if (denying !== undefined) {
    return { ...decision, denied: true, flag: `--deny-${name}=${denying}` };
  }
  if (grants.all) return { ...decision, granted: true, flag: "--allow-all" };
  // The kernel's own files hold other processes' secrets: a grant of files is not meant for them.
  if (isPath && isKernelPath(value)) return { ...decision, flag: "--allow-all" };
  const allow = grants.allow[name] ?? [];
  const granted = allow === true || allow.some((each) => covers(value, each));
  return { ...decision, granted, flag: `--allow-${name}=${value}` };
}

/** What a permission is about: its path, program, host, … */
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

function isSame(value: string, granted: string): boolean {
  return value === granted;
}
