/** The kernel's sandbox for the files of a tool that starts no programs. */

import { dirname } from "@std/path/posix/dirname";
import type { RegisteredTool, ToolMetadata } from "../../registry/registered_tool.ts";
import { auditLogs } from "../policy/closed_paths.ts";
import { closedPaths, type Grants } from "../policy/grants.ts";
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
import { isDirectory, kernelDirectories } from "../policy/paths.ts";
import { leaveNativeCode, permissionsOf, type RuntimePermissions } from "../policy/permissions.ts";
import { changeOnlyIn } from "../../../base/fs/change_files.ts";
import { closeDirectories, openDirectoriesToWrite } from "./write_directories.ts";

/** The file rights of a tool that starts no programs. */
type FileSandboxRights = Pick<FileRights, "read" | "list" | "write">;

/** A program that ships with this one, as far as the sandbox knows it. */
interface ConfinedHelper {
  /** The real path of its file. */
  path: string;
  /** Sets the filter of system calls for it, in this thread. The filter refuses to truncate. */
  confine(kernel: Kernel): void;
}

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
 * code before a tool's code runs. The only program that it may start is `helper`, which then has no
 * network and no more rights than this thread.
 */
export function enterFileSandbox(
  rights: FileSandboxRights,
  files: readonly FileToWrite[],
  helper?: ConfinedHelper,
): void {
  if (!openFileSandbox()) throw sandboxMissing();
  const { kernel } = opened!;
  try {
    const directories = openDirectoriesToWrite(kernel, files);
    renounceNewPrivileges(kernel);
    dropCapabilities(kernel, fileCapabilities({ owners: files.some(belongsToAnother) }));
    // A descriptor always names the directory that was checked, whatever its path leads to.
    const write = [...directories.values()].map((descriptor) => `/proc/self/fd/${descriptor}`);
    restrict(opened!, { rights: { files: rights, system: { write } }, helper });
    closeDirectories(kernel, directories);
  } finally {
    kernel.close();
  }
}

/** Restricts this thread, and the helper that it may start, for good. */
function restrict(
  { kernel, version }: { kernel: Kernel; version: number },
  { rights: { files, system }, helper }: {
    rights: { files: FileSandboxRights; system?: { write: string[] } };
    helper: ConfinedHelper | undefined;
  },
): void {
  // Where no rule lets files be truncated, Landlock looks for one up to the root, for each file that
  // is opened. That costs a search in many files 4 %, so the helper's filter refuses it.
  enterLandlock(kernel, version, {
    // The kernel reads what it executes, and the helper may lie outside of what the flags open.
    files: { ...files, ...(helper && { file: [helper.path], execute: [helper.path] }) },
    ...(system && { system }),
    ...(helper && { ports: [], isolated: true, truncatingIsFiltered: true }),
  });
  helper?.confine(kernel);
}

/** Whether a file has another owner than this user, which it keeps when it is replaced. */
export function belongsToAnother({ path }: FileToWrite): boolean {
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
  { grants, write }: { grants: Grants; write: readonly string[] },
): FileSandboxRights {
  const { open, listed } = expandExcept(read === true ? ["/"] : read, closedPaths(grants));
  return { read: open, list: listed, write };
}

/**
 * Puts this thread, a Worker's, into the kernel's sandbox for good. It reads what the flags open to
 * such a tool, and writes where this very job was authorised to. `programDirectory` is a real path.
 * It may start `helper`.
 */
export function confineWorker(
  { metadata: { permissionKinds } }: { metadata: Pick<ToolMetadata, "permissionKinds"> },
  { grants, writes }: Pick<Job, "grants" | "writes">,
  { programDirectory, helper }: { programDirectory: string; helper: ConfinedHelper | undefined },
): void {
  const permissions = permissionsOf(permissionKinds, { grants, own: programDirectory });
  enterFileSandbox(fileRights(permissions, { grants, write: [] }), writes, helper);
  leaveNativeCode();
}

/**
 * The same for a thread that takes several jobs. The kernel lets it write what the flags let such
 * a tool write. Returns a function that runs one job: during the job, files are changed only in the
 * directories of the files that the job was authorised to write. These directories are opened, and
 * missing ones are made, when the job begins. The function throws `tool_failed` for a directory
 * that is no longer the authorised one.
 */
export function confineKeptWorker(
  { metadata: { permissionKinds } }: RegisteredTool,
  { grants }: Job,
  { programDirectory, helper }: { programDirectory: string; helper: ConfinedHelper | undefined },
): <T>(job: Job, run: () => Promise<T>) => Promise<T> {
  if (!openFileSandbox()) throw sandboxMissing();
  const { kernel } = opened!;
  const permissions = permissionsOf(permissionKinds, { grants, own: programDirectory });
  const write = permissionKinds.includes("write") ? writableDirectories(grants) : [];
  renounceNewPrivileges(kernel);
  dropCapabilities(kernel, fileCapabilities({ owners: false }));
  restrict(opened!, { rights: { files: fileRights(permissions, { grants, write }) }, helper });
  leaveNativeCode();
  return async (job, run) => {
    const directories = openDirectoriesToWrite(kernel, job.writes);
    changeOnlyIn(directories);
    try {
      return await run();
    } finally {
      changeOnlyIn(new Map());
      closeDirectories(kernel, directories);
    }
  };
}

/**
 * The existing directories that the flags let a tool write in, as far as the kernel can keep their
 * closed parts closed. A file is replaced through another one beside it.
 */
function writableDirectories(grants: Grants): string[] {
  const { all, allow, deny, own = [] } = grants;
  const scope = all || (allow.write ?? []);
  const directories = scope === true
    ? ["/"]
    : scope.map((path) => isDirectory(path) ? path : dirname(path)).filter(isDirectory);
  const closed = [deny.write, deny.read].flatMap((scope) => scope === true ? ["/"] : scope ?? []);
  return expandExcept(directories, [...closed, ...own, ...auditLogs(grants), ...kernelDirectories])
    .open;
}
