import { atomicWrite } from "../../base/fs/atomic_write.ts";
import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import type { PermissionKind } from "../registry/define.ts";
import { flagWith } from "../sandbox/policy/scope.ts";

/** A permission that the user has kept. */
export interface KeptPermission {
  /** Its kind. */
  kind: PermissionKind;
  /** Its value: a real path, a program, a host, … */
  value: string;
}

/** The flag that grants a kept permission. */
export function keptFlag({ kind, value }: KeptPermission): string {
  return flagWith(`--allow-${kind}`, value);
}

/** The kinds of permission that can be kept. */
const KINDS: readonly string[] = ["read", "write", "net", "run", "env", "sys", "mcp"];

/** The largest file that is read, in bytes. */
const MAX_BYTES = 2 ** 20;

/**
 * The permissions that `--prompt` has kept, by the real path of the directory that they count for.
 * They lie in a file of the state directory that only the user can read, and no call can write.
 */
export class KeptPermissions {
  /** The path of the file. */
  readonly path: string;

  /** Takes the state directory. */
  constructor(readonly directory: string) {
    this.path = `${directory}/prompts.json`;
  }

  /** Returns all of them. Throws `unavailable` for a file that somebody else could have written. */
  all(): Map<string, KeptPermission[]> {
    const info = this.#info();
    if (info === undefined) return new Map();
    const { directories } = this.#read(info);
    if (!isObject(directories)) return new Map();
    return new Map(
      Object.entries(directories).map(([directory, kept]) => [
        directory,
        Array.isArray(kept) ? kept.flatMap(permissionOf) : [],
      ]),
    );
  }

  /** Returns those of one directory. */
  of(directory: string): KeptPermission[] {
    return this.all().get(directory) ?? [];
  }

  /** Keeps permissions for a directory. */
  keep(directory: string, permissions: readonly KeptPermission[]): void {
    const all = this.all();
    const kept = all.get(directory) ?? [];
    const added = permissions.filter(({ kind, value }) =>
      !kept.some((each) => each.kind === kind && each.value === value)
    );
    all.set(directory, [...kept, ...added]);
    const text = JSON.stringify({ directories: Object.fromEntries(all) }, null, 2);
    Deno.mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    const owner = { mode: 0o600, uid: Deno.uid(), gid: Deno.gid() };
    const bytes = new TextEncoder().encode(`${text}\n`);
    atomicWrite({ path: this.path, given: this.path, action: "write" }, { bytes, like: owner });
  }

  /** Removes all of them. Returns their number. */
  clear(): number {
    const count = [...this.all().values()].reduce((sum, kept) => sum + kept.length, 0);
    if (this.#info() !== undefined) Deno.removeSync(this.path);
    return count;
  }

  #info(): Deno.FileInfo | undefined {
    try {
      return Deno.lstatSync(this.path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw this.#unusable((error as Error).message);
    }
  }

  #read({ isFile, uid, mode, size }: Deno.FileInfo): Record<string, unknown> {
    if (!isFile) throw this.#unusable("it is not a regular file");
    if (uid !== Deno.uid()) throw this.#unusable("it belongs to another user");
    if (((mode ?? 0) & 0o077) !== 0) throw this.#unusable("other users can read or write it");
    if (size > MAX_BYTES) throw this.#unusable(`it is larger than ${MAX_BYTES} bytes`);
    try {
      const value: unknown = JSON.parse(Deno.readTextFileSync(this.path));
      if (isObject(value)) return value;
    } catch { /* said below */ }
    throw this.#unusable("it is not a JSON object");
  }

  #unusable(why: string): CallError {
    const what = `Cannot use the kept permissions in ${quote(this.path, 4096)}: ${why}`;
    return new CallError("unavailable", `${what}; remove the file, and answer the questions again`);
  }
}

function permissionOf(kept: unknown): KeptPermission[] {
  if (!isObject(kept)) return [];
  const { kind, value } = kept;
  if (typeof kind !== "string" || !KINDS.includes(kind)) return [];
  return typeof value === "string" && value !== "" ? [{ kind: kind as PermissionKind, value }] : [];
}
