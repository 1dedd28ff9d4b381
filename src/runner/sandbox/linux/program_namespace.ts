/** Takes a call's programs into the mount namespace that was made for them. */

import { type Kernel, stepFailed } from "./kernel.ts";
import { enterProgram } from "./machine_code.ts";
import type { Namespaces } from "./mount_namespace.ts";
import { SystemCallTable } from "./system_call_table.ts";

const [CLONE_FS, CLONE_NEWNS, CLONE_NEWUSER] = [0x200, 0x20000, 0x10000000];
const F_SETFD = 2;
const CAPABILITY_VERSION_3 = 0x20080522;

/** The options of {@link enterNamespaces}. */
export interface EnterOptions {
  /** The namespaces that were made. */
  namespaces: Namespaces;
  /** The key that the filter requires of a process that enters a namespace. */
  key: readonly number[];
  /** The working directory of the call. */
  cwd: string;
}

/**
 * Puts programs into the namespaces. If each program has to enter them itself, returns the path of
 * the program that every command is then started through. No open descriptor may be handed on to
 * programs by now. Throws `unavailable`.
 */
export function enterNamespaces(kernel: Kernel, options: EnterOptions): string | undefined {
  const { user, mount, program } = options.namespaces;
  if (user !== undefined && program !== undefined) {
    return makeEntering(kernel, { ...options, user, mount, file: program });
  }
  enterHere(kernel, mount, options.cwd);
  return undefined;
}

/** Takes this thread into a mount namespace of its own user namespace, for good. */
function enterHere(kernel: Kernel, mount: number, cwd: string): void {
  const path = new TextEncoder().encode(`${cwd}\0`);
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
  { user, mount, file, key, cwd }:
    & { user: number; mount: number; file: number }
    & Omit<EnterOptions, "namespaces">,
): string {
  const program = enterProgram(Deno.build.arch, (base) => {
    const table = new SystemCallTable();
    const said = (words: string) => {
      const text = new TextEncoder().encode(`toolcall: cannot ${words} (error `);
      const bytes = new Uint8Array(4 + text.length);
      new DataView(bytes.buffer).setUint32(0, text.length, true);
      bytes.set(text, 4);
      return table.bytes(bytes);
    };
    const entering = said("enter the namespaces of the call");
    table.call("setns", [user, CLONE_NEWUSER, ...key], entering);
    table.call("setns", [mount, CLONE_NEWNS, ...key], entering);
    table.call("close", [user], entering);
    table.call("close", [mount], entering);
    const header = new Uint8Array(new Uint32Array([CAPABILITY_VERSION_3, 0]).buffer);
    const none = new Uint8Array(2 * 3 * 4);
    table.call("capset", [table.bytes(header), table.bytes(none)], entering);
    table.call("chdir", [table.text(cwd)], said("enter the working directory"));
    return table.build(Deno.build.arch, { base, last: said("start the program") }).bytes;
  });
  if (kernel.call("write", file, program, program.length) !== program.length) {
    throw stepFailed("mounts", "the program that enters the namespace cannot be made");
  }
  for (const each of [user, mount]) kernel.call("fcntl", each, F_SETFD, 0);
  return `/proc/self/fd/${file}`;
}
