/** The extended attributes of files (`xattr(7)`), access control lists included. */

import { asWord, type CLibrary, MACHINES } from "./c_library.ts";

const MAX_BYTES = 64 * 1024;
const NONE = asWord(0);
/** The attributes that the system sets by itself, such as labels of a security module. */
const OF_THE_SYSTEM = /^(?:security|trusted)\./;

/**
 * Gives an open file the attributes of another one, except those of the system. Returns whether it has
 * all of them.
 */
export function copyAttributes(
  from: number,
  to: number,
  { syscallOnMemory, syscallOnTwo }: CLibrary<"syscallOnMemory" | "syscallOnTwo">["symbols"],
): boolean {
  const { flistxattr, fgetxattr, fsetxattr } = MACHINES[Deno.build.arch];
  const list = new Uint8Array(MAX_BYTES);
  const place = [BigInt(flistxattr), BigInt(from)] as const;
  const size = syscallOnMemory(...place, list, BigInt(list.length), NONE);
  // Most files have none, and some file systems cannot have any.
  if (size <= 0n) return true;
  const names = new TextDecoder().decode(list.subarray(0, Number(size))).split("\0")
    .filter((name) => name !== "" && !OF_THE_SYSTEM.test(name));
  const value = new Uint8Array(MAX_BYTES);
  return names.every((name) => {
    const ofName = new TextEncoder().encode(`${name}\0`);
    const length = syscallOnTwo(fgetxattr, from, ofName, value, value.length, NONE);
    return length >= 0 && syscallOnTwo(fsetxattr, to, ofName, value, length, NONE) === 0;
  });
}
