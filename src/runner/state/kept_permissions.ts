import { isObject } from "../../base/json/is_object.ts";
import type { PermissionKind } from "../registry/define.ts";
import { flagWith } from "../sandbox/policy/scope.ts";
import { PrivateJson } from "./private_json.ts";

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

/** The permissions that `--prompt` has kept, by the real path of the directory that they count for. */
export class KeptPermissions {
  readonly #file: PrivateJson;

  /** Takes the state directory. */
  constructor(directory: string) {
    this.#file = new PrivateJson(directory, "prompts.json", {
      purpose: "the kept permissions",
      advice: "remove the file, and answer the questions again",
    });
  }

  /** The path of the file. */
  get path(): string {
    return this.#file.path;
  }

  /** Returns all of them. Throws `unavailable` for a file that somebody else could have written. */
  all(): Map<string, KeptPermission[]> {
    const directories = this.#file.read()?.["directories"];
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
    this.#file.write({ directories: Object.fromEntries(all) });
  }

  /** Removes all of them. Returns their number. */
  clear(): number {
    const count = [...this.all().values()].reduce((sum, kept) => sum + kept.length, 0);
    this.#file.remove();
    return count;
  }
}

function permissionOf(kept: unknown): KeptPermission[] {
  if (!isObject(kept)) return [];
  const { kind, value } = kept;
  if (typeof kind !== "string" || !KINDS.includes(kind)) return [];
  return typeof value === "string" && value !== "" ? [{ kind: kind as PermissionKind, value }] : [];
}
