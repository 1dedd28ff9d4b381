/** Checks everything that must be right before a change lands; the fastest checks come first. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";
import { buildFault } from "./build_fault.ts";
import { filesBelow } from "./files_below.ts";
import { needsBuild, runTests, testFiles } from "./run_tests.ts";

const HELP = `Usage: deno task test [FILE or DIRECTORY …]

Without arguments: check the generated files and pages, the picture of a call, the format, lint, types and
documentation, build the executable, and run every test. With arguments: run only those tests. The
executable is built first if they need it and it is older than the sources.

  deno task test                                 everything; races make a tenth of their attempts
  deno task test:full                            everything, with all attempts
  deno task test:unit                            the tests in tests/unit, which need no build
  deno task test tests/unit/tools                the tests below a directory
  deno task test tests/unit/tools/read_test.ts   the tests of a file
  deno task test --help                          this help`;

const root = new URL("../", import.meta.url);
const sources = ["main.ts", "worker.ts", "library_worker.ts", "src", "tools", "scripts", "tests"];

const { help, full, _: names } = parseArgs(Deno.args, {
  boolean: ["help", "full"],
  alias: { help: "h" },
  string: ["_"],
  unknown: (arg, key) => {
    if (key !== undefined) fail(`Unknown flag "${arg}"\n\n${HELP}`);
  },
});
if (help) {
  say(HELP);
  Deno.exit(0);
}

const checks: [name: string, run: () => Promise<boolean>][] = [
  ["generated files", () => deno("run", "-A", "scripts/generate.ts", "--check")],
  ["pages", () => deno("run", "-A", "scripts/write_pages.ts", "--check")],
  ["picture", () => deno("run", "-A", "scripts/draw_call.ts", "--check")],
  ["format", () => deno("fmt", "--check", "--quiet")],
  ["lint", () => deno("lint", "--quiet")],
  ["types", () => deno("check", "--quiet", ...sources)],
  ["documentation", documented],
];
const files = filesToTest();
const build: typeof checks[number] = ["build", () => deno("run", "-A", "scripts/build.ts")];
const isStale = files.some(needsBuild) && buildFault(fileURLToPath(root)) !== undefined;
const steps: typeof checks = [
  ...(names.length === 0 ? [...checks, build] : isStale ? [build] : []),
  ["tests", tests],
];

for (const [name, run] of steps) {
  const start = performance.now();
  if (!await run()) fail(`not ok: ${name}`);
  say(`ok: ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
}

async function deno(...args: string[]): Promise<boolean> {
  const child = new Deno.Command(Deno.execPath(), { args, cwd: root, stdin: "null" }).spawn();
  return (await child.status).success;
}

/** Every exported symbol of `src/` has a doc comment. Types of packages are not ours to document. */
async function documented(): Promise<boolean> {
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--lint", ...filesBelow("src").filter((path) => path.endsWith(".ts"))],
    cwd: root,
    env: { NO_COLOR: "1" },
    stderr: "piped",
  }).output();
  const faults = new TextDecoder().decode(stderr).split(/\n(?=error\[)/)
    .filter((fault) => fault.startsWith("error[missing-jsdoc]") && !fault.includes("/npm/"));
  for (const fault of faults) say(fault);
  return faults.length === 0;
}

/**
 * Runs the tests and ends with their count on a line of its own. The variable TEST_MINUTES
 * limits the time in which test files start.
 */
async function tests(): Promise<boolean> {
  // On a slow machine, CI would end before its last test, and say nothing about any of them.
  const minutes = Number(Deno.env.get("TEST_MINUTES") ?? Infinity);
  const { passed, failed, skipped } = await runTests(files, { isFull: full, minutes });
  say(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 && passed > 0;
}

function filesToTest(): string[] {
  try {
    return testFiles(names.length === 0 ? ["tests", "src"] : names.map(String));
  } catch (error) {
    fail((error as Error).message);
  }
}

function fail(message: string): never {
  say(message);
  Deno.exit(1);
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
