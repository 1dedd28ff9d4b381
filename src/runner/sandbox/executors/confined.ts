import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { fileRights, fileWall } from "../linux/file_wall.ts";
import type { Grants } from "../policy/grants.ts";
import type { Place } from "./job.ts";
import { leaveNativeCode, permissionsOf, revokeKinds } from "../policy/permissions.ts";
import { walledThread } from "./walled_thread.ts";
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
 * wall holds files, where there is one. A tool whose calls end by themselves then
 * stays in this thread, without the other kinds of permission, and the wall is entered
 * when the call runs: it opens what that very call was authorised to write. Any other
 * gets a Worker, whose permissions are the flags and which can be stopped; this thread
 * is behind the wall before it.
 */
export function confined(tool: RegisteredTool, confinement: Confinement): Place {
  const { grants, programFolder, isBundled, workerModule } = confinement;
  const { permissionKinds } = tool.metadata;
  const permissions = permissionsOf(permissionKinds, {
    grants,
    own: Deno.realPathSync(programFolder),
  });
  const wall = hasFileWall(tool, isBundled) ? fileWall() : undefined;
  if (wall !== undefined && staysInThread(tool)) {
    return walledThread(tool, {
      permissions,
      enterWall: ({ writes }) => {
        wall.enter(fileRights(permissions, { grants, write: [] }), writes);
        leaveNativeCode();
      },
    });
  }
  const write = permissions.write === true ? ["/"] : permissions.write;
  wall?.enter(fileRights(permissions, { grants, write }), []);
  // Behind the wall it may load what opens files without waiting, before any tool's code.
  const loaded = { ...permissions, ffi: wall !== undefined };
  const worker = confinedWorker({ tool: tool.metadata.name, permissions: loaded, workerModule });
  if (wall !== undefined) revokeKinds(["ffi"]);
  return worker;
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
