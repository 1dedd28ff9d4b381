/** Chooses the test files that a change can break. */
import { readText } from "../files_below.ts";
import { git } from "./git.ts";
import { allImportersOf, importersOf } from "./module_imports.ts";

const root = new URL("../../", import.meta.url);

/** A chosen test file, and why it was chosen. */
export interface Choice {
  file: string;
  reason: string;
}

/** The files that changed, and the tests that they can break. */
export interface Changed {
  /** The two states that were compared, for a reader. */
  compared: string;
  files: string[];
  choices: Choice[];
}

/** Where the tests of a source are: the first part of its path, and what replaces it. */
const MIRRORS: readonly (readonly [from: string, to: string])[] = [
  ["src/runner/mcp/", "tests/mcp/"],
  ["src/runner/sandbox/", "tests/sandbox/"],
  ["src/", "tests/executable/"],
  ["src/", "tests/unit/"],
  ["tools/", "tests/executable/tools/"],
  ["tools/", "tests/unit/tools/"],
  ["scripts/", "tests/executable/scripts/"],
  ["scripts/", "tests/unit/scripts/"],
];

/** Tests that do not mirror what they test: the beginning of a path, and theirs. */
const ELSEWHERE: readonly (readonly [from: string, to: readonly string[]])[] = [
  ["src/base/", ["tests/executable/start_test.ts"]],
  ["src/runner/", ["tests/executable/start_test.ts"]],
  ["src/runner/patches/", ["tests/executable/tools/apply_patch"]],
  ["src/runner/sandbox/", ["tests/sandbox/"]],
  ["src/runner/shell/", ["tests/executable/tools/session_"]],
  ["main.ts", ["tests/executable/start_test.ts"]],
];

/** A source that is part of at most so many tools also chooses the tests of these tools. */
const MAX_TOOLS = 6;

/** These change what every test runs with. */
const EVERYTHING = /^(deno\.(json|lock)|links\/.*|scripts\/test(ing\/.*)?\.ts)$/;

/**
 * The files that changed since `revision`, which is anything that `git diff` compares, such as
 * `main` or `v1..v2`, and those of `tests` that the change can break. Without a revision: what is
 * not committed, or the last commit when there is no such change. Throws an `Error` when git does
 * not know the revision.
 */
export function findChanged(revision: string | undefined, tests: readonly string[]): Changed {
  const untracked = git("ls-files", "--others", "--exclude-standard");
  const open = [...filesChangedSince("HEAD"), ...untracked];
  const base = revision ?? (open.length > 0 ? "HEAD" : "HEAD~1");
  const isRange = base.includes("..");
  const files = [...filesChangedSince(base), ...isRange ? [] : untracked];
  return {
    compared: isRange ? base : `the working tree with ${base}`,
    files,
    choices: chooseTests(files, tests),
  };
}

/**
 * The files that `git diff` names for a revision or a range. Throws an `Error` when git does not know
 * it.
 */
export function filesChangedSince(revision: string): string[] {
  // A revision may not become an option of git, or a path.
  return git("diff", "--name-only", "--end-of-options", revision, "--");
}

/** The files of `tests` that a change of `changed` can break, each with the first reason found. */
export function chooseTests(changed: readonly string[], tests: readonly string[]): Choice[] {
  const paths = git(
    "ls-files",
    "--cached",
    "--others",
    "--exclude-standard",
    "src",
    "tools",
    "tests",
  )
    .concat(git("ls-files", "scripts", "*.ts", "*.json"))
    .filter((path) => exists(path));
  const importers = importersOf([...new Set(paths)]);
  const chosen = new Map<string, string>();
  const choose = (isChosen: (test: string) => boolean, reason: string) => {
    for (const test of tests) if (!chosen.has(test) && isChosen(test)) chosen.set(test, reason);
  };
  for (const file of changed) {
    if (EVERYTHING.test(file)) choose(() => true, `${file} concerns all tests`);
    const source = file.replace("tools/_generated/", "tools/");
    const users = isModule(source)
      ? allImportersOf(source, importers)
      : readersOf(source, paths, importers);
    choose((test) => test === source, "it changed");
    // A test of the executable imports much of src/ only for its constants.
    const isOwn = (test: string) =>
      !isModule(source) || source.startsWith("tests/") || test.startsWith("tests/unit/");
    choose((test) => isOwn(test) && users.has(test), `it uses ${source}`);
    if (!isModule(source)) continue;
    const tools = [...users].filter((path) => /^tools\/\w+\.ts$/.test(path) && path !== source);
    for (const each of [source, ...tools.length <= MAX_TOOLS ? tools : []]) {
      const mirrors = mirrorsOf(each, tests);
      choose((test) => mirrors.includes(test), `it mirrors ${each}`);
    }
    for (const [from, to] of ELSEWHERE) {
      if (!source.startsWith(from)) continue;
      choose((test) => to.some((each) => test.startsWith(each)), `the table has it for ${from}`);
    }
    if (source.startsWith("src/")) choose((test) => test === "src", `${source} may have examples`);
  }
  return [...chosen].map(([file, reason]) => ({ file, reason }));
}

/** The tests of the nearest mirrored directory, in each tree; of a tool those with its name. */
function mirrorsOf(source: string, tests: readonly string[]): string[] {
  return MIRRORS.filter(([from]) => source.startsWith(from)).flatMap(([from, to]) => {
    const path = `${to}${source.slice(from.length)}`.replace(/\.\w+$/, "");
    if (from === "tools/") return tests.filter((test) => test.startsWith(path));
    const depth = to.split("/").length;
    for (
      let parts = path.split("/").slice(0, -1);
      parts.length >= depth;
      parts = parts.slice(0, -1)
    ) {
      const found = tests.filter((test) => test.replace(/\/[^/]+$/, "") === parts.join("/"));
      if (found.length > 0) return found;
    }
    return [];
  });
}

/** The modules of the tests that name a file which is no module, or its directory. */
function readersOf(
  path: string,
  paths: readonly string[],
  importers: ReadonlyMap<string, ReadonlySet<string>>,
): Set<string> {
  const directory = path.replace(/\/?[^/]+$/, "");
  const names = [
    path.slice(path.lastIndexOf("/") + 1),
    ...directory.includes("/") ? [directory.split("/").slice(-2).join("/")] : [],
    ...directory === "" || directory.includes("/") ? [] : [`"${directory}"`, `/${directory}`],
  ];
  const readers = paths.filter((each) =>
    each.startsWith("tests/") && isModule(each) &&
    names.some((name) => readText(each).includes(name))
  );
  return new Set(readers.flatMap((each) => [...allImportersOf(each, importers)]));
}

function isModule(path: string): boolean {
  return /\.(tsx?|js)$/.test(path) && !path.startsWith("tests/fixtures/");
}

function exists(path: string): boolean {
  try {
    return Deno.lstatSync(new URL(path, root)).isFile;
  } catch {
    return false;
  }
}
