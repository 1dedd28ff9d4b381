import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { fileRights, openFileWall } from "./file_wall.ts";
import type { Job } from "../executors/executor.ts";
import { noWall } from "./kernel.ts";
import { leaveNativeCode, permissionsOf } from "../policy/permissions.ts";

/**
 * Puts this thread, a Worker's, behind the kernel's wall for good: it reads what the flags
 * open to such a tool, and writes where this very job was authorised to. `programFolder`
 * is a real path. Throws `unavailable` where there is no wall.
 */
export function enterWall(
  { metadata: { permissionKinds } }: RegisteredTool,
  { grants, writes }: Job,
  programFolder: string,
): void {
  const permissions = permissionsOf(permissionKinds, { grants, own: programFolder });
  const wall = openFileWall();
  if (wall === undefined) throw noWall();
  wall.enter(fileRights(permissions, { grants, write: [] }), writes);
  leaveNativeCode();
}
