import { osErrorMessage } from "../../base/os_error_message.ts";

/** A version of this program that was unpacked. */
export interface CachedVersion {
  /** The name of its directory in the cache directory. */
  name: string;
  /** The size of its files in bytes. A file that versions share counts once. */
  bytes: number;
  /** The last use that the system knows of, in milliseconds since 1970. */
  usedAt: number;
  /** Whether this process runs from it. */
  isRunning: boolean;
  /** Whether another process runs from it, as far as this user can see. */
  isInUse: boolean;
  /** Whether it was not used for two days, and is not one of the two that were used last. */
  isOld: boolean;
}

/** The system knows the time of the last use within a day, in milliseconds. */
const DAY_MS = 24 * 3_600_000;

/** A version that was used within this time is not old, in milliseconds. The head counts the same. */
const OLD_MS = 2 * DAY_MS;

/** So many versions, those that were used last, are never old. The head keeps as many. */
const KEPT_VERSIONS = 2;

/** Without `/proc`, a version that was used within this time counts as in use, in milliseconds. */
const IN_USE_MS = 30 * DAY_MS;

/** The name that the head of the executable gives to the directory of a version. */
const VERSION_NAME = /^[0-9a-f]{16}\.\d+\.\d+$/;

/**
 * The unpacked versions in a cache directory: first the running one, then the last used one, and so
 * on. Everything that the head of the executable did not make is omitted: other names, symlinks, and
 * files of other users.
 */
export function cachedVersions(directory: string, running: string): CachedVersion[] {
  const used = programsInUse();
  const versions: CachedVersion[] = [];
  const counted = new Set<number>();
  for (const { name, isDirectory, isSymlink } of Deno.readDirSync(directory)) {
    if (!VERSION_NAME.test(name) || !isDirectory || isSymlink) continue;
    const path = `${directory}/${name}`;
    // A directory without `state` is being unpacked by another process.
    if (!isOwnDirectory(path) || !isOwnDirectory(`${path}/state`)) continue;
    const usedAt = lastUse(directory, name);
    versions.push({
      name,
      bytes: sizeOf(path, counted),
      usedAt,
      isRunning: path === running,
      isInUse: path !== running &&
        (used === undefined
          ? Date.now() - usedAt < IN_USE_MS
          : used.some((file) => file.startsWith(`${path}/`))),
      isOld: false,
    });
  }
  return versions.sort((a, b) => Number(b.isRunning) - Number(a.isRunning) || b.usedAt - a.usedAt)
    .map((version, at) => ({
      ...version,
      isOld: at >= KEPT_VERSIONS && Date.now() - version.usedAt > OLD_MS,
    }));
}

/**
 * Removes a version. Its name goes first, so that no start of it finds a part of its files. Returns
 * the reason if that fails.
 */
export function removeVersion(
  directory: string,
  { name, isRunning }: CachedVersion,
): string | undefined {
  const mark = `${directory}/${markOf(name)}`;
  try {
    if (markedName(mark) === name) Deno.removeSync(mark);
    // A start that has read the mark before is running from the directory by now.
    const isStarted = (file: string) => file.startsWith(`${directory}/${name}/`);
    if (!isRunning && programsInUse()?.some(isStarted)) {
      return "a program has started from it in the meantime";
    }
    Deno.removeSync(`${directory}/${name}`, { recursive: true });
    return undefined;
  } catch (error) {
    return osErrorMessage(error);
  }
}

/**
 * Keeps a version in use while this process lives: reads its mark twice a day, as a start does.
 * Processes of other machines and containers that share the cache see only that. `running` is the
 * directory of the version.
 */
export function keepInUse(running: string): void {
  const read = () => markedName(markOf(running));
  Deno.unrefTimer(setInterval(read, DAY_MS / 2));
}

/** The name of the file that names the directory of a version. */
function markOf(name: string): string {
  return name.slice(0, name.indexOf(".", name.lastIndexOf("/") + 1));
}

function markedName(mark: string): string | undefined {
  try {
    return Deno.lstatSync(mark).isFile ? Deno.readTextFileSync(mark).trim() : undefined;
  } catch {
    return undefined;
  }
}

function lastUse(directory: string, name: string): number {
  const { mtime } = Deno.statSync(`${directory}/${name}`);
  let mark = 0;
  try {
    mark = Deno.statSync(`${directory}/${markOf(name)}`).atime?.getTime() ?? 0;
  } catch { /* The version has no mark, so nothing starts from it. */ }
  return Math.max(mtime?.getTime() ?? 0, mark);
}

function isOwnDirectory(path: string): boolean {
  try {
    const { isDirectory, uid } = Deno.lstatSync(path);
    return isDirectory && (uid === null || uid === Deno.uid());
  } catch {
    return false;
  }
}

function sizeOf(directory: string, counted: Set<number>): number {
  let bytes = 0;
  for (const { name, isDirectory } of Deno.readDirSync(directory)) {
    const path = `${directory}/${name}`;
    const { size, ino, nlink } = Deno.lstatSync(path);
    if (isDirectory) bytes += sizeOf(path, counted);
    else if (ino === null || (nlink ?? 1) === 1) bytes += size;
    else if (!counted.has(ino)) {
      counted.add(ino);
      bytes += size;
    }
  }
  return bytes;
}

/** The programs of all processes that this user can see. Undefined without `/proc`. */
function programsInUse(): string[] | undefined {
  const programs: string[] = [];
  try {
    for (const { name } of Deno.readDirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        programs.push(Deno.readLinkSync(`/proc/${name}/exe`));
      } catch { /* It has ended, or it is another user's. */ }
    }
  } catch {
    return undefined;
  }
  return programs.length === 0 ? undefined : programs;
}
