/**
 * A mount namespace for the programs of a call (`mount_namespaces(7)`). Everything is read-only
 * except the files that the flags let the call write. So mode, owner, times and attributes of other
 * files cannot be changed either. It needs no helpers, and no root where the kernel lets a user
 * make user namespaces.
 */

import {
  AT_FDCWD,
  CAPABILITY_VERSION_3,
  type Kernel,
  openKernel,
  pathBytes,
  stepFailed,
} from "./kernel.ts";
import { type MountPlan, mountPlan, type MountPlanOptions } from "./mount_plan.ts";
import {
  enterProgram,
  type Placed,
  runInChild,
  type SystemCallResult,
  SystemCallTable,
} from "./system_call_table.ts";

/** Descriptors of namespaces that were made. */
interface Namespaces {
  mount: number;
  /** The user namespace that it belongs to; absent if that is this process's own. */
  user?: number;
  /** With a user namespace: a new file in memory that can be executed. */
  program?: number;
}

const [AT_EMPTY_PATH, AT_RECURSIVE] = [0x1000, 0x8000];
const [O_RDONLY, O_WRONLY, O_CLOEXEC, O_PATH] = [0, 1, 0o2000000, 0o10000000];
const RESOLVE_NO_SYMLINKS = 4;
const OPEN_TREE_CLONE = 1;
const [MOVE_FROM_DESCRIPTOR, MOVE_TO_DESCRIPTOR] = [0x4, 0x40];
const [MOUNT_ATTR_RDONLY, MS_PRIVATE] = [1, 1 << 18];
const [CLONE_FS, CLONE_NEWNS, CLONE_NEWUSER] = [0x200, 0x20000, 0x10000000];
const F_SETFD = 2;
const [MFD_CLOEXEC, MFD_EXEC] = [1, 16];

/**
 * Makes the namespaces for the programs of a call. Returns `undefined`, with nothing changed, if
 * this user may not make them. This thread has not entered them yet.
 */
export function makeNamespaces(
  kernel: Kernel,
  options: Omit<MountPlanOptions, "exists">,
): Namespaces | undefined {
  return makePlanned(kernel, planWith(kernel, options));
}

function planWith(kernel: Kernel | undefined, options: MountPlanOptions): MountPlan {
  // The call saves the error that the runtime makes for each missing path.
  const exists = kernel &&
    ((path: string) => kernel.call("faccessat", AT_FDCWD, pathBytes(path)) === 0);
  return mountPlan({ ...options, ...(exists && { exists }) });
}

function makePlanned(kernel: Kernel, plan: MountPlan): Namespaces | undefined {
  // A user who may make mounts anyway needs no user namespace. In one, other users' files look
  // foreign.
  const asRoot = kernel.call("geteuid") === 0 ? makeWith(kernel, plan, false) : undefined;
  return asRoot ?? makeWith(kernel, plan, true);
}

/** Closes open ones of the descriptors; a negative one was never opened. */
function closeAll(kernel: Kernel, descriptors: readonly number[]): void {
  for (const descriptor of descriptors) if (descriptor >= 0) kernel.call("close", descriptor);
}

/** The most bytes of a path, and of the program that enters the namespaces: a path and some code. */
const [PATH_BYTES, PROGRAM_BYTES] = [4096, 8192];

/**
 * A new file in memory that can be executed. Returns `undefined` if the system refuses such files,
 * or if a limit on the size of files leaves no room for the program.
 */
function executableFile(kernel: Kernel): number | undefined {
  const name = pathBytes("toolcall");
  // Kernels before Linux 6.3 do not know the second flag.
  let file = kernel.call("memfd_create", name, MFD_CLOEXEC | MFD_EXEC);
  if (file < 0) file = kernel.call("memfd_create", name, MFD_CLOEXEC);
  if (file < 0) return undefined;
  const isReady = kernel.call("fchmod", file, 0o700) === 0 &&
    kernel.call("ftruncate", file, PROGRAM_BYTES) === 0;
  if (isReady) return file;
  kernel.call("close", file);
  return undefined;
}

