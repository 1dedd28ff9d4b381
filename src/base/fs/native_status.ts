/** Reads the fields of a `struct stat`, which lie at other places on each machine. */

import type { MACHINES } from "./c_library.ts";
import type { FileStatus } from "./file_calls.ts";

/** The places of the fields on one machine, in bytes. */
type Places = typeof MACHINES[keyof typeof MACHINES]["stat"];

/** The status of an open file. */
export function statusIn(view: DataView, at: Places): Omit<FileStatus, "kind"> {
  const number = (offset: number) => Number(view.getBigInt64(offset, true));
  return {
    mode: view.getUint32(at.mode, true),
    uid: view.getUint32(at.uid, true),
    gid: view.getUint32(at.gid, true),
    size: number(at.size),
    dev: number(0),
    ino: number(8),
    changed: changedAt(view, at.mtime),
  };
}

/** The device and the number of a file in a status. */
export function identityOf(view: DataView): string {
  return `${view.getBigInt64(0, true)} ${view.getBigInt64(8, true)}`;
}

/** The time in a status, in milliseconds since 1970. */
export function changedAt(view: DataView, at: number): number {
  const nanoseconds = view.getUint32(at + 8, true);
  return int64(view, at) * 1000 + Math.floor(nanoseconds / 1e6);
}

/** A 64-bit integer, without a BigInt: a search looks at thousands of files. */
export function int64(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}
