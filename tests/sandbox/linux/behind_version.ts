// deno-lint-ignore-file no-console
/**
 * Enters the sandbox as a kernel with an older Landlock would have it, and tries what it refuses:
 * `behind_version.ts VERSION OPEN SECRET [filtered]`. With `filtered`, only the filter of system calls
 * refuses to truncate, as for a search. Prints the names of what succeeds.
 */
import {
  dropCapabilities,
  openKernel,
  renounceNewPrivileges,
} from "../../../src/runner/sandbox/linux/kernel.ts";
import { enterLandlock } from "../../../src/runner/sandbox/linux/landlock.ts";
import {
  enterSystemCallFilter,
  systemCallFilter,
} from "../../../src/runner/sandbox/linux/seccomp.ts";

const [version = "", open = "", secret = "", how = ""] = Deno.args;
const isFiltered = how === "filtered";
const { symbols } = Deno.dlopen("libc.so.6", {
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64"], result: "i64" },
});
const call = (number: number, ...args: (number | Uint8Array<ArrayBuffer>)[]) => {
  const [a = 0n, b = 0n, c = 0n, d = 0n] = args.map((value) =>
    typeof value === "number"
      ? BigInt(value)
      : Deno.UnsafePointer.value(Deno.UnsafePointer.of(value))
  );
  return Number(symbols.syscall(BigInt(number), a, b, c, d));
};
const name = (path: string) => new TextEncoder().encode(`${path}\0`);
const [OPEN, TRUNCATE, OPENAT, OPENAT2] = [2, 76, 257, 437];
const [AT_FDCWD, O_RDONLY, O_WRONLY, O_TRUNC] = [-100, 0, 1, 0o1000];
const openHow = new Uint8Array(new BigUint64Array([BigInt(O_TRUNC), 0n, 0n]).buffer);

const kernel = openKernel()!;
renounceNewPrivileges(kernel);
enterLandlock(kernel, Number(version), {
  files: { read: [open, secret], list: [], write: [open], execute: [], device: [] },
  ports: [],
  isolated: true,
  truncatingIsFiltered: isFiltered,
});
dropCapabilities(kernel);
enterSystemCallFilter(
  kernel,
  systemCallFilter({
    network: "none",
    own: { pid: 1, group: 1 },
    restrictsTruncate: Number(version) >= 3 && !isFiltered,
  }),
);

// The secret may be read here and not be written: an attempt that empties it bypasses the sandbox.
const tries: [string, () => number][] = [
  ["read what may be read", () => call(OPENAT, AT_FDCWD, name(secret), O_RDONLY)],
  [
    "write what may be written",
    () => call(OPENAT, AT_FDCWD, name(`${open}/file`), O_WRONLY | O_TRUNC),
  ],
  ["write", () => call(OPENAT, AT_FDCWD, name(secret), O_WRONLY)],
  ["open to write and cut", () => call(OPENAT, AT_FDCWD, name(secret), O_WRONLY | O_TRUNC)],
  ["open to read and cut", () => call(OPENAT, AT_FDCWD, name(secret), O_RDONLY | O_TRUNC)],
  ["open to read and cut, the old call", () => call(OPEN, name(secret), O_RDONLY | O_TRUNC)],
  [
    "open to read and cut, the new call",
    () => call(OPENAT2, AT_FDCWD, name(secret), openHow, openHow.length),
  ],
  ["cut by path", () => call(TRUNCATE, name(secret), 0)],
  ["read what nothing opens", () => call(OPENAT, AT_FDCWD, name("/etc/passwd"), O_RDONLY)],
];
for (const [what, attempt] of tries) if (attempt() >= 0) console.log(what);
