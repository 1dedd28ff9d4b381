/** The test files of the checkout, and what each one says about itself. */
import { filesBelow, readText } from "../files_below.ts";

/**
 * When a file of tests runs: `first` is what every change runs, and needs no Debian package;
 * `machine` needs programs of the machine, or takes long.
 */
export type Tier = "first" | "machine";

/** The line by which a file leaves the first tier. It is one of the first lines of the file. */
const TIER = /^\/\/ tier: (.*)$/m;

/** The tier line is looked for in so many characters. */
const HEAD_LENGTH = 4_000;

/**
 * The test files at or below `paths`, which are files or directories relative to the checkout. The
 * sources of `src/` count as one, because their examples run together. Throws an `Error` when a path
 * does not exist or holds no tests.
 */
export function testFiles(paths: readonly string[]): string[] {
  const found = paths.flatMap((path) => {
    if (path === "src" || path.startsWith("src/")) return [path];
    const files = filesBelow(path.replace(/\/+$/, "")).filter((file) => file.endsWith("_test.ts"));
    if (files.length === 0) throw new Error(`No tests in "${path}"; expected a file *_test.ts`);
    return files;
  });
  return [...new Set(found)];
}

/** Every test file of a tier. The examples of `src/` are of the first. */
export function filesOfTier(tier: Tier): string[] {
  return testFiles(["tests", "src"]).filter((file) => tierOf(file) === tier);
}

/** The tier of a test file. Throws an `Error` when the file names a tier that does not exist. */
export function tierOf(file: string): Tier {
  if (!file.endsWith("_test.ts")) return "first";
  const tier = TIER.exec(readText(file).slice(0, HEAD_LENGTH))?.[1];
  if (tier === undefined || tier === "machine") return tier ?? "first";
  throw new Error(`${file}: unknown tier "${tier}"; the only one to name is "machine"`);
}

/** Whether a test file may start `dist/toolcall`. Those of `tests/unit` and `src` never do. */
export function needsBuild(file: string): boolean {
  return !/^(tests\/unit\/|src(\/|$))/.test(file);
}
