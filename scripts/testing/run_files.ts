/** Runs test files, each in a process, and says how far it is. */
import { Progress, say } from "./progress.ts";
import { readSeconds, writeSeconds } from "./test_seconds.ts";

const root = new URL("../../", import.meta.url);

/** A file that takes longer than this has hung, in milliseconds. */
const MAX_FILE_MS = 30 * 60_000;

/** At the end, at most so many characters are repeated of each file that failed. */
const MAX_REPEATED = 6_000;

/** At the end, so many of the slowest files are named. */
const SLOWEST = 10;

/** How many tests of a file, or of all files, passed, failed and were skipped. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** A file that has run. */
interface Ended {
  file: string;
  counts: Counts;
  seconds: number;
  /** The lines of its output that a reader wants although it passed. */
  remarks: string[];
  /** The output of a file that failed, in short. */
  failure?: string;
}

/** How test files run. */
export interface RunOptions {
  /** Whether the tests make all of their attempts, otherwise a tenth of them. */
  isFull: boolean;
  /** A file that has not started so many minutes after the start of this program is left out. */
  minutes?: number;
}

/**
 * Runs the files in the given order, four more at once than there are cores, because tests often wait,
 * and at most six. At the end it prints the slowest files, the failures again, because a reader of
 * CI may see only the end, and the commands that repeat them. Returns the counts of all files.
 */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<Counts> {
  const { minutes = Infinity } = options;
  const known = readSeconds();
  const ended: Ended[] = [];
  const leftOut: string[] = [];
  {
    using progress = new Progress(new Map(files.map((file) => [file, known.get(file) ?? 3])));
    const waiting = [...files];
    const runner = async () => {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        if (performance.now() > minutes * 60_000) {
          leftOut.push(file);
          continue;
        }
        progress.start(file);
        const result = await runFile(file, options);
        ended.push(result);
        progress.end(file, resultLine(result), {
          isNotable: result.failure !== undefined || result.remarks.length > 0,
        });
        for (const line of result.remarks) progress.print(`     ${line}`);
        if (result.failure !== undefined) progress.print(result.failure);
      }
    };
    const jobs = Math.min(6, navigator.hardwareConcurrency + 4, files.length);
    await Promise.all(Array.from({ length: jobs }, runner));
  }
  // Only files of the checkout have a record.
  const own = ended.filter(({ file }) => !file.startsWith("/"));
  writeSeconds(new Map(own.map(({ file, seconds }) => [file, seconds])));
  sayEnd(ended, leftOut, minutes);
  const sum = (count: keyof Counts) =>
    ended.reduce((total, { counts }) => total + counts[count], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

function sayEnd(ended: readonly Ended[], leftOut: readonly string[], minutes: number): void {
  const failed = ended.filter(({ failure }) => failure !== undefined);
  if (failed.length > 0) {
    const texts = failed.map((each) =>
      `${resultLine(each)}\n${each.failure!.slice(-MAX_REPEATED)}`
    );
    say(`\nFailures:\n\n${texts.join("\n\n")}\n`);
  }
  const slowest = ended.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  say(
    `The slowest files, in seconds: ${
      slowest.map(({ file, seconds }) => `${file} ${seconds.toFixed(0)}`).join(", ")
    }`,
  );
  if (leftOut.length > 0) {
    say(`Left out after ${minutes} minutes, ${leftOut.length} files: ${leftOut.join(", ")}`);
  }
  for (const { file } of failed) say(`Repeat it with: deno task test ${file}`);
}

async function runFile(file: string, { isFull }: RunOptions): Promise<Ended> {
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
  const seconds = (performance.now() - start) / 1000;
  const [out, errors] = [stdout, stderr].map((bytes) =>
    // deno-lint-ignore no-control-regex
    new TextDecoder().decode(bytes).replaceAll(/\x1b\[[\d;]*m/g, "")
  ) as [string, string];
  const counts = countsIn(out);
  // A process that ended before its last test, or that failed without one, is a failure too.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  if (counts.failed === 0) return { file, counts, seconds, remarks: remarksIn(out) };
  const ending = signal === null ? [] : [`The process ended by ${signal}.`];
  const failure = [failuresIn(out), errors, ...ending].map((part) => part.trim()).join("\n").trim();
  return { file, counts, seconds, remarks: [], failure };
}

/** The part of what `deno test` printed that names the failures; all of it when there is no such part. */
function failuresIn(output: string): string {
  const start = output.lastIndexOf("\n ERRORS ");
  return start < 0 ? output : output.slice(start + 1);
}

/** The counts of the last line that `deno test` prints. */
function countsIn(output: string): Counts {
  const end = output.slice(-2_000);
  const count = (what: string) => Number(end.match(new RegExp(`\\| .*?(\\d+) ${what}`))?.[1] ?? 0);
  return { passed: count("passed"), failed: count("failed"), skipped: count("ignored") };
}

function resultLine({ file, counts: { passed, failed, skipped }, seconds }: Ended): string {
  const parts = [`${passed} passed`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  return `${failed > 0 ? "FAIL" : "ok  "} ${file}: ${parts.join(", ")} (${seconds.toFixed(1)} s)`;
}

/** The lines to print for a file that passed: why tests were skipped, and the count of attacks. */
function remarksIn(output: string): string[] {
  const skipped = output.split("\n").map((line) => line.trim())
    .filter((line) => line.startsWith("skipped: "));
  const attacks = [...output.matchAll(/\btried"?:? ?(\d+)\b.*\bescaped"?:? ?(\d+).* ok /g)];
  const sum = (at: number) => attacks.reduce((total, match) => total + Number(match[at]), 0);
  return [
    ...new Set(skipped),
    ...(attacks.length > 0 ? [`attacks: tried ${sum(1)}, escaped ${sum(2)}`] : []),
  ];
}
