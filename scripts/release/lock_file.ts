/** The packages of `deno.lock`, and those of them that the program needs. */
import { fileURLToPath } from "node:url";
import { filesBelow } from "../files_below.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A package in a version. */
export interface LockedPackage {
  /** The registry's scheme. */
  registry: "npm" | "jsr";
  name: string;
  version: string;
  /** The hash of its archive, as `sha512-BASE64`. */
  integrity: string;
}

interface Entry {
  integrity: string;
  dependencies?: string[];
}

interface LockFile {
  specifiers: Record<string, string>;
  npm: Record<string, Entry>;
  jsr?: Record<string, Entry>;
}

/** An import in a source file. An `import type` is not part of the program. */
const IMPORT =
  /^(?:import|export)(?! type)[^;"]*? from "([^"]+)"|(?:^import |\bimport\(\s*)"([^"]+)"/gm;

/** The package of a file whose bytes are loaded. */
const BYTES = /\bloadBytes\(\s*"(npm:(?:@[^/"]+\/)?[^/"]+)/g;

/** The sources of the program. */
const SOURCES = ["main.ts", "worker.ts", "src", "tools"];

/**
 * The packages of the program: those that its sources import, and all their dependencies. The list
 * can contain packages of which the bundler uses nothing.
 */
export function bundledPackages(): LockedPackage[] {
  const lock = readLock();
  const found = new Set<string>();
  const waiting = [...importedSpecifiers()].flatMap((specifier) => entriesOf(lock, specifier));
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (found.has(key)) continue;
    found.add(key);
    const [registry, id] = split(key);
    for (const dependency of lock[registry]?.[id]?.dependencies ?? []) {
      waiting.push(dependencyKey(lock, registry, dependency));
    }
  }
  return [...found].sort().map((key) => {
    const [registry, id] = split(key);
    return { registry, ...nameAndVersion(id), integrity: lock[registry]![id]!.integrity };
  });
}

/** The hash of a package of npm in the lock file. Undefined if the file does not have it. */
export function lockedIntegrity(name: string, version: string): string | undefined {
  return readLock().npm[`${name}@${version}`]?.integrity;
}

/** The version of a package that `deno.json` imports. */
export function importedVersion(name: string): string {
  const [key] = entriesOf(readLock(), specifierOf(name));
  return nameAndVersion(split(key!)[1]).version;
}

function readLock(): LockFile {
  return JSON.parse(Deno.readTextFileSync(`${root}deno.lock`));
}

/** The specifiers in `deno.json` of the packages that the program imports. */
function importedSpecifiers(): Set<string> {
  const specifiers = new Set<string>();
  for (const path of SOURCES.flatMap(filesBelow)) {
    if (!path.endsWith(".ts") || path.endsWith("_test.ts")) continue;
    const text = Deno.readTextFileSync(`${root}${path}`);
    for (const [, before, after] of text.matchAll(IMPORT)) {
      const name = before ?? after!;
      if (!/^[.]|^node:/.test(name)) specifiers.add(specifierOf(name));
    }
    for (const [, specifier] of text.matchAll(BYTES)) specifiers.add(specifier!);
  }
  return specifiers;
}

/** The package of an import, as `npm:NAME@VERSION` or `jsr:NAME@RANGE`. */
function specifierOf(name: string): string {
  const { imports } = JSON.parse(Deno.readTextFileSync(`${root}deno.json`));
  const key = Object.keys(imports)
    .filter((each) => name === each || name.startsWith(each.endsWith("/") ? each : `${each}/`))
    .sort((a, b) => b.length - a.length)[0];
  if (key === undefined) throw new Error(`The import "${name}" is not in deno.json`);
  const [specifier] = /^(npm|jsr):\/?(?:@[^/]+\/)?[^/]+/.exec(imports[key])!;
  return specifier.replace(":/", ":");
}

/** The keys of a specifier. `links` may replace a package of JSR by a local one that uses npm's. */
function entriesOf(lock: LockFile, specifier: string): string[] {
  const [registry] = specifier.split(":", 1) as [LockedPackage["registry"]];
  const version = lock.specifiers[specifier];
  if (version !== undefined) {
    const name = specifier.slice(4, specifier.lastIndexOf("@"));
    return [`${registry}:${name}@${version}`];
  }
  const standIn = Object.keys(lock.npm).find((id) => id.startsWith("deno-std@"));
  if (registry === "jsr" && standIn !== undefined) return [`npm:${standIn}`];
  throw new Error(`The package "${specifier}" is not in deno.lock`);
}

function dependencyKey(lock: LockFile, registry: "npm" | "jsr", dependency: string): string {
  if (registry === "jsr") return entriesOf(lock, dependency)[0]!;
  const all = Object.keys(lock.npm);
  const id = all.find((each) => each === dependency) ??
    all.find((each) => nameAndVersion(each).name === dependency);
  if (id === undefined) throw new Error(`The dependency "${dependency}" is not in deno.lock`);
  return `npm:${id}`;
}

function split(key: string): ["npm" | "jsr", string] {
  return [key.slice(0, 3) as "npm" | "jsr", key.slice(4)];
}

/** Splits `NAME@VERSION_PEERS` into its parts. */
function nameAndVersion(id: string): { name: string; version: string } {
  const bare = id.split("_")[0]!;
  const at = bare.lastIndexOf("@");
  return { name: bare.slice(0, at), version: bare.slice(at + 1) };
}