function makeWith(kernel: Kernel, plan: MountPlan, ownsUser: boolean): Namespaces | undefined {
  const program = ownsUser ? executableFile(kernel) : undefined;
  if (ownsUser && program === undefined) return undefined;
  // A file that is open for writing keeps its mount from becoming read-only. From here the file is
  // not open for writing.
  const proc = kernel.call("openat", AT_FDCWD, pathBytes("/proc"), O_PATH | O_CLOEXEC);
  const table = new SystemCallTable();
  if (ownsUser) mapOwnUser(table, { kernel, proc });
  const none = table.text("");
  addMounts(table, plan, none);
  const open = (name: string) => {
    const path = table.text(`/proc/self/ns/${name}`);
    return table.keep(table.call("openat", [AT_FDCWD, path, O_RDONLY | O_CLOEXEC]));
  };
  const user = ownsUser ? open("user") : undefined;
  const mount = open("mnt");
  const made = runInChild(kernel, table, CLONE_NEWNS | (ownsUser ? CLONE_NEWUSER : 0));
  kernel.call("close", proc);
  closeAll(kernel, made?.taken() ?? []);
  const found = {
    mount: made?.kept(mount) ?? -1,
    ...(user && { user: made?.kept(user) ?? -1 }),
    ...(program !== undefined && { program }),
  };
  if (found.mount >= 0) return found;
  closeAll(kernel, Object.values(found));
  return undefined;
}

/** The user and the group stay the same, because another mapping needs privileges outside. */
function mapOwnUser(table: SystemCallTable, { kernel, proc }: { kernel: Kernel; proc: number }) {
  const write = (file: string, text: string, mark = 0) => {
    const path = table.text(`self/${file}`);
    const opened = table.call("openat", [proc, path, O_WRONLY | O_CLOEXEC], mark);
    table.call("write", [opened, table.text(text), text.length], mark);
  };
  const [uid, gid] = [kernel.call("geteuid"), kernel.call("getegid")];
  // The kernel requires it before a group is mapped. In a container it may already be so.
  write("setgroups", "deny", 1);
  write("uid_map", `${uid} ${uid} 1`);
  write("gid_map", `${gid} ${gid} 1`);
}

/** Adds the mounts. A path that has gone meanwhile, or has become a symlink, is left out. */
function addMounts(table: SystemCallTable, plan: MountPlan, none: Placed): void {
  const how = table.words(O_PATH | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS);
  const HOW_BYTES = 24;
  const [onlyPrivate, readOnly] = [[0, MS_PRIVATE], [MOUNT_ATTR_RDONLY, 0]].map(
    ([set, propagation]) => table.words(set!, 0, propagation!, 0),
  );
  const ATTRIBUTE_BYTES = 32;
  const open = (path: Placed) => table.call("openat2", [AT_FDCWD, path, how, HOW_BYTES], 1);
  const cloning = OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE;
  const copy = (path: Placed) => table.call("open_tree", [open(path), none, cloning], 1);
  const moving = MOVE_FROM_DESCRIPTOR | MOVE_TO_DESCRIPTOR;
  const mount = (copied: SystemCallResult, path: Placed) =>
    table.call("move_mount", [copied, none, open(path), none, moving], 1);
  const root = table.text("/");
  const all = (attributes: Placed) =>
    table.call("mount_setattr", [AT_FDCWD, root, AT_RECURSIVE, attributes, ATTRIBUTE_BYTES]);
  // A mount that is made here must not appear outside.
  all(onlyPrivate!);
  if (plan.base === "read-only") {
    // Mounts that are copied first keep their state, also what was read-only in them already.
    const copies = plan.writable.map((path) => {
      const placed = table.text(path);
      return { placed, copied: copy(placed) };
    });
    all(readOnly!);
    for (const { placed, copied } of copies) mount(copied, placed);
  }
  for (const { path, writable } of plan.inside) {
    const placed = table.text(path);
    mount(copy(placed), placed);
    if (writable) continue;
    const attributes = [none, AT_EMPTY_PATH | AT_RECURSIVE, readOnly!, ATTRIBUTE_BYTES];
    table.call("mount_setattr", [open(placed), ...attributes], 1);
  }
}

/**
 * Puts programs into the namespaces. If each program has to enter them itself, returns the path of
 * the program that every command is then started through. `key` is what the filter requires of a
 * process that enters a namespace. No open descriptor may be handed on to programs by now. Throws
 * `unavailable`.
 */
