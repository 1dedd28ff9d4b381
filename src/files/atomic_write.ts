import { cannot, errorCode, type FileTarget, systemError } from "./system_error.ts";

const STALE_MS = 60 * 60 * 1000;
const MODE_BITS = 0o777;

/** File systems without hard links: there a new file is written in place. */
const NO_LINKS = ["EPERM", "ENOSYS", "EOPNOTSUPP", "ENOTSUP"];

/**
 * Replaces a file, or makes a new one, so that a reader sees the old content or
 * the new one whole, also after a crash: a temporary file of a random name in
 * the same folder is written, flushed to the disk and renamed. `like` is the
 * file that is replaced; its mode is kept, and its owner where the system lets
 * us. Its hard links keep the old content, and set-user-id bits are dropped.
 * Throws a readable error, and then nothing has changed.
 */
export function atomicWrite(
  target: FileTarget,
  { bytes, like }: { bytes: Uint8Array; like?: Deno.FileInfo | undefined },
): void {
  const temporary = temporaryPath(target.path, crypto.randomUUID().replaceAll("-", ""));
  try {
    writeTemporary(temporary, { bytes, like });
    Deno.renameSync(temporary, target.path);
  } catch (error) {
    discard(temporary);
    throw like ? folderError(error, target) : systemError(error, target);
  }
  removeStale(target.path);
}

/**
 * Makes a file that nobody sees before it is whole, also after a crash. `false` when there is
 * one already. Throws what the system says.
 */
export function atomicCreate({ path }: FileTarget, bytes: Uint8Array): boolean {
  const temporary = temporaryPath(path, crypto.randomUUID().replaceAll("-", ""));
  try {
    writeTemporary(temporary, { bytes });
    // To rename it would replace what another process has made meanwhile.
    Deno.linkSync(temporary, path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    if (!NO_LINKS.includes(errorCode(error) ?? "")) throw error;
    Deno.writeFileSync(path, bytes, { createNew: true });
    return true;
  } finally {
    discard(temporary);
  }
}

/** The name of a temporary file: near the target's, and never too long. */
function temporaryPath(path: string, random: string): string {
  const cut = path.lastIndexOf("/") + 1;
  return `${path.slice(0, cut)}.${shortName(path)}.toolcall-${random}`;
}

function shortName(path: string): string {
  return [...path.slice(path.lastIndexOf("/") + 1)].slice(0, 48).join("");
}

function writeTemporary(
  temporary: string,
  { bytes, like }: { bytes: Uint8Array; like?: Deno.FileInfo | undefined },
): void {
  // A new file gets what the umask leaves; a copy of a private one is private from the start.
  const mode = like ? 0o600 : 0o666;
  const file = Deno.openSync(temporary, { write: true, createNew: true, mode });
  try {
    for (let written = 0; written < bytes.length;) {
      written += file.writeSync(bytes.subarray(written));
    }
    if (like) takeOver(temporary, { like, now: file.statSync() });
    file.syncSync();
  } finally {
    file.close();
  }
}

function takeOver(
  temporary: string,
  { like, now }: { like: Deno.FileInfo; now: Deno.FileInfo },
): void {
  if (like.uid !== now.uid || like.gid !== now.gid) {
    try {
      Deno.chownSync(temporary, like.uid, like.gid);
    } catch {
      // Only a privileged user can give a file away: then it becomes the writer's own.
    }
  }
  if (like.mode !== null) Deno.chmodSync(temporary, like.mode & MODE_BITS);
}

function discard(temporary: string): void {
  try {
    Deno.removeSync(temporary);
  } catch {
    // It was never made, or it has become the target.
  }
}

/** The file may be writable where its folder is not, and that has to be told. */
function folderError(error: unknown, target: FileTarget): unknown {
  const code = errorCode(error);
  if (code !== "EACCES" && code !== "EPERM") return systemError(error, target);
  return new Error(
    `${cannot(target)}: permission denied by the file system; ` +
      "a file is replaced as a whole, which needs the right to write in its folder",
    { cause: { systemError: code } },
  );
}

/** Removes what calls that were killed left behind for this target an hour ago or more. */
function removeStale(path: string): void {
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  const prefix = `.${shortName(path)}.toolcall-`;
  try {
    for (const { name, isFile } of Deno.readDirSync(folder)) {
      if (!isFile || !name.startsWith(prefix) || !/-[0-9a-f]{32}$/.test(name)) continue;
      const stale = `${folder}/${name}`;
      const { mtime } = Deno.lstatSync(stale);
      if (mtime && mtime.getTime() < Date.now() - STALE_MS) discard(stale);
    }
  } catch {
    // Tidying up is a kindness: the file itself is written.
  }
}
