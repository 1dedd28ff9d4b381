/**
 * The compiled form of a tool's file: its declaration, its code and its validator. It is kept by the
 * content of the file, in the program's cache directory, which no call can write.
 */

import { lookupTable } from "../../base/lookup_table.ts";
import { isObject } from "../../base/json/is_object.ts";
import { readRegularText } from "../../base/fs/system_file.ts";
import { version } from "../../base/version.ts";
import type { ToolMetadata } from "../registry/registered_tool.ts";
import type { Validator } from "../registry/validator.ts";
import { cacheDirectories } from "../sandbox/policy/own_paths.ts";
import type { ToolFault } from "./fault.ts";

/** The version of the form of the kept files. */
const FORM = 3;

/** The largest kept file, in bytes. */
const MAX_BYTES = 2 ** 25;

/** A file is removed this long after it was written, in milliseconds. It is written again if needed. */
const KEPT_MS = 60 * 24 * 60 * 60 * 1000;

/** A tool that is ready to be called. */
export interface CompiledTool {
  /** The declaration. */
  metadata: ToolMetadata;
  /** The time limit, if it declares one. The tool computes it for each call if it is a function. */
  timeoutMs?: number | "computed";
  /** Whether it has rules besides its schema. */
  hasRules?: true;
  /** The URL with the code. */
  url: string;
  /** The code of the validator of its arguments. */
  validator: string;
}

/** The compiled form of a file: its tool, or its errors. */
export type ToolRecord =
  & {
    /** The hash of each file that it imports, by the path in the directory. */
    imports: Readonly<Record<string, string>>;
  }
  & ({ tool: CompiledTool } | FaultyTool);

/** A file without a usable tool. */
export interface FaultyTool {
  /** The errors. */
  faults: readonly ToolFault[];
  /** The name that its tool probably has. */
  name?: string;
  /** Whether the next call of the tool looks again, or every call. By default, the file decides. */
  retry?: "call" | "always";
}

/** The key of a record: a hash of the file's place and text. */
export async function recordKey(directory: string, file: string, text: string): Promise<string> {
  return await hashOf(JSON.stringify([FORM, version, directory, file, text]));
}

/** The SHA-256 of a string, in hexadecimal digits. */
export async function hashOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(hash).toHex();
}

/** Reads what was kept under a name. Returns `undefined` without a file of this user. */
export function readKept(name: string): unknown {
  for (const directory of keptDirectories()) {
    try {
      if (!isPrivate(Deno.lstatSync(directory))) continue;
      const path = `${directory}/${name}.json`;
      if (!isPrivate(Deno.lstatSync(path))) continue;
      const kept: unknown = JSON.parse(readRegularText(path, MAX_BYTES));
      if (isObject(kept) && kept["form"] === FORM) return kept["value"];
    } catch { /* It is missing, or was not written whole. */ }
  }
  return undefined;
}

/** Keeps a value under a name. Without a usable directory nothing is kept. */
export async function writeKept(name: string, value: unknown): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify({ form: FORM, value }));
  if (bytes.length > MAX_BYTES) return;
  const { atomicWrite } = await import("../../base/fs/atomic_write.ts");
  for (const directory of keptDirectories()) {
    try {
      Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
      const like = Deno.lstatSync(directory);
      if (!isPrivate(like)) continue;
      const path = `${directory}/${name}.json`;
      atomicWrite({ path, given: path, action: "write" }, {
        bytes,
        like: { ...like, mode: 0o600 },
      });
      return;
    } catch { /* The next directory may be usable. */ }
  }
}

/** Removes the kept files that were written long ago. */
export function removeOldRecords(): void {
  for (const directory of keptDirectories()) {
    try {
      for (const { name } of Deno.readDirSync(directory)) {
        const path = `${directory}/${name}`;
        const { mtime } = Deno.lstatSync(path);
        if (Date.now() - (mtime?.getTime() ?? 0) > KEPT_MS) Deno.removeSync(path);
      }
    } catch { /* It is missing, or another process removes them too. */ }
  }
}

function keptDirectories(): string[] {
  return cacheDirectories().map((directory) => `${directory}/tools`);
}

/** Whether only this user and root can write to a file or directory, which is no symlink. */
function isPrivate({ uid, mode, isSymlink }: Pick<Deno.FileInfo, "uid" | "mode" | "isSymlink">) {
  return !isSymlink && (uid === null || uid === Deno.uid()) && ((mode ?? 0) & 0o022) === 0;
}

/** The parts of ajv that the code of validators requires, by the last name of their modules. */
const PARTS = lookupTable<unknown>({
  ucs2length: (text: string) => [...text].length,
  equal: (a: unknown, b: unknown) => canonical(a) === canonical(b),
});

/** The validator of a compiled tool: its code is that of ajv, without imports. */
export function loadValidator(code: string): Validator {
  const module: { exports: unknown } = { exports: {} };
  const require = (name: string) => ({ default: PARTS[name.replace(/^.*\//, "")] });
  new Function("require", "module", "exports", code)(require, module, module.exports);
  return module.exports as Validator;
}

/** The JSON text of a value with sorted keys, so that equal values have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, inner) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1))
        : inner,
  );
}