export function enterNamespaces(
  kernel: Kernel,
  { namespaces: { user, mount, program }, ...options }: {
    namespaces: Namespaces;
    key: readonly number[];
    cwd: string;
  },
): string | undefined {
  if (user !== undefined && program !== undefined) {
    return makeEntering(kernel, { ...options, user, mount, file: program });
  }
  enterHere(kernel, mount, options.cwd);
  return undefined;
}

/** Takes this thread into a mount namespace of its own user namespace, for good. */
function enterHere(kernel: Kernel, mount: number, cwd: string): void {
  const path = pathBytes(cwd);
  // From then on this thread has its own working directory, which must be set again.
  if (kernel.call("unshare", CLONE_FS) !== 0 || kernel.call("setns", mount, CLONE_NEWNS) !== 0) {
    throw stepFailed("mounts", "the namespace cannot be entered");
  }
  kernel.call("chdir", path);
  kernel.call("close", mount);
}

/**
 * Only a process with one thread can enter a user namespace, and this process has more. So each
 * command is started through a program that enters it, gives up the privileges that this gives, and
 * becomes the command.
 */
function makeEntering(
  kernel: Kernel,
  { user, mount, file, key }: {
    user: number;
    mount: number;
    file: number;
    key: readonly number[];
  },
): string {
  const table = new SystemCallTable();
  const said = (words: string) => {
    const text = new TextEncoder().encode(`toolcall: cannot ${words} (error `);
    const length = new Uint8Array(new Uint32Array([text.length]).buffer);
    return table.bytes(new Uint8Array([...length, ...text]));
  };
  // The namespace has its own root directory, in which the path of the working directory is looked up.
  const [directory, looking] = [new Uint8Array(PATH_BYTES), said("find the working directory")];
  const cwd = table.bytes(directory);
  table.call("getcwd", [cwd, directory.length], looking);
  const entering = said("enter the namespaces of the call");
  table.call("setns", [user, CLONE_NEWUSER, ...key], entering);
  table.call("setns", [mount, CLONE_NEWNS, ...key], entering);
  table.call("close", [user], entering);
  table.call("close", [mount], entering);
  const header = new Uint8Array(new Uint32Array([CAPABILITY_VERSION_3, 0]).buffer);
  const none = new Uint8Array(2 * 3 * 4);
  table.call("capset", [table.bytes(header), table.bytes(none)], entering);
  table.call("chdir", [cwd], said("enter the working directory"));
  const program = enterProgram(table, said("start the program"));
  if (kernel.call("write", file, program, program.length) !== program.length) {
    throw stepFailed("mounts", "the program that enters the namespace cannot be made");
  }
  for (const each of [user, mount]) kernel.call("fcntl", each, F_SETFD, 0);
  return `/proc/self/fd/${file}`;
}

/** The effect of read-only mounts on a call. */
export interface MountState {
  /** Whether this user can make them on this machine. */
  available: boolean;
  /** The real paths inside the write grant that are read-only to programs. */
  readOnly: string[];
  /** The real paths of existing protected files that programs may write all the same. */
  stillWritable: string[];
}

/** Advice for a person on how to get these mounts. */
export const MOUNTS_ADVICE =
  "let this user make namespaces: user.max_user_namespaces above 0, kernel.unprivileged_userns_clone=1 " +
  "and kernel.apparmor_restrict_unprivileged_userns=0 where the system has them; a container has to " +
  "allow unshare and mount";

/** Makes the mounts of a call and gives them up again. */
export function mountState(options: Omit<MountPlanOptions, "temporary">): MountState {
  const kernel = openKernel();
  const plan = planWith(kernel, { ...options, temporary: [] });
  const made = kernel && makePlanned(kernel, plan);
  if (kernel !== undefined && made !== undefined) closeAll(kernel, Object.values(made));
  kernel?.close();
  const shut = plan.inside.filter(({ writable }) => !writable).map(({ path }) => path);
  return made === undefined
    ? { available: false, readOnly: [], stillWritable: [...plan.protected] }
    : { available: true, readOnly: shut, stillWritable: [] };
}
