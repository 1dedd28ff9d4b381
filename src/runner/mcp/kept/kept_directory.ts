import { delay } from "@std/async/delay";
import { lockIfAny } from "../../../base/error_code.ts";
import { CallError } from "../../../base/errors.ts";
import { tryReadText } from "../../../base/fs/system_file.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { quote } from "../../../base/text/quote.ts";
import { keptDirectory } from "../../sandbox/policy/closed_paths.ts";
import { realPath } from "../../sandbox/policy/paths.ts";
import { stateDirectory } from "../../state/state_directory.ts";

/** The longest path of a socket, in bytes (unix(7)). */
const MAX_ADDRESS_BYTES = 107;
/** The largest record, in bytes. */
const MAX_RECORD_BYTES = 65_536;
/** The pause between two tries to take the lock, in milliseconds. */
const PAUSE_MS = 5;

/** The facts about a kept server that are known before its keeper answers. */
export interface KeptRecord {
  /** `shell` for the shell of a session, which is no MCP server. */
  kind?: "shell";
  /** The name of the server, or of the session of a shell. */
  server: string;
  /** The configuration file. */
  file: string;
  /** The process that keeps it. */
  pid: number;
  /** The start time of that process. */
  born: string;
  /** When the server was started, in milliseconds of the epoch. */
  startedAt: number;
  /** The name of its socket, which no other record has: a closed listener removes its own. */
  socket: string;
  /** The secret that both sides of a connection prove to know. */
  secret: string;
}

/**
 * The directory of the kept servers of a user, `servers` in the state directory. Each server has a
 * socket and a record there. No call reaches it, because the state directory is out of reach of
 * tools and of sandboxed programs.
 */
export class KeptDirectory {
  private constructor(readonly path: string) {}

  /**
   * Opens the directory, and creates it if `create` is true. Returns `undefined` if it is missing.
   * Throws `unavailable` if another user could change it or a directory above it.
   */
  static open(
    stateDir: string | undefined,
    { create }: { create: boolean },
  ): KeptDirectory | undefined {
    const given = keptDirectory(stateDirectory(stateDir));
    try {
      if (create) Deno.mkdirSync(given, { recursive: true, mode: 0o700 });
      // A symlink in place of this directory is refused. One above it is the user's own.
      if (Deno.lstatSync(given).isSymlink) throw new Error("it is a symlink");
      const path = realPath(given);
      refuseForeign(path);
      return new KeptDirectory(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound && !create) return undefined;
      const why = `${osErrorMessage(error)}; choose another directory with --state-dir=DIR`;
      throw new CallError("unavailable", `Cannot keep servers in ${quote(given, 4096)}: ${why}`);
    }
  }

  /**
   * Calls `work` with the lock of a server, which is needed to connect to it, to start it and to
   * remove its files. `isLocked` is false if others have the lock for `waitMs` milliseconds, or until
   * `signal`.
   */
  async withLock<T>(
    slot: string,
    { waitMs = Infinity, signal }: { waitMs?: number; signal?: AbortSignal },
    work: (isLocked: boolean) => Promise<T> | T,
  ): Promise<T> {
    // Lock files are never removed, because a process may wait for the lock of a removed one. So
    // servers share 256 of them.
    const path = `${this.path}/${slot.slice(0, 2)}.lock`;
    // A variable of `using` that is read once loses its disposal when the bundle is minified.
    const file = Deno.openSync(path, { create: true, write: true, mode: 0o600 });
    try {
      const end = performance.now() + waitMs;
      let isLocked = false;
      while (!(isLocked = lockIfAny(() => file.tryLockSync(true)) !== false)) {
        if (performance.now() >= end || signal?.aborted) break;
        await delay(PAUSE_MS);
      }
      return await work(isLocked);
    } finally {
      file.close();
    }
  }

  /** The names of all records. */
  slots(): string[] {
    const names = [...Deno.readDirSync(this.path)].map(({ name }) => name);
    return names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5)).sort();
  }

  /** The record of that name, if it is a private file of the user and complete. */
  read(slot: string): KeptRecord | undefined {
    const path = this.#record(slot);
    try {
      const { isFile, uid, mode } = Deno.lstatSync(path);
      if (!isFile || uid !== Deno.uid() || ((mode ?? 0) & 0o077) !== 0) return undefined;
      const record: unknown = JSON.parse(tryReadText(path, MAX_RECORD_BYTES) ?? "");
      return isRecord(record) ? record : undefined;
    } catch {
      return undefined;
    }
  }

  /** Writes a record. Its socket must listen already. Throws the system's error. */
  write(slot: string, record: KeptRecord): void {
    const bytes = new TextEncoder().encode(JSON.stringify(record));
    Deno.writeFileSync(this.#record(slot), bytes, { createNew: true, mode: 0o600 });
  }

  /**
   * Removes the files of a server. With `record` they are removed only if they are of that record,
   * and not of a server that was started since. Never throws.
   */
  remove(slot: string, record?: KeptRecord): void {
    if (record !== undefined && this.read(slot)?.secret !== record.secret) return;
    const sockets = [...Deno.readDirSync(this.path)].map(({ name }) => name)
      .filter((name) => name.startsWith(`${slot}-`));
    for (const path of [this.#record(slot), ...sockets.map((name) => `${this.path}/${name}`)]) {
      try {
        Deno.removeSync(path);
      } catch { /* It is removed already. */ }
    }
  }

  /** Calls `use` with the address of a socket. A long path is shortened by an open directory. */
  async withAddress<T>(socket: string, use: (path: string) => Promise<T> | T): Promise<T> {
    const path = `${this.path}/${socket}`;
    if (new TextEncoder().encode(path).length <= MAX_ADDRESS_BYTES) return await use(path);
    const open = Deno.openSync(this.path);
    try {
      const descriptors = [...Deno.readDirSync("/proc/self/fd")].map(({ name }) => name);
      const own = descriptors.find((name) => linkOf(`/proc/self/fd/${name}`) === this.path);
      if (own === undefined) throw new Error("the path of the state directory is too long");
      return await use(`/proc/self/fd/${own}/${socket}`);
    } finally {
      open.close();
    }
  }

  #record(slot: string): string {
    return `${this.path}/${slot}.json`;
  }
}

/**
 * Throws unless only the user can enter the directory, and only the user and root can replace it or
 * a directory above it.
 */
function refuseForeign(path: string): void {
  const { uid, mode } = Deno.lstatSync(path);
  if (uid !== Deno.uid()) throw new Error("it belongs to another user");
  if (((mode ?? 0) & 0o077) !== 0) throw new Error("others may enter it; set its mode to 0700");
  for (let at = path; at !== "/";) {
    at = at.slice(0, at.lastIndexOf("/")) || "/";
    const { uid, mode } = Deno.lstatSync(at);
    const isSticky = ((mode ?? 0) & 0o1000) !== 0;
    if (uid !== Deno.uid() && uid !== 0) {
      throw new Error(`${quote(at, 4096)} belongs to another user`);
    }
    if (((mode ?? 0) & 0o002) !== 0 && !isSticky) {
      throw new Error(`everybody may write ${quote(at, 4096)}`);
    }
  }
}

function linkOf(path: string): string | undefined {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is KeptRecord {
  if (!isObject(value)) return false;
  const texts = [value["server"], value["file"], value["born"], value["secret"]];
  if (!/^[0-9a-f]+-[0-9a-f]+\.sock$/.test(String(value["socket"]))) return false;
  const numbers = [value["pid"], value["startedAt"]];
  return texts.every((each) => typeof each === "string") &&
    numbers.every((each) => Number.isSafeInteger(each) && (each as number) > 0);
}
