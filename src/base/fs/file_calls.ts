/** The interface that all ways to files share: the system's calls, and the status of a file. */

/** The status of an open file, as the system reports it. */
export type FileStatus = Readonly<
  & Record<"mode" | "uid" | "gid" | "size" | "dev" | "ino", number>
  & {
    /** Only a `file` can be read and written without waiting. */
    kind: "file" | "directory" | "pipe" | "socket" | "device";
    /** The time of the last change of its content, in milliseconds since 1970. */
    changed: number;
  }
>;

/** The status of what is at a path, as the system reports it. */
export type PathStatus = Pick<FileStatus, "mode" | "changed" | "size">;

/** The system's calls for files; each throws an error whose `errorCode` is the system's. */
export interface FileCalls {
  /** The type and the permissions of the file at a path, which is not opened. */
  modeAt(path: string): number;
  /** The status of what is at a path, also of a symlink; absent if it cannot be told. */
  look?(path: string): PathStatus | undefined;
  /** Whether the system says that there is nothing at a path. */
  isMissing?(path: string): boolean;
  /**
   * From now on, a file is changed only in one of these open directories, which the map has by
   * their paths, and never through a symlink. Without a map, it is changed at its path.
   */
  changeOnlyIn(directories: ReadonlyMap<string, number> | undefined): void;
  /** Renames a file. */
  rename(from: string, to: string): void;
  /** Gives a file another name. */
  link(from: string, to: string): void;
  /** Removes a file. */
  remove(path: string): void;
  /** Opens a path and returns a descriptor. */
  open(path: string, flags: number, mode: number): number;
  /**
   * Returns the bytes of a regular file by a relative path below an open directory. It follows no
   * symlink and enters no other file system. Returns `undefined` if that cannot be done at once, for
   * an empty file, and for one of more than `maxBytes`.
   */
  readBeneath?(
    directory: number,
    name: string,
    maxBytes: number,
  ): Uint8Array<ArrayBuffer> | undefined;
  /** The number of the kind of file system that an open file is in (`statfs(2)`). */
  fileSystem?(descriptor: number): number;
  /** The device and the number of the file at a path, as one text; absent if it cannot be told. */
  identity?(path: string): string | undefined;
  /** The status of an open file. */
  stat(descriptor: number): Omit<FileStatus, "kind">;
  /** Fills a part of the buffer and returns how many bytes; 0 at the end. */
  read(descriptor: number, buffer: Uint8Array<ArrayBuffer>): number;
  /** Writes a part of the bytes and returns how many. */
  write(descriptor: number, bytes: Uint8Array<ArrayBuffer>): number;
  /** Takes the lock (`flock(2)`), unless another has it. */
  lock(descriptor: number, path: string): boolean;
  /** Gives an open file to another owner. */
  chown(descriptor: number, owner: { uid: number; gid: number }): void;
  /** Sets the permissions of an open file. */
  chmod(descriptor: number, mode: number): void;
  /** Cuts an open file after so many bytes. */
  truncate(descriptor: number, size: number): void;
  /**
   * Gives an open file the extended attributes of another one, access control lists included, except
   * those that the system sets by itself. Returns whether it has all of them.
   */
  copyAttributes?(from: number, to: number): boolean;
  /** Waits until what was written is on the disk. */
  sync(descriptor: number): void;
  /** Closes it, and gives up its lock. */
  closeDescriptor(descriptor: number): void;
}
