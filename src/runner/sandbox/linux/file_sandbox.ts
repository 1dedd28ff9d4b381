/** The kernel's sandbox for the files of a tool that starts no programs. */

import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { Grants } from "../policy/grants.ts";
import type { FileToWrite, Job } from "../executors/executor.ts";
import {
  dropCapabilities,
  fileCapabilities,
  type Kernel,
  openKernel,
  renounceNewPrivileges,
  sandboxMissing,
} from "./kernel.ts";
import { enterLandlock, type FileRights, landlockVersion } from "./landlock.ts";
import { expandExcept } from "../policy/openings.ts";
import { kernelDirectories } from "../policy/paths.ts";
import { leaveNativeCode, permissionsOf, type RuntimePermissions } from "../policy/permissions.ts";
import { openDirectoriesToWrite } from "./write_directories.ts";

/** The file rights of a tool that starts no programs. */
type FileSandboxRights = Pick<FileRights, "read" | "list" | "write">;

/** The kernel with its version of Landlock, or null if it has none. The kernel is asked once. */
let opened: { kernel: Kernel; version: number } | null | undefined;

/** Opens the sandbox before it is entered. Returns whether this machine has Landlock. */
export function openFileSandbox(): boolean {
  if (opened !== undefined) return opened !== null;
  const kernel = openKernel();
  const version = kernel === undefined ? 0 : landlockVersion(kernel);
  opened = kernel === undefined || version < 1 ? null : { kernel, version };
  if (opened === null) kernel?.close();
  return opened !== null;
}

/**
 * Restricts this thread, and what it starts, to these files, for good. It may access `rights`, and
 * write in the directories of `files`. Missing ones of these are made if that was authorised.
 * Throws `unavailable` when a step fails or the machine has no Landlock, and `tool_failed` for a
 * directory that is no longer the authorised one. The caller must give up the permission for native
 * code before a tool's code runs.
 */
export function enterFileSandbox(rights: FileSandboxRights, files: readonly FileToWrite[]): void {
  if (!openFileSandbox()) throw sandboxMissing();
  const { kernel, version } = opened!;
  try {
    const directories = openDirectoriesToWrite(kernel, files);
    renounceNewPrivileges(kernel);
    dropCapabilities(kernel, fileCapabilities({ owners: files.some(belongsToAnother) }));
    // A descriptor always names the directory that was checked, whatever its path leads to.
    const write = directories.map((descriptor) => `/proc/self/fd/${descriptor}`);
    enterLandlock(kernel, version, { files: rights, system: { write } });
    for (const descriptor of directories) kernel.call("close", descriptor);
  } finally {
    kernel.close();
  }
}

/** Whether a file has another owner than this user, which it keeps when it is replaced. */
function belongsToAnother({ path }: FileToWrite): boolean {
  try {
    const { uid, gid } = Deno.statSync(path);
    return uid !== Deno.uid() || gid !== Deno.gid();
  } catch {
    return false;
  }
}

/**
 * The file rights that the kernel leaves: reading under the flags, and writing to `write`. The
 * kernel cannot close a path inside an open directory, so the paths around a closed one are opened
 * instead.
 */
export function fileRights(
  { read }: RuntimePermissions,
  { grants: { all, deny, audit }, write }: { grants: Grants; write: readonly string[] },
): FileSandboxRights {
  const denied = deny.read === undefined || deny.read === true ? [] : deny.read;
  const log = audit === undefined ? [] : [audit];
  const closed = [...denied, ...log, ...(all ? [] : kernelDirectories)];
  const { open, listed } = expandExcept(read === true ? ["/"] : read, closed);
  return { read: open, list: listed, write };
}

/**
 * Puts this thread, a Worker's, into the kernel's sandbox for good. It reads what the flags open to
 * such a tool, and writes where this very job was authorised to. `programDirectory` is a real path.
 */
export function confineWorker(
  { metadata: { permissionKinds } }: RegisteredTool,
  { grants, writes }: Job,
  programDirectory: string,
): void {
  const permissions = permissionsOf(permissionKinds, { grants, own: programDirectory });
  enterFileSandbox(fileRights(permissions, { grants, write: [] }), writes);
  leaveNativeCode();
}
