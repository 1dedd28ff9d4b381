/**
 * Helpers of an executable that `deno compile` has made. Such an executable contains its files, but
 * the system starts a program only from a file of its own.
 */

import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { CallError } from "../../../base/errors.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { quote } from "../../../base/text/quote.ts";
import { cacheDirectories } from "../policy/own_paths.ts";

/** The bits of a mode by which other users write, and the one that keeps them from replacing. */
const [OTHERS_WRITE, STICKY] = [0o022, 0o1000];

/**
 * Returns the path of a helper outside of the executable, which has it in `embedded` with the hash
 * of its content. The first call extracts it into the private cache. No grant lets a call write
 * there, so later calls check only its owner, mode and size. Throws `unavailable` if no cache can be
 * used, or other users could write it.
 */
export async function extractedHelper(name: string, embedded: string): Promise<string> {
  const reasons: string[] = [];
  for (const cache of cacheDirectories()) {
    try {
      return await extractedInto(cache, { name, embedded });
    } catch (error) {
      reasons.push(`${quote(cache)}: ${osErrorMessage(error)}`);
    }
  }
  const why = reasons.length === 0
    ? "neither HOME nor TOOLCALL_CACHE_DIR is set"
    : reasons.join("; ");
  throw new CallError(
    "unavailable",
    `Cannot extract ${
      quote(name)
    } into the cache: ${why}; set TOOLCALL_CACHE_DIR to a private directory`,
    { program: name },
  );
}

async function extractedInto(
  cache: string,
  { name, embedded }: { name: string; embedded: string },
): Promise<string> {
  const source = join(embedded, name);
  const hash = Deno.readTextFileSync(`${source}.sha256`).trim();
  Deno.mkdirSync(cache, { recursive: true, mode: 0o700 });
  if (Deno.lstatSync(cache).isSymlink) throw new Error("it is a symbolic link");
  const directory = Deno.realPathSync(cache);
  refuseShared(directory);
  const path = join(directory, `${name}.${hash}`);
  const { size } = Deno.statSync(source);
  if (isPrivateProgram(path, size)) return path;
  // A killed start leaves only a file of another name.
  const part = `${path}.${crypto.randomUUID()}`;
  try {
    writeProgram(part, Deno.readFileSync(source));
    if (await hashOf(part) !== hash) {
      throw new Error(
        "the file differs from the data that was written",
      );
    }
    publish(part, { path, size });
    return path;
  } finally {
    removeIfAny(part);
  }
}

/**
 * Gives a file its name. The file that another start has made stays, because the sandbox of that
 * start opens that very file.
 */
function publish(part: string, { path, size }: { path: string; size: number }): void {
  try {
    Deno.linkSync(part, path);
  } catch {
    if (!isPrivateProgram(path, size)) Deno.renameSync(part, path);
  }
}

function writeProgram(path: string, bytes: Uint8Array): void {
  using file = Deno.openSync(path, { write: true, createNew: true, mode: 0o700 });
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  file.syncSync();
}

async function hashOf(path: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", Deno.readFileSync(path))).toHex();
}

function removeIfAny(path: string): void {
  try {
    Deno.removeSync(path);
  } catch { /* It was not made, or has its name now. */ }
}

/** Whether a path is a program of this size that only this user can have written. */
function isPrivateProgram(path: string, size: number): boolean {
  try {
    const info = Deno.lstatSync(path);
    const mode = info.mode ?? 0;
    return info.isFile && info.size === size && info.uid === Deno.uid() &&
      (mode & OTHERS_WRITE) === 0 && (mode & 0o100) !== 0;
  } catch {
    return false;
  }
}

/**
 * Throws an Error if other users could write a directory, which is a real path, or replace it.
 * Sticky directories, such as `/tmp`, will do above it.
 */
function refuseShared(directory: string): void {
  for (let at = directory;; at = dirname(at)) {
    const { uid, mode } = Deno.lstatSync(at);
    const isOwn = uid === Deno.uid() || (uid === 0 && at !== directory);
    const isClosed = ((mode ?? 0) & OTHERS_WRITE) === 0 ||
      (at !== directory && ((mode ?? 0) & STICKY) !== 0);
    if (!isOwn || !isClosed) throw new Error(`other users can write ${quote(at)}`);
    if (at === dirname(at)) return;
  }
}
