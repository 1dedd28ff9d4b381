/** The kernel's wall for the files of a tool that starts no programs. */

import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { Grants } from "../policy/grants.ts";
import type { FileToWrite, Job } from "../executors/executor.ts";
import { openKernel, sandboxMissing } from "./kernel.ts";
import { enterLandlock, type FileRights, landlockVersion } from "./landlock.ts";
import { expandExcept } from "../policy/openings.ts";
import { kernelFolders } from "../policy/paths.ts";
import { leaveNativeCode, permissionsOf, type RuntimePermissions } from "../policy/permissions.ts";
import { dropCapabilities, fileCapabilities, renounceNewPrivileges } from "./privileges.ts";
import { openFoldersToWrite } from "./write_folders.ts";

/** What a tool that starts no programs has of files. */
export type FileSandboxRights = Pick<FileRights, "read" | "list" | "write">;

/** A wall that this machine has, and that this thread is not behind yet. */
export interface FileSandbox {
  /**
   * Holds this thread, and what it starts, to these files from now on, for good: to
   * `rights`, and for writing also to the folders of `files`, which are made where they
   * are missing and may be. Throws `unavailable` when a step fails, and `tool_failed` for
   * a folder that is not the one that was authorised any more. The permission for native
   * code is left to the caller, who gives it up before a tool's code runs.
   */
  enter(rights: FileSandboxRights, files: readonly FileToWrite[]): void;
}

let opened: { sandbox: FileSandbox | undefined } | undefined;

/**
 * The restrictions that this thread can take on, or nothing where the kernel has no Landlock. The
 * kernel is asked once. Throws `unavailable` without /proc.
 */
export function openFileSandbox(): FileSandbox | undefined {
  opened ??= { sandbox: newFileSandbox() };
  return opened.sandbox;
}

function newFileSandbox(): FileSandbox | undefined {
  const kernel = openKernel();
  if (kernel === undefined) return undefined;
  const version = landlockVersion(kernel);
  if (version < 1) {
    kernel.close();
    return undefined;
  }
  return {
    enter(rights, files) {
      try {
        const folders = openFoldersToWrite(kernel, files);
        renounceNewPrivileges(kernel);
        dropCapabilities(kernel, fileCapabilities({ owners: files.some(belongsToAnother) }));
        // By its descriptor a folder stays the one that was looked at, whatever its path leads to.
        const write = folders.map((descriptor) => `/proc/self/fd/${descriptor}`);
        enterLandlock(kernel, version, { files: rights, system: { write } });
        for (const descriptor of folders) kernel.call("close", descriptor);
      } finally {
        kernel.close();
      }
    },
  };
}

/** Whether a file keeps an owner who is not this process's user when it is replaced. */
function belongsToAnother({ path }: FileToWrite): boolean {
  try {
    const { uid, gid } = Deno.statSync(path);
    return uid !== Deno.uid() || gid !== Deno.gid();
  } catch {
    return false;
  }
}

/**
 * What the kernel's wall opens to read, and to write as much as `write` says. It cannot
 * shut a path within an open folder, so around what may not be read it opens the rest.
 */
export function fileRights(
  { read }: RuntimePermissions,
  { grants: { all, deny, audit }, write }: { grants: Grants; write: readonly string[] },
): FileSandboxRights {
  const denied = deny.read === undefined || deny.read === true ? [] : deny.read;
  const log = audit === undefined ? [] : [audit];
  const closed = [...denied, ...log, ...(all ? [] : kernelFolders)];
  const { open, listed } = expandExcept(read === true ? ["/"] : read, closed);
  return { read: open, list: listed, write };
}

/**
 * Puts this thread, a Worker's, behind the kernel's wall for good: it reads what the flags
 * open to such a tool, and writes where this very job was authorised to. `programFolder`
 * is a real path. Throws `unavailable` where there is no wall.
 */
export function enterFileSandbox(
  { metadata: { permissionKinds } }: RegisteredTool,
  { grants, writes }: Job,
  programFolder: string,
): void {
  const permissions = permissionsOf(permissionKinds, { grants, own: programFolder });
  const sandbox = openFileSandbox();
  if (sandbox === undefined) throw sandboxMissing();
  sandbox.enter(fileRights(permissions, { grants, write: [] }), writes);
  leaveNativeCode();
}
