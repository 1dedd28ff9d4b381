import { pathRules } from "../../../base/fs/path_rules.ts";
import type { PermissionKind } from "../../registry/define.ts";
import { keepFileCalls } from "../../../base/fs/system_file.ts";
import type { Grants } from "./grants.ts";
import { isDirectory } from "./paths.ts";

/** `true` for everything of a kind, else the values. */
type Values = true | string[];

/** Only the main thread starts programs, and no thread loads code from elsewhere. */
const NEVER = { run: false, ffi: false, import: false } as const;

/**
 * Every permission. The runtime opens files in `/proc`, `/sys` and `/dev` only to a thread that has
 * all of them.
 */
export const EVERY_PERMISSION = {
  ...{ read: true, write: true, env: true, sys: true, net: true },
  ...{ run: true, ffi: true, import: true },
} as const;

/** Permissions of the runtime, as a Worker takes them. */
export interface RuntimePermissions extends Readonly<typeof NEVER> {
  /** Files that may be read. */
  read: Values;
  /** Files that may be written. */
  write: Values;
  /** Variables that may be read and set. */
  env: Values;
  /** Facts about the system. */
  sys: Values;
  /** Hosts that may be reached. */
  net: Values;
}

/**
 * The permissions of the flags, reduced to a tool's own kinds. `own` is the directory of the
 * program that the tool's code is loaded from, if it is loaded in the tool's thread.
 */
export function permissionsOf(
  kinds: readonly PermissionKind[],
  { grants, own }: { grants: Grants; own?: string },
): RuntimePermissions {
  const values = (kind: "read" | "write" | "env" | "sys"): Values => {
    if (!kinds.includes(kind)) return [];
    const granted = grants.all || (grants.allow[kind] ?? []);
    return granted === true ? true : [...granted];
  };
  const [read, named] = [values("read"), values("write")];
  // A file is replaced through a temporary file beside it, and a missing directory is made in its
  // parent, so that directory must be writable.
  const write = named === true ? true : named.map(nearestDirectory);
  return {
    // The runtime asks for read access to a file that it renames. A tool that may
    // write a directory gets it there; what it reads for the call was authorised.
    read: read === true || write === true
      ? true
      : [...read, ...write, ...(own === undefined ? [] : [own])],
    write,
    env: values("env"),
    sys: values("sys"),
    // Only a network Worker reaches hosts, by checked addresses.
    net: [],
    ...NEVER,
  };
}

/**
 * The permissions of a tool that uses the network: it reaches `net`, addresses with their ports,
 * and loads its code from `own`, if it loads any.
 */
export function networkPermissions(net: string[], own?: string): RuntimePermissions {
  // The runtime needs the variable and the fact to verify a certificate.
  const [env, sys] = [["NODE_USE_SYSTEM_CA"], ["ca"]];
  return { env, sys, read: own === undefined ? [] : [own], write: [], net, ...NEVER };
}

/** The nearest existing directory of a path. */
function nearestDirectory(path: string): string {
  const above = pathRules.parentOf(path);
  return path === above || isDirectory(path) ? path : nearestDirectory(above);
}

/**
 * Gives up the permission for native code in this thread, for good. The functions that open files
 * without waiting stay. They are native too, and only the kernel's sandbox restricts them.
 */
export function leaveNativeCode(): void {
  keepFileCalls();
  revokeKinds(["ffi"]);
}

/** Gives up whole kinds of the runtime's permissions in this process, for good. */
export function revokeKinds(kinds: readonly Deno.PermissionDescriptor["name"][]): void {
  for (const name of kinds) Deno.permissions.revokeSync({ name } as Deno.PermissionDescriptor);
}
