import type { FileCalls, FileStatus } from "./file_calls.ts";

/**
 * Node's calls for files, which the runtime's permissions restrict. Threads that may load nothing
 * native use them, and other systems. They take 15 ms to load.
 */
export class NodeFiles implements FileCalls {
  #fs = process.getBuiltinModule("node:fs");
  #locks = new Map<number, Deno.FsFile>();

  modeAt(path: string): number {
    return this.#fs.statSync(path).mode;
  }

  /** Here the runtime's permissions say where a file is changed. */
  changeOnlyIn(): void {}

  rename(from: string, to: string): void {
    Deno.renameSync(from, to);
  }

  link(from: string, to: string): void {
    Deno.linkSync(from, to);
  }

  remove(path: string): void {
    Deno.removeSync(path);
  }

  open(path: string, flags: number, mode: number): number {
    const { constants } = this.#fs;
    const here = [
      ...[[1, "O_WRONLY"], [2, "O_RDWR"], [0o100, "O_CREAT"], [0o200, "O_EXCL"]],
      ...[[0o400, "O_NOCTTY"], [0o4000, "O_NONBLOCK"]],
    ] as const;
    const spelled = here.reduce((all, [bit, name]) => flags & bit ? all | constants[name] : all, 0);
    return this.#fs.openSync(path, spelled, mode);
  }

  stat(descriptor: number): Omit<FileStatus, "kind"> {
    const { mode, uid, gid, size, dev, ino, mtimeMs } = this.#fs.fstatSync(descriptor);
    return { mode, uid, gid, size, dev, ino, changed: Math.floor(mtimeMs) };
  }

  read(descriptor: number, buffer: Uint8Array<ArrayBuffer>): number {
    return this.#fs.readSync(descriptor, buffer);
  }

  write(descriptor: number, bytes: Uint8Array<ArrayBuffer>): number {
    return this.#fs.writeSync(descriptor, bytes);
  }

  /** Node has no locks, so this opens the file once more with the runtime and locks that. */
  lock(descriptor: number, path: string): boolean {
    // A pipe that is opened to read and write does not wait.
    const file = Deno.openSync(path, { read: true, write: true });
    if (file.tryLockSync(true)) {
      this.#locks.set(descriptor, file);
      return true;
    }
    file.close();
    return false;
  }

  chown(descriptor: number, { uid, gid }: { uid: number; gid: number }): void {
    this.#fs.fchownSync(descriptor, uid, gid);
  }

  chmod(descriptor: number, mode: number): void {
    this.#fs.fchmodSync(descriptor, mode);
  }

  truncate(descriptor: number, size: number): void {
    this.#fs.ftruncateSync(descriptor, size);
  }

  sync(descriptor: number): void {
    this.#fs.fsyncSync(descriptor);
  }

  closeDescriptor(descriptor: number): void {
    this.#locks.get(descriptor)?.close();
    this.#locks.delete(descriptor);
    this.#fs.closeSync(descriptor);
  }
}
