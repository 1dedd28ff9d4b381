/** Checks everything that must be right before a change lands. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";
import { buildFault } from "./build_fault.ts";
import { findChanged } from "./testing/changed_tests.ts";
import { build, checks, runSteps, type Step } from "./testing/checks.ts";
import { orderByChange } from "./testing/order.ts";
import { duration, Progress, say } from "./testing/progress.ts";
import { runFiles } from "./testing/run_files.ts";
import { filesOfTier, needsBuild, testFiles } from "./testing/test_files.ts";
import { readSeconds, slowestFirst } from "./testing/test_seconds.ts";

const HELP = `Usage: deno task test [--changed[=REV]] [FILE or DIRECTORY …]

The tests have two tiers. The third command runs all of them:

  deno task test           the first tier: the checks, and the tests that need only Node and git
  deno task test:machine   attacks, faults, browsers, other programs and packages; they use programs
                           of Debian, and skip what needs a missing one
  deno task test:full      the checks and all tests, with all attempts; otherwise a race makes a tenth

The checks are: generated files and pages, the picture of a call, format, lint, types and doc comments.
The executable is built first if the tests need it and it is older than the sources.

  deno task test --changed                       what the changes since the last commit can break
  deno task test --changed=main                  what differs from main can break
  deno task test tests/unit/tools                the tests at or below a path, of every tier
  deno task test:unit                            the tests in tests/unit, which need no build

A line "// tier: machine" in a test file moves it out of the first tier.

  --minutes=N     start no test file later than N minutes after the start; say which are left out
  --first=REV     begin with the files that a change since REV can break
  --help          this help`;

const root = fileURLToPath(new URL("../", import.meta.url));
const options = readOptions(Deno.args);
const files = filesToTest();

const isStale = files.some(needsBuild) && buildFault(root) !== undefined;
const hasChecks = options.paths.length === 0 && options.tier !== "machine";
const steps = [...(isStale ? [build] : []), ...(hasChecks ? checks : [])];
if (!await passes(steps)) Deno.exit(1);
const { passed, failed, skipped } = await runFiles(files, options);
say(`Ran ${files.length} test files in ${duration(performance.now())}`);
say(`${passed} passed, ${failed} failed, ${skipped} skipped`);
// A change can concern no test. Any other run without a test that passed has checked nothing.
if (failed > 0 || passed === 0 && options.changed === undefined) Deno.exit(1);

interface Options {
  tier: "first" | "machine" | "all";
  isFull: boolean;
  paths: string[];
  /** The revision of `--changed`; empty without one. */
  changed: string | undefined;
  minutes: number;
  first: string | undefined;
}

function readOptions(args: string[]): Options {
  // Only a value after "=" belongs to --changed, so that a path may follow it.
  const parsed = parseArgs(args.map((arg) => arg === "--changed" ? "--changed=" : arg), {
    boolean: ["help", "full"],
    alias: { help: "h" },
    string: ["_", "tier", "changed", "minutes", "first"],
    unknown: (arg, key) => {
      if (key !== undefined) fail(`Unknown flag "${arg}"\n\n${HELP}`);
    },
  });
  if (parsed.help) {
    say(HELP);
    Deno.exit(0);
  }
  const { tier = "first", minutes = "Infinity", full: isFull } = parsed;
  if (tier !== "first" && tier !== "machine" && tier !== "all") fail(`Unknown tier "${tier}"`);
  if (!(Number(minutes) > 0)) fail(`--minutes=${minutes}: expected a number above 0`);
  const { changed, first, _: paths } = parsed;
  return { tier, isFull, paths: paths.map(String), changed, minutes: Number(minutes), first };
}

/** The test files of this run, in the order in which they start. */
function filesToTest(): string[] {
  try {
    const { tier, paths, changed, first } = options;
    const all = paths.length > 0
      ? testFiles(paths)
      : tier === "all"
      ? testFiles(["tests", "src"])
      : filesOfTier(tier);
    if (first !== undefined) return orderByChange(all, first);
    return slowestFirst(changed === undefined ? all : changedOf(all, changed), readSeconds());
  } catch (error) {
    fail((error as Error).message);
  }
}

/** Those of `all` that a change can break. Prints which, and why. */
function changedOf(all: readonly string[], revision: string): string[] {
  const { compared, files, choices } = findChanged(revision === "" ? undefined : revision, all);
  say(`Compared ${compared}: ${files.length} files changed`);
  const reasons = Map.groupBy(choices, ({ reason }) => reason);
  for (const [reason, of] of reasons) {
    say(`  ${reason}: ${of.map(({ file }) => file).join(" ")}`);
  }
  say(`Chosen: ${choices.length} of ${all.length} test files`);
  return choices.map(({ file }) => file);
}

/** Runs checks and prints a line for each one; whether all of them passed. */
async function passes(steps: readonly Step[]): Promise<boolean> {
  using progress = new Progress(new Map(steps.map(({ name }) => [name, 1])));
  return await runSteps(steps, {
    onStart: (name) => progress.start(name),
    onEnd: (name, fault, seconds) => {
      const line = `${fault === undefined ? "ok" : "not ok"}: ${name} (${seconds.toFixed(1)} s)`;
      progress.end(name, fault === undefined ? line : `${fault}\n${line}`, { isNotable: true });
    },
  });
}

function fail(message: string): never {
  say(message);
  Deno.exit(1);
}
