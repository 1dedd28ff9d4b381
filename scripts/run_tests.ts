/** Runs test files, each in a process of its own, and prints a line for each one as it ends. */

import { filesBelow } from "./files_below.ts";

const root = new URL("../", import.meta.url);

/** A file that takes longer than this has hung, in milliseconds. */
const MAX_FILE_MS = 30 * 60_000;

/** At most so many characters are told again of each file that failed. */
const MAX_TOLD = 6_000;

/** The files that take longest start first, so that no core idles at the end. */
const LONGEST = [
  "tests/sandbox/attacks/",
  "tests/executable/runner/remote/payloads_test.ts",
  "tests/executable/runner/remote/lost_workers_test.ts",
  "tests/executable/pasted_examples_test.ts",
  "tests/executable/scripts/self_extracting_test.ts",
  "tests/executable/scripts/generate_test.ts",
  "tests/executable/tools/git_programs_test.ts",
  "tests/executable/scripts/release_test.ts",
  "tests/executable/runner/remote/lost_servers_test.ts",
  "tests/mcp/",
  "tests/unit/toolkit/web/page/readable_test.ts",
  "tests/unit/toolkit/llm/chat_test.ts",
  "tests/unit/toolkit/search/parity_test.ts",
  "tests/unit/runner/mcp/client/check_test.ts",
  "tests/unit/base/gbnf/grammar_test.ts",
  "tests/unit/tools/notebook_edit_test.ts",
];

/** How many tests of a file, or of all files, passed, failed and were skipped. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * The test files below `paths`, which are files or directories relative to the checkout, in the
 * order in which they start. The sources of `src/` count as one, because their examples run
 * together. Throws an `Error` when a path does not exist or holds no tests.
 */
export function testFiles(paths: string[]): string[] {
  const found = paths.flatMap((path) => {
    const files = filesBelow(path.replace(/\/+$/, "")).filter((file) => file.endsWith("_test.ts"));
    if (path === "src" || path.startsWith("src/")) return [path];
    if (files.length === 0) throw new Error(`No tests in "${path}"; expected a file *_test.ts`);
    return files;
  });
  const rank = (file: string) => {
    const at = LONGEST.findIndex((start) => file.startsWith(start));
    return at < 0 ? LONGEST.length : at;
  };
  return [...new Set(found)].sort((a, b) => rank(a) - rank(b));
}

/** Whether a test file may start `dist/toolcall`. Those of `tests/unit` and `src` never do. */
export function needsBuild(file: string): boolean {
  return !/^(tests\/unit\/|src(\/|$))/.test(file);
}

/**
 * Runs the files, one more at once than there are cores, because some tests wait, and at most four.
 * With `isFull` the tests make all of their attempts, otherwise a tenth of them. Files that have not
 * started `minutes` after the start of this program are skipped. The failures are told again at the
 * end, because a reader of CI may see only the end. Returns the counts of all files together.
 */
export async function runTests(
  files: string[],
  { isFull, minutes = Infinity }: { isFull: boolean; minutes?: number },
): Promise<Counts> {
  const total: Counts = { passed: 0, failed: 0, skipped: 0 };
  const waiting = [...files];
  const faults: string[] = [];
  const runner = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      if (performance.now() > minutes * 60_000) {
        say(`skip ${file}: the ${minutes} minutes of this run are over`);
        total.skipped++;
        continue;
      }
      const { counts, fault } = await runFile(file, isFull);
      total.passed += counts.passed;
      total.failed += counts.failed;
      total.skipped += counts.skipped;
      if (fault !== undefined) faults.push(fault);
    }
  };
  const jobs = Math.min(4, navigator.hardwareConcurrency + 1, files.length);
  await Promise.all(Array.from({ length: jobs }, runner));
  if (faults.length > 0) say(`\nWhat failed:\n\n${faults.join("\n\n")}\n`);
  return total;
}

/** Runs one file and prints its result. `fault` tells what failed, in short. */
async function runFile(file: string, isFull: boolean): Promise<{ counts: Counts; fault?: string }> {
  const start = performance.now();
  const { code, signal, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    // The types were checked before, all at once.
    args: ["test", "-A", "--doc", "--no-check", file],
    cwd: root,
    ...(isFull && { env: { FULL_TESTS: "1" } }),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(MAX_FILE_MS),
  }).output();
  const [out, errors] = [stdout, stderr].map((bytes) =>
    // deno-lint-ignore no-control-regex
    new TextDecoder().decode(bytes).replaceAll(/\x1b\[[\d;]*m/g, "")
  ) as [string, string];
  const counts = countsIn(out);
  // A process that ended before its last test, or that failed without one, is a failure too.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  const result = resultLine(file, counts, performance.now() - start);
  say(result);
  if (counts.failed === 0) {
    for (const line of worthTelling(out)) say(`     ${line}`);
    return { counts };
  }
  const ended = signal === null ? [] : [`The process ended by ${signal}.`];
  const text = [failures(out), errors, ...ended].map((part) => part.trim()).join("\n").trim();
  say(text);
  return { counts, fault: `${result}\n${text.slice(-MAX_TOLD)}` };
}

/** The part of what `deno test` printed that tells what failed; all of it when there is no such part. */
function failures(output: string): string {
  const start = output.lastIndexOf("\n ERRORS ");
  return start < 0 ? output : output.slice(start + 1);
}

/** The counts of the last line that `deno test` prints. */
function countsIn(output: string): Counts {
  const end = output.slice(-2_000);
  const count = (what: string) => Number(end.match(new RegExp(`\\| .*?(\\d+) ${what}`))?.[1] ?? 0);
  return { passed: count("passed"), failed: count("failed"), skipped: count("ignored") };
}

function resultLine(file: string, { passed, failed, skipped }: Counts, ms: number): string {
  const parts = [`${passed} passed`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  const seconds = `${(ms / 1000).toFixed(1)} s`;
  return `${failed > 0 ? "FAIL" : "ok  "} ${file}: ${parts.join(", ")} (${seconds})`;
}

/** The lines to print for a file that passed: why tests were skipped, and the count of attacks. */
function worthTelling(output: string): string[] {
  const skipped = output.split("\n").map((line) => line.trim())
    .filter((line) => line.startsWith("skipped: "));
  const attacks = [...output.matchAll(/\btried"?:? ?(\d+)\b.*\bescaped"?:? ?(\d+).* ok /g)];
  const sum = (at: number) => attacks.reduce((total, match) => total + Number(match[at]), 0);
  return [
    ...new Set(skipped),
    ...(attacks.length > 0 ? [`attacks: tried ${sum(1)}, escaped ${sum(2)}`] : []),
  ];
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
