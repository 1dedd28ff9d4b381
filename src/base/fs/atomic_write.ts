import { errorCode } from "../error_code.ts";
import { linkFile, removeFile, renameFile } from "./change_files.ts";
import { OPEN, openRegular, SystemFile } from "./system_file.ts";
import { cannot, type FileTarget, systemError } from "./system_error.ts";

const STALE_MS = 60 * 60 * 1000;
/** The names of temporary files. */
const TEMPORARY = /^\..+\.toolcall-[0-9a-f]{32}$/s;
const MODE_BITS = 0o777;

/** The errors of file systems without hard links, where a new file is written in place. */
const NO_LINKS = ["EPERM", "ENOSYS", "EOPNOTSUPP", "ENOTSUP"];

/** The mode and owner that a file keeps when its content is replaced. */
export type FileOwnership = Pick<Deno.FileInfo, "mode" | "uid" | "gid">;

/**
 * Replaces a file, or makes a new one, so that a reader sees the old content or the new one whole,
 * also after a crash: a temporary file of a random name in the same directory is written, flushed
 * to the disk and renamed. `like` is the file that is replaced; its mode, owner, group and extended
 * attributes are kept. Where the new file cannot get them, because the old one is another user's, the
 * content is replaced in place, unless it has hard links. These keep the old content, and
 * set-user-id bits are dropped. Throws a readable error, and then nothing has changed.
 */
export function atomicWrite(
  target: FileTarget,
  { bytes, like }: { bytes: Uint8Array<ArrayBuffer>; like?: FileOwnership | undefined },
): void {
  const temporary = temporaryPath(target.path, crypto.randomUUID().replaceAll("-", ""));
  try {
    using old = like && openOld(target.path);
    const isLikeOld = writeTemporary(temporary, { bytes, like, old });
    if (old === undefined || isLikeOld || !overwrite(old, { path: target.path, bytes })) {
      renameFile(temporary, target.path);
    } else discard(temporary);
  } catch (error) {
    discard(temporary);
    throw like ? directoryError(error, target) : systemError(error, target);
  }
  removeStale(target.path);
}

/**
 * Creates a file that nobody can see before it is complete, also after a crash. It gets the mode and
 * the owner of `like`, if that is given. Returns `false` when it exists already. Throws the system's
 * error.
 */
export function atomicCreate(
  { path }: Pick<FileTarget, "path">,
  bytes: Uint8Array<ArrayBuffer>,
  like?: FileOwnership,
): boolean {
  const temporary = temporaryPath(path, crypto.randomUUID().replaceAll("-", ""));
  try {
    writeTemporary(temporary, { bytes, like });
    // Renaming would replace a file that another process has created meanwhile.
    linkFile(temporary, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!NO_LINKS.includes(errorCode(error) ?? "")) throw error;
    using file = createFile(path, 0o666);
    file.writeAll(bytes);
    return true;
  } finally {
    discard(temporary);
  }
}

/** The path of a temporary file: beside the target, and never too long. */
function temporaryPath(path: string, random: string): string {
  const cut = path.lastIndexOf("/") + 1;
  const shortName = [...path.slice(cut)].slice(0, 48).join("");
  return `${path.slice(0, cut)}.${shortName}.toolcall-${random}`;
}

/** Returns whether the file has the owner, the group and the attributes of the old one. */
function writeTemporary(
  temporary: string,
  { bytes, like, old }: {
    bytes: Uint8Array<ArrayBuffer>;
    like?: FileOwnership | undefined;
    old?: SystemFile | undefined;
  },
): boolean {
  // A new file gets what the umask leaves; a copy of a private one is private from the start.
  using file = createFile(temporary, like ? 0o600 : 0o666);
  file.writeAll(bytes);
  const hasAttributes = old === undefined || file.copyAttributes(old);
  if (like) takeOver(file, like);
  file.sync();
  refuseSwapped(file, temporary);
  if (old === undefined) return true;
  const [is, was] = [file.status(), old.status()];
  return hasAttributes && is.uid === was.uid && is.gid === was.gid;
}

/** The old file, open to write; `undefined` if it is missing or cannot be written by now. */
function openOld(path: string): SystemFile | undefined {
  try {
    return openRegular(path, OPEN.write);
  } catch {
    return undefined;
  }
}

/**
 * Whether the content could be replaced. If not, the complete temporary file replaces the old one. A
 * file with another name is not written, because that name may be where nothing may be written.
 */
function overwrite(
  old: SystemFile,
  { path, bytes }: { path: string; bytes: Uint8Array<ArrayBuffer> },
): boolean {
  try {
    const { ino, dev, nlink } = Deno.statSync(path);
    const status = old.status();
    if (nlink !== 1 || ino !== status.ino || dev !== status.dev) return false;
    old.overwrite(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Creates a file at a path where nothing exists, not even a symlink. */
function createFile(path: string, mode: number): SystemFile {
  return new SystemFile(path, OPEN.write | OPEN.create | OPEN.exclusive, mode);
}

/** Uses the descriptor, because the path could lead to another file by now. */
function takeOver(file: SystemFile, like: FileOwnership): void {
  const { uid, gid } = file.status();
  if (like.uid !== uid || like.gid !== gid) {
    try {
      file.chown({ uid: like.uid ?? uid, gid: like.gid ?? gid });
    } catch {
      // Only a privileged user can give a file away.
    }
  }
  if (like.mode !== null) file.chmod(like.mode & MODE_BITS);
}

/** Another program may put a file of its own in the place of the temporary one. */
function refuseSwapped(file: SystemFile, temporary: string): void {
  const { ino, dev } = file.status();
  const there = Deno.lstatSync(temporary);
  if (there.ino !== ino || there.dev !== dev) {
    throw new Error("another program replaced the temporary file while it was written");
  }
}

function discard(temporary: string): void {
  try {
    removeFile(temporary);
  } catch {
    // It was never created, or it has become the target.
  }
}

/** The file may be writable while its directory is not. The message has to say that. */
function directoryError(error: unknown, target: FileTarget): unknown {
  const code = errorCode(error);
  if (code !== "EACCES" && code !== "EPERM") return systemError(error, target);
  return new Error(
    `${cannot(target)}: permission denied by the file system; ` +
      "a file is replaced as a whole, which needs write access to its directory",
    { cause: { systemError: code } },
  );
}

/** When this process searched a directory for such files, in milliseconds. */
const searched = new Map<string, number>();
const MAX_SEARCHED = 1_000;

/**
 * Removes temporary files that killed calls left in the target's directory an hour ago or more,
 * whatever their targets. No write takes that long. A process searches a directory once an hour,
 * because a directory may have very many files.
 */
function removeStale(path: string): void {
  const directory = path.slice(0, path.lastIndexOf("/")) || "/";
  const now = Date.now();
  if (now - (searched.get(directory) ?? -Infinity) < STALE_MS) return;
  if (searched.size >= MAX_SEARCHED) searched.clear();
  searched.set(directory, now);
  try {
    for (const { name, isFile } of Deno.readDirSync(directory)) {
      if (!isFile || !TEMPORARY.test(name)) continue;
      const stale = `${directory}/${name}`;
      const { mtime } = Deno.lstatSync(stale);
      if (mtime && mtime.getTime() < now - STALE_MS) discard(stale);
    }
  } catch {
    // The file itself is written, so a failed clean-up does not matter.
  }
}
