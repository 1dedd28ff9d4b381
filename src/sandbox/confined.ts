import type { RegisteredTool } from "../registry/registry.ts";
import type { Grants } from "./grants.ts";
import { walledThread } from "./in_place.ts";
import type { Place } from "./job.ts";
import { openKernel } from "./kernel.ts";
import { enterLandlock, type FileRights, landlockVersion } from "./landlock.ts";
import { openingsAround } from "./openings.ts";
import { kernelFolders } from "./paths.ts";
import { permissionsOf, revokeKinds, type RuntimePermissions } from "./permissions.ts";
import { renounceNewPrivileges } from "./privileges.ts";
import { confinedWorker } from "./worker.ts";

/** What is needed to confine a tool. */
export interface Confinement {
  /** What the flags allow. */
  grants: Grants;
  /** The module that a Worker starts with, as a URL. */
  workerModule: string;
  /** The folder of the program's own files. */
  programFolder: string;
  /** Whether that folder is all that the program loads from now on. */
  isBundled: boolean;
}

/**
 * Where a tool runs under flags that allow less than everything. The kernel's
 * wall holds files, where there is one; this thread is behind it from then on.
 * A tool whose calls end by themselves then stays in this thread, without the
 * other kinds of permission. Any other gets a Worker, whose permissions are the
 * flags and which can be stopped.
 */
export function confined(tool: RegisteredTool, confinement: Confinement): Place {
  const { grants, programFolder, isBundled, workerModule } = confinement;
  const { permissionKinds } = tool.metadata;
  const permissions = permissionsOf(permissionKinds, {
    grants,
    own: Deno.realPathSync(programFolder),
  });
  const isWalled = hasFileWall(tool, isBundled) && enterFileWall(fileRights(permissions, grants));
  return isWalled && staysInThread(tool)
    ? walledThread(tool, permissions)
    : confinedWorker(tool, { permissions, workerModule });
}

/**
 * Whether the kernel holds the files of this thread for such a tool. What the engine does
 * for a tool it does here, and from its sources the program also loads packages, from a
 * cache whose place is the runtime's own: both need a thread that is not held.
 */
export function hasFileWall({ metadata: { uses } }: RegisteredTool, isBundled: boolean): boolean {
  return isBundled && uses === undefined;
}

/**
 * Whether a tool behind the kernel's wall needs no Worker: its calls end by themselves,
 * and it is of files alone, which is what the wall holds of a tool.
 */
export function staysInThread({ metadata: { bounded, permissionKinds } }: RegisteredTool): boolean {
  return bounded === true && permissionKinds.every((kind) => kind === "read" || kind === "write");
}

/**
 * Holds this thread, and what it starts, to these files from now on, for good.
 * Returns whether the wall stands: it does not where the kernel has none. Throws
 * `unavailable` when the kernel has one and a step of entering it fails.
 */
function enterFileWall(files: FileWallRights): boolean {
  const kernel = openKernel();
  if (kernel === undefined) return false;
  try {
    const version = landlockVersion(kernel);
    if (version < 1) return false;
    renounceNewPrivileges(kernel);
    enterLandlock(kernel, version, { files });
    return true;
  } finally {
    kernel.close();
    revokeKinds(["ffi"]);
  }
}

/** What a tool that starts no programs has of files. */
export type FileWallRights = Pick<FileRights, "read" | "list" | "write">;

/**
 * What the kernel's wall opens. It cannot shut a path within an open folder, so around
 * what may not be read it opens the rest. A `--deny-write` in a folder that may
 * be written is none of this: to leave it out would forbid new files beside it.
 */
export function fileRights(
  { read, write }: RuntimePermissions,
  { all, deny }: Grants,
): FileWallRights {
  const denied = deny.read === undefined || deny.read === true ? [] : deny.read;
  const closed = all ? denied : [...denied, ...kernelFolders];
  const { open, listed } = openingsAround(read === true ? ["/"] : read, closed);
  return { read: open, list: listed, write: write === true ? ["/"] : write };
}
