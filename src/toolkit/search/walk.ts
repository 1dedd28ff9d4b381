import { Yielder } from "../../base/async/yielder.ts";
import type { IgnoreRules, Verdict } from "./ignore_rules.ts";
import { IgnoreTree } from "./ignore_tree.ts";
import { compareNames } from "./paths.ts";
import { NOT_GRANTED, reasonOf, type Skipped } from "./skipped.ts";

/** A file or symlink that a walk has come to. */
export interface Found {
  /** Its path below the root's real path, not resolved further. */
  path: string;
  /** The same, relative to the root. */
  relative: string;
  /** Whether it is a symlink; what it points to is not looked at. */
  isSymlink: boolean;
  /** Whether rules leave it out; only with `tellIgnored`. */
  isIgnored: boolean;
}

/** What to walk and what to leave out. */
export interface WalkOptions {
  /** A folder's real path. */
  root: string;
  /** The call's signal; the walk throws its reason. */
  signal: AbortSignal;
  /** Whether the flags let the call read a path. */
  mayRead(path: string): boolean;
  /** The folders above the root that hold a repository, where the flags hide it. */
  repositories: readonly string[];
  /** What could not be looked into, by its path relative to the root. */
  skipped: Pick<Skipped, "add">;
  /** What the globs of the caller say of a path; stronger than every other rule. */
  choose?(path: string, isFolder: boolean): Verdict;
  /** What the caller's file types say of a file; weaker than the ignore rules. */
  chooseType?(name: string): Verdict;
  /** Whether hidden entries are gone through like others. */
  hidden?: boolean;
  /** Names that are left out at every depth; stronger than every other rule. */
  leaveOut?: ReadonlySet<string>;
  /** Whether ignore files of git count outside repositories too, from the root downwards. */
  gitRulesAnywhere?: boolean;
  /** Whether files that rules leave out are yielded too, marked. */
  tellIgnored?: boolean;
  /** Is told of each folder that ignore rules leave out, by its path relative to the root. */
  passBy?(relative: string): void;
  /** Whether to go into a folder at all, by its path relative to the root. */
  enter?(relative: string): boolean;
  /**
   * Whether an entry is named outright, by its path relative to the root. Then
   * rules that leave it or all that it holds out do not count, nor others below it.
   */
  exempt?(relative: string): boolean;
}

interface Level {
  folder: string;
  relative: string;
  entries: Deno.DirEntry[];
  next: number;
  rules: IgnoreTree;
  /** Whether ignore rules do not hold here. */
  isFree: boolean;
}

/**
 * Goes through a folder depth first, names in byte order, and yields files and
 * symlinks. Leaves out what ripgrep leaves out: hidden entries and what ignore
 * rules say. Symlinks are never followed; pipes, sockets and devices never
 * yielded. What cannot be read goes to `skipped`.
 */
export async function* walk(options: WalkOptions): AsyncGenerator<Found> {
  const yielder = new Yielder(options.signal);
  const stack: Level[] = [];
  enter(options, stack, { folder: options.root, relative: "", isFree: false });
  while (stack.length > 0) {
    if (yielder.isDue) await yielder.yield();
    const level = stack.at(-1)!;
    const entry = level.entries[level.next++];
    if (entry === undefined) {
      stack.pop();
      continue;
    }
    const path = below(level.folder, entry.name);
    const relative = level.relative === "" ? entry.name : `${level.relative}/${entry.name}`;
    const isIgnored = isLeftOut(options, level, { entry, path, relative });
    if (entry.isDirectory) {
      if (isIgnored) {
        if (!options.leaveOut?.has(entry.name)) options.passBy?.(relative);
      } else if (options.enter?.(relative) ?? true) {
        const isFree = level.isFree || isNamedOut(options, level.rules, { path, relative });
        enter(options, stack, { folder: path, relative, isFree });
      }
    } else if ((entry.isFile || entry.isSymlink) && (!isIgnored || options.tellIgnored)) {
      if (options.mayRead(path)) {
        yield { path, relative, isSymlink: entry.isSymlink, isIgnored };
      } else if (!isIgnored) options.skipped.add(relative, NOT_GRANTED);
    }
  }
}

/** The path of an entry of a folder. */
export function below(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

function enter(
  options: WalkOptions,
  stack: Level[],
  place: { folder: string; relative: string; isFree: boolean },
): void {
  const { folder, relative, isFree } = place;
  if (!options.mayRead(folder)) {
    options.skipped.add(relative || folder, NOT_GRANTED);
    return;
  }
  try {
    const entries = [...Deno.readDirSync(folder)];
    entries.sort((a, b) => compareNames(a.name, b.name));
    const above = stack.at(-1)?.rules ?? IgnoreTree.above(folder, options.repositories);
    const rules = IgnoreTree.of(folder, new Set(entries.map((entry) => entry.name)), above);
    stack.push({ folder, relative, entries, next: 0, rules, isFree });
  } catch (error) {
    options.skipped.add(relative || folder, reasonOf(error, folder));
  }
}

/** ripgrep's order: the caller's globs, ignore rules, types, and last the dot of hidden names. */
function isLeftOut(
  options: WalkOptions,
  level: Level,
  found: { entry: Deno.DirEntry; path: string; relative: string },
): boolean {
  const { entry, path, relative } = found;
  const isFolder = entry.isDirectory;
  if (options.leaveOut?.has(entry.name)) return true;
  const chosen = options.choose?.(path, isFolder);
  if (chosen !== undefined) return chosen === "ignore";
  const ruled = level.isFree ? undefined : verdict(options, level.rules, { path, isFolder });
  if (ruled === "ignore") return !(options.exempt?.(relative) ?? false);
  const typed = isFolder ? undefined : options.chooseType?.(entry.name);
  if (typed === "ignore") return true;
  if (options.hidden || ruled === "take" || typed === "take") return false;
  return entry.name.startsWith(".");
}

function verdict(
  options: WalkOptions,
  rules: IgnoreTree,
  entry: { path: string; isFolder: boolean },
): Verdict {
  return rules.verdict(
    entry.path,
    entry.isFolder,
    options.gitRulesAnywhere ? options.root : undefined,
  );
}

/** Whether rules leave out a folder that is named outright, or whatever it may hold. */
function isNamedOut(
  options: WalkOptions,
  rules: IgnoreTree,
  folder: { path: string; relative: string },
): boolean {
  if (!options.exempt?.(folder.relative)) return false;
  const something = below(folder.path, "\uFFFD");
  return verdict(options, rules, { path: folder.path, isFolder: true }) === "ignore" ||
    verdict(options, rules, { path: something, isFolder: false }) === "ignore";
}

/** Makes `choose` of WalkOptions from rules that name what to take, relative to `base`. */
export function chooserOf(rules: IgnoreRules, base: string): NonNullable<WalkOptions["choose"]> {
  const prefix = base.endsWith("/") ? base : base + "/";
  return (path, isFolder) => {
    const relative = path.startsWith(prefix) ? path.slice(prefix.length) : path;
    const verdict = rules.verdict(relative, isFolder);
    // A glob names what to take; with "!" what to leave out.
    if (verdict !== undefined) return verdict === "ignore" ? "take" : "ignore";
    return rules.leavesOut && !isFolder ? "ignore" : undefined;
  };
}
