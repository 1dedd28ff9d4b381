import { dirname } from "@std/path/posix/dirname";
import type { PermissionKind } from "../../registry/define.ts";
import { keepFileCalls } from "../../../base/fs/system_file.ts";
import type { Grants } from "./grants.ts";
import { isFolder } from "./paths.ts";

/** `true` for everything of a kind, else the values. */
type Values = true | string[];

/** The permissions that the runtime needs to verify a certificate. */
const FOR_CERTIFICATES = { env: ["NODE_USE_SYSTEM_CA"], sys: ["ca"] };

/** Permissions of the runtime, as a Worker takes them. */
export interface RuntimePermissions {
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
  /** Only the main thread starts programs. */
  run: false;
  /** Native code cannot be loaded. */
  ffi: false;
  /** Code cannot be imported from other places. */
  import: false;
}

/**
 * The permissions of the flags, reduced to a tool's own kinds. `own` is the directory of the
 * program that the tool's code is loaded from.
 */
export function permissionsOf(
  kinds: readonly PermissionKind[],
  { grants, own }: { grants: Grants; own: string },
): RuntimePermissions {
  const values = (kind: "read" | "write" | "env" | "sys"): Values => {
    if (!kinds.includes(kind)) return [];
    const granted = grants.all || (grants.allow[kind] ?? []);
    return granted === true ? true : [...granted];
  };
  const [read, write] = [values("read"), replaceable(values("write"))];
  return {
    // The runtime asks for read access to a file that it renames. A tool that may
    // write a folder gets it there; what it reads for the call was authorised.
    read: read === true || write === true ? true : [...read, ...write, own],
    write,
    env: values("env"),
    sys: values("sys"),
    // Only a network Worker reaches hosts, by checked addresses.
    net: [],
    run: false,
    ffi: false,
    import: false,
  };
}

/**
 * The permissions of a tool that uses the network: it reaches `net`, addresses with their ports,
 * and loads its code from `own`.
 */
export function networkPermissions(net: string[], own: string): RuntimePermissions {
  return {
    ...FOR_CERTIFICATES,
    read: [own],
    write: [],
    net,
    run: false,
    ffi: false,
    import: false,
  };
}

/**
 * The nearest existing directory of each path. A file is replaced through a temporary file beside
 * it, and a missing directory is made in its parent, so that directory must be writable.
 */
function replaceable(paths: Values): Values {
  return paths === true ? true : paths.map(nearestFolder);
}

function nearestFolder(path: string): string {
  return path === "/" || isFolder(path) ? path : nearestFolder(dirname(path));
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
