/** The owner and the attributes of files whose content is replaced. */
import { expect } from "@std/expect";
import { atomicWrite } from "../../../../src/base/fs/atomic_write.ts";
import { asWord, loadCLibrary, MACHINES } from "../../../../src/base/fs/c_library.ts";
import { OPEN, openRegular } from "../../../../src/base/fs/system_file.ts";
import { scratchDirectory } from "../../../support/scratch_directory.ts";

const library = loadCLibrary("syscall", "syscallOnTwo");
const OTHER_USER = 4242;
/** The numbers of `setfsuid(2)`, which is no part of the program. */
const SETFSUID = { x86_64: 122, aarch64: 151 }[Deno.build.arch];
const { fgetxattr, fsetxattr } = MACHINES[Deno.build.arch];

/** Makes the system calls of a function with the rights of another user, in this thread. */
function asOtherUser(work: () => void): void {
  const become = (user: number) =>
    library!.symbols.syscall(BigInt(SETFSUID), BigInt(user), 0n, 0n, 0n, 0n, asWord(0));
  become(OTHER_USER);
  try {
    work();
  } finally {
    become(0);
  }
}

/** Calls `fsetxattr` or `fgetxattr` for the attribute `user.note` of a file. */
function attribute(path: string, call: number, value: Uint8Array<ArrayBuffer>): number {
  const { closeSync, openSync } = process.getBuiltinModule("node:fs");
  const descriptor = openSync(path, "r+");
  const name = new TextEncoder().encode("user.note\0");
  const words = [name, value, value.length, asWord(0)] as const;
  const result = library!.symbols.syscallOnTwo(call, descriptor, ...words);
  closeSync(descriptor);
  return result;
}

/** Replaces the content of a file, as Write and Edit do. */
function replace(path: string, text: string): void {
  using file = openRegular(path, OPEN.write);
  const bytes = new TextEncoder().encode(text);
  atomicWrite({ path, given: path, action: "write" }, { bytes, like: file.status() });
}

/** A directory and a file in it that every user may write. */
function openFile() {
  const directory = scratchDirectory();
  const path = `${directory.path}/file`;
  Deno.chmodSync(directory.path, 0o777);
  Deno.writeTextFileSync(path, "the old content\n");
  Deno.chmodSync(path, 0o666);
  return { directory, path };
}

Deno.test("atomicWrite() > the new file has the extended attributes of the old one", () => {
  const { directory, path } = openFile();
  using _ = directory;
  const value = new TextEncoder().encode("a value");
  // Not every file system has attributes of users.
  const has = library !== undefined && attribute(path, fsetxattr, value) === 0;
  const { ino } = Deno.statSync(path);
  replace(path, "new\n");
  expect(Deno.readTextFileSync(path)).toBe("new\n");
  expect(Deno.statSync(path).ino).not.toBe(ino);
  const kept = new Uint8Array(20);
  if (has) expect(attribute(path, fgetxattr, kept)).toBe(value.length);
  if (has) expect(kept.subarray(0, value.length)).toEqual(value);
});

const ignore = library === undefined || Deno.uid() !== 0;

Deno.test({
  name: "atomicWrite() > a file of another user keeps its owner, its group and its mode",
  ignore,
  fn() {
    const { directory, path } = openFile();
    using _ = directory;
    Deno.chownSync(path, 1234, 1000);
    const { ino } = Deno.statSync(path);
    asOtherUser(() => replace(path, "new\n"));
    expect(Deno.readTextFileSync(path)).toBe("new\n");
    expect(Deno.statSync(path)).toMatchObject({ ino, uid: 1234, gid: 1000, mode: 0o100666 });
    expect([...Deno.readDirSync(directory.path)].length).toBe(1);
  },
});

Deno.test({
  name: "atomicWrite() > a hard link to a file of another user keeps its content",
  ignore,
  fn() {
    const { directory, path } = openFile();
    using _ = directory;
    Deno.linkSync(path, `${directory.path}/link`);
    asOtherUser(() => replace(path, "new\n"));
    expect(Deno.readTextFileSync(path)).toBe("new\n");
    expect(Deno.readTextFileSync(`${directory.path}/link`)).toBe("the old content\n");
    expect(Deno.statSync(path).uid).toBe(OTHER_USER);
  },
});
