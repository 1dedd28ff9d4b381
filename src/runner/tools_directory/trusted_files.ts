/** The tools directory and its files, as far as no call and no other user could have written them. */

import { pathRules } from "../../base/fs/path_rules.ts";

import { OPEN, readRegular, SystemFile } from "../../base/fs/system_file.ts";
import { CallError } from "../../base/errors.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import { quote } from "../../base/text/quote.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import { isInside, realPath, untrustedStep } from "../sandbox/policy/paths.ts";

/** The largest file that is loaded, in bytes. */
const MAX_SOURCE_BYTES = 2 ** 20;

/** The bits of a mode that let the group and others write. */
const WRITABLE_BY_OTHERS = 0o022;

/** The bits of a mode: others may write, and only owners may remove entries. */
const [WORLD_WRITABLE, STICKY] = [0o002, 0o1000];

/** The files of a tools directory that no tool is in: hidden ones, helpers, types and tests. */
const NO_TOOL = /^[._]|\.d\.ts$|[._]test\.ts$/;

/** A file of a tool, which is not read yet. */
export interface ToolFile {
  /** Its name in the directory. */
  name: string;
  /** A string that changes when the file is changed or replaced. */
  identity: string;
}

/** The error for a tools directory that cannot be used. */
export function unusableTools(path: string, why: string): CallError {
  return new CallError(
    "unavailable",
    `Cannot use the tools directory ${quote(path, 4096)}: ${why}`,
    { toolsDirectory: path },
  );
}

/**
 * A tools directory that only this user and root can write to, and no call. It stays open, so that a
 * directory that takes its path later does not count.
 */
export class TrustedDirectory {
  #open: SystemFile;

  /**
   * Opens and checks a directory, whose path is absolute. Throws `unavailable` for one that a call or
   * another user could write, for a symlink and for a missing directory.
   */
  constructor(readonly path: string, grants: Grants) {
    try {
      this.#open = openTrusted(path);
      const flag = writingFlag(path, grants);
      if (flag === undefined) return;
      throw new Error(
        `the flag --allow-write=${flag} lets calls write to it, and so choose the code of later ` +
          `calls; keep the tools elsewhere, or allow less`,
      );
    } catch (error) {
      const isMissing = error instanceof Deno.errors.NotFound;
      throw unusableTools(path, isMissing ? "no such directory" : osErrorMessage(error));
    }
  }

  /** The files of the tools, by name. Throws `unavailable`. */
  files(): ToolFile[] {
    try {
      return [...Deno.readDirSync(this.#open.entry(""))]
        .filter(({ name, isDirectory }) =>
          !isDirectory && name.endsWith(".ts") && !NO_TOOL.test(name)
        )
        .map(({ name }) => ({ name, identity: this.identityOf(name) }))
        .sort((a, b) => a.name < b.name ? -1 : 1);
    } catch (error) {
      throw unusableTools(this.path, osErrorMessage(error));
    }
  }

  /**
   * A string that changes when an entry is added, removed or renamed, and the time of the last such
   * change in milliseconds.
   */
  state(): { identity: string; changedAt: number } {
    const { dev, ino, mode, mtime, ctime } = Deno.lstatSync(this.#open.entry("."));
    const times = [mtime, ctime].map((time) => time?.getTime() ?? Infinity);
    return { identity: [dev, ino, mode, ...times].join(":"), changedAt: Math.max(...times) };
  }

  /** A string that changes when a file is changed or replaced; `""` without a file. */
  identityOf(file: string): string {
    try {
      const { dev, ino, size, mtime, ctime, mode } = Deno.lstatSync(this.#open.entry(file));
      return [dev, ino, size, mtime?.getTime(), ctime?.getTime(), mode].join(":");
    } catch {
      return "";
    }
  }

  /**
   * Reads a file by its relative path, once: the text that is checked is the text that is loaded.
   * Throws an error that says why a file is refused.
   */
  read(file: string): string {
    const parts = file.split("/");
    // Each directory on the way is checked as well as the file.
    for (let depth = 1; depth < parts.length; depth++) {
      refuse(look(this.#open.entry(parts.slice(0, depth).join("/"))));
    }
    const path = this.#open.entry(file);
    const before = look(path);
    refuse(before);
    if (before.nlink !== null && before.nlink > 1) {
      throw new Error("it has another name (a hard link), by which it could be written");
    }
    const bytes = readRegular(path, MAX_SOURCE_BYTES, (open) => {
      const { dev, ino, uid, mode } = open.status();
      if (dev !== before.dev || ino !== before.ino) {
        throw new Error("it was replaced while it was read");
      }
      refuse({ uid, mode, isSymlink: false });
    });
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  }
}

/** Opens a directory that only this user and root can write to or replace. */
function openTrusted(path: string): SystemFile {
  const info = Deno.lstatSync(path);
  if (info.isSymlink) throw new Error("it is a symlink; name the directory itself");
  if (!info.isDirectory) throw new Error("it is not a directory");
  const open = new SystemFile(path, OPEN.read);
  const { dev, ino, uid, mode } = open.status();
  if (dev !== info.dev || ino !== info.ino) throw new Error("it was replaced while it was checked");
  const fault = ownershipFault({ uid, mode });
  if (fault !== undefined) throw new Error(`${fault} ${quote(path, 4096)}`);
  for (let at = realPath(path); at !== pathRules.parentOf(at);) {
    at = pathRules.parentOf(at);
    const above = Deno.lstatSync(at);
    const bits = above.mode ?? 0;
    const isOpen = (bits & WORLD_WRITABLE) !== 0 && (bits & STICKY) === 0;
    if (!isOpen && isOwn(above)) continue;
    throw new Error(`other users could replace it, because they may write to ${quote(at, 4096)}`);
  }
  return open;
}

/** The value of the write grant that covers a part of the directory, or the way to it. */
function writingFlag(path: string, { all, allow: { write } }: Grants): string | undefined {
  if (all || !Array.isArray(write)) return undefined;
  const real = realPath(path);
  const values: readonly string[] = write;
  return values.find((value) => untrustedStep(path, [value]) !== undefined) ??
    values.find((value) => isInside(value, real));
}

function refuse(info: Pick<Deno.FileInfo, "uid" | "mode" | "isSymlink">): void {
  if (info.isSymlink) throw new Error("it is a symlink");
  const fault = ownershipFault(info);
  if (fault !== undefined) throw new Error(`${fault} it`);
}

/** Why others could write to a file, as far as its owner and its mode tell, and what to do. */
function ownershipFault(info: Pick<Deno.FileInfo, "uid" | "mode">): string | undefined {
  if (!isOwn(info)) return "another user owns it; take ownership of";
  if (((info.mode ?? 0) & WRITABLE_BY_OTHERS) === 0) return undefined;
  return "other users may write to it; run chmod go-w on";
}

function isOwn({ uid }: Pick<Deno.FileInfo, "uid">): boolean {
  return uid === null || uid === 0 || uid === Deno.uid();
}

/** The status of a path, whose last name is not followed. */
function look(path: string): Deno.FileInfo {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound;
    throw new Error(isMissing ? "no such file" : osErrorMessage(error));
  }
}
