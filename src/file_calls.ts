/** What the ways to files have in common: the system's calls, and what it says of a file. */

/** What the system says of what is open. */
export interface FileStatus {
  /** Only a `file` can be read and written without waiting. */
  readonly kind: "file" | "folder" | "pipe" | "socket" | "device";
  /** Type and permissions. */
  readonly mode: number;
  /** The owner. */
  readonly uid: number;
  /** The group. */
  readonly gid: number;
  /** In bytes. */
  readonly size: number;
  /** The file system that it is on. */
  readonly dev: number;
  /** Its number there. */
  readonly ino: number;
  /** When its content was changed last, in milliseconds since 1970. */
  readonly changed: number;
}

/** The system's calls for files; each throws an error whose `errorCode` is the system's. */
export interface FileCalls {
  /** The type and the permissions of what a path leads to, which is not opened. */
  modeAt(path: string): number;
  /** Opens a path; a descriptor. */
  open(path: string, flags: number, mode: number): number;
  /** What is open. */
  stat(descriptor: number): Omit<FileStatus, "kind">;
  /** Fills a part of the buffer; how many bytes, 0 at the end. */
  read(descriptor: number, buffer: Uint8Array<ArrayBuffer>): number;
  /** Writes a part of the bytes; how many. */
  write(descriptor: number, bytes: Uint8Array<ArrayBuffer>): number;
  /** Takes the lock (`flock(2)`), unless another has it. */
  lock(descriptor: number, path: string): boolean;
  /** Gives what is open to another. */
  chown(descriptor: number, owner: { uid: number; gid: number }): void;
  /** Sets the permissions of what is open. */
  chmod(descriptor: number, mode: number): void;
  /** Waits until what was written is on the disk. */
  sync(descriptor: number): void;
  /** Closes it, and gives up its lock. */
  close(descriptor: number): void;
}
