/** Makes system calls of the Linux kernel, through the C library's one function for them. */

import { asWord, loadCLibrary } from "../../../base/fs/native_files.ts";
import { CallError } from "../../../base/errors.ts";
import { type SystemCallName, systemCallNumbers } from "./system_call_numbers.ts";

/** An argument of a system call; memory is given as its bytes. */
export type Word = number | bigint | Uint8Array<ArrayBuffer>;

/** The system calls that are needed to build the sandbox. */
export interface Kernel {
  /** Makes a system call. Missing arguments are 0. The result is negative when it fails. */
  call(
    name: SystemCallName,
    ...args: [a?: Word, b?: Word, c?: Word, d?: Word, e?: Word, f?: Word]
  ): number;
  /** Closes the library. */
  close(): void;
}

/**
 * Opens the C library. Returns `undefined` on other systems than Linux, or without the GNU C
 * library.
 */
export function openKernel(): Kernel | undefined {
  const library = loadCLibrary();
  if (library === undefined) return undefined;
  const { syscall } = library.symbols;
  const numbers = systemCallNumbers(Deno.build.arch);
  return {
    call: (name, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0) => {
      const number = BigInt(numbers[name]!);
      const words = [word(a), word(b), word(c), word(d), word(e)] as const;
      return Number(syscall(number, ...words, asWord(word(f))));
    },
    close: () => library.close(),
  };
}

/**
 * Whether anything exists at a path, as far as this can be found out. This saves the error that the
 * runtime makes for a missing file.
 */
export function exists(kernel: Kernel, path: string): boolean {
  const AT_FDCWD = -100;
  return kernel.call("faccessat", AT_FDCWD, new TextEncoder().encode(`${path}\0`)) === 0;
}

/** The address of some memory, as other structures contain it. */
export function address(bytes: Uint8Array<ArrayBuffer>): bigint {
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
}

function word(value: Word): bigint {
  return typeof value === "object" ? address(value) : BigInt(value);
}

/**
 * The failure of one step of entering the sandbox. The call is then refused, and does not run
 * without it.
 */
export function stepFailed(layer: string, why: string): CallError {
  return new CallError(
    "unavailable",
    `Cannot enter the kernel's sandbox (${layer}): ${why}`,
  );
}

/** The failure of a call whose programs cannot be confined, with advice. */
export function programsNotConfined(why: string): CallError {
  return new CallError(
    "unavailable",
    `${why}; --unconfined-run starts programs that nothing holds`,
  );
}

/** The failure of a call that starts programs on a machine without a sandbox for them. */
export function sandboxMissing(): CallError {
  return new CallError(
    "unavailable",
    "Cannot hold programs to the flags: this system has no Landlock, which Linux 5.13 and later " +
      "may have, or does not let it be used",
  );
}
