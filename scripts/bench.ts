/**
 * What a cold call costs: time and memory of the built executable, as ratios to
 * a bare `deno run` of a hello-world. The commands take turns, so that all of
 * them meet the same machine. The executable is unpacked afresh, which is how
 * the system maps it best; after that was pushed out of memory a call takes
 * about a tenth longer. `--runs=N` sets how often (default 60).
 * `--against=FILE` runs each command with another executable too, in turn with this one, and
 * prints what this one takes compared with it. It fails when a command takes over 5 % longer, or
 * over 5 % and 3 ms longer when it starts programs.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";
import { entries } from "../tools/_generated/index.ts";
import { addTools, bundledTool } from "./added_tools.ts";

const HELP = `Usage: deno task bench [--runs=N] [--against=FILE]

Measures cold calls of dist/toolcall; takes some minutes. It is built by "deno task build".

  --runs     how often each command is run (default 60)
  --against  another executable: each command runs with it too, in turn`;

const executable = fileURLToPath(new URL("../dist/toolcall", import.meta.url));
const options = parseArgs(Deno.args, {
  string: ["runs", "against"],
  boolean: ["help"],
  alias: { help: "h" },
});
if (options.help) {
  // deno-lint-ignore no-console
  console.log(HELP);
  Deno.exit(0);
}
const runs = Number(options["runs"] ?? 60);
const directory = Deno.makeTempDirSync({ prefix: "toolcall-bench-" });
Deno.writeTextFileSync(`${directory}/hello.js`, 'console.log("hello");\n');
Deno.writeTextFileSync(`${directory}/file.txt`, "A line of text\n".repeat(40));
const read = JSON.stringify({ name: "Read", arguments: { file_path: `${directory}/file.txt` } });
const echo = JSON.stringify({ name: "Bash", arguments: { command: "echo" } });
// Beside the cache: what a call may write is opened around the program's own files.
const work = `${directory}/work`;
Deno.mkdirSync(work);
const bashFlags = [`--allow-read=${work}`, `--allow-write=${work}`, "--allow-run=bash"];

/** A command, what it reads, and the ratio to the first one's time that it may have. */
interface Subject {
  label: string;
  command: string[];
  stdin: string;
  most?: number;
  /** The directory that the executable is unpacked in; the usual one where nothing is said. */
  cache?: string;
}

/** How many tools the second executable has, and what that may cost, as a ratio to the first. */
const [MANY, MAX_FOR_MANY] = [1_000, 1.1];
const many = `with ${MANY} tools`;

const subjects: Subject[] = [
  {
    label: "deno run hello.js",
    command: [Deno.execPath(), "run", `${directory}/hello.js`],
    stdin: "",
  },
  { label: "Read -A", command: [executable, "-A"], stdin: read, most: 1.25 },
  {
    label: "Read --allow-read=DIR",
    command: [executable, `--allow-read=${directory}`],
    stdin: read,
    most: 2,
  },
  ...options["against"] === undefined ? await withManyTools() : [],
  { label: "Bash -A", command: [executable, "-A"], stdin: echo },
  { label: "Bash, scoped", command: [executable, ...bashFlags], stdin: echo },
  {
    label: "Bash, --unconfined-run",
    command: [executable, ...bashFlags, "--unconfined-run"],
    stdin: echo,
  },
];
/** What the walls may add to a call of Bash, in milliseconds. */
const MAX_FOR_WALLS = 5;

try {
  if (options["against"] !== undefined) await compare(options["against"]);
  else await measureAll();
} finally {
  Deno.removeSync(directory, { recursive: true });
}

async function measureAll(): Promise<void> {
  const times = await timed(subjects);
  print(`time, ms: medians of ${runs}, ratios within each round`, times, (at) => at.most);
  printWalls(times);
  printMany(times);
  const memory: number[][] = [];
  for (const subject of subjects) memory.push(await peaks(subject));
  print("peak memory, MiB: medians of 20", memory, (at) => at === subjects[0] ? undefined : 2);
}

/** The two calls of Read by an executable that has many tools, which are copies of one. */
async function withManyTools(): Promise<Subject[]> {
  const cache = `${directory}/many`;
  Deno.mkdirSync(cache);
  const code = await bundledTool("tools/_generated/read.ts");
  const names = Array.from({ length: MANY - entries.length }, (_, at) => `Generated${at}`);
  try {
    await addTools(executable, { cache, tools: names.map((name) => ({ name, code })) });
  } catch (error) {
    say(`without the executable ${many}: ${(error as Error).message}`);
    return [];
  }
  const own = { cache, stdin: read };
  // That it has them: a name that it does not know would fail.
  const last = JSON.stringify({ ...JSON.parse(read), name: names.at(-1) });
  await once({ ...own, label: "", command: [executable, "-A"], stdin: last });
  return [
    { ...own, label: `Read -A, ${many}`, command: [executable, "-A"] },
    {
      ...own,
      label: `Read --allow-read, ${many}`,
      command: [executable, `--allow-read=${directory}`],
    },
  ];
}

/** Prints how this executable compares with an earlier one, and sets the exit code. */
async function compare(other: string): Promise<void> {
  const own = subjects.filter(({ command, cache }) => command[0] === executable && !cache);
  Deno.mkdirSync(`${directory}/other`);
  const pairs = own.flatMap((subject) => [subject, {
    ...subject,
    command: [other, ...subject.command.slice(1)],
    cache: `${directory}/other`,
  }]);
  const times = await timed(pairs);
  say(`\ntime, ms: medians of ${runs} pairs: this executable, the other, ratio, difference`);
  for (const [at, { label, stdin }] of own.entries()) {
    const [now, before] = [times[2 * at]!, times[2 * at + 1]!];
    const ratio = median(now.map((value, round) => value / before[round]!));
    const added = median(now.map((value, round) => value - before[round]!));
    const most = 0.05 * median(before) + (stdin === echo ? 3 : 0);
    const isWithin = added <= most;
    if (!isWithin) Deno.exitCode = 1;
    const cells = [
      median(now).toFixed(1).padStart(8),
      median(before).toFixed(1).padStart(8),
      `${ratio.toFixed(3)} x`,
      `${added.toFixed(1).padStart(5)} ms`,
      `${isWithin ? "within" : "over"} ${most.toFixed(1)} ms`,
    ];
    say(`  ${label.padEnd(25)}${cells.join("  ")}`);
  }
}

/** The durations of every run of each subject, in milliseconds. */
async function timed(subjects: Subject[]): Promise<number[][]> {
  const times = subjects.map((): number[] => []);
  for (let run = -3; run < runs; run++) {
    for (const [index, subject] of subjects.entries()) {
      const start = performance.now();
      await once(subject);
      if (run >= 0) times[index]!.push(performance.now() - start);
    }
  }
  return times;
}

async function once(
  { command: [program, ...args], stdin: input, cache = `${directory}/cache` }: Subject,
  watch?: (pid: number) => void,
): Promise<void> {
  const child = new Deno.Command(program!, {
    args,
    env: { TOOLCALL_CACHE_DIR: cache },
    stdin: "piped",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const stdin = child.stdin.getWriter();
  // The hello-world reads nothing and may be gone by now.
  await stdin.write(new TextEncoder().encode(input)).then(() => stdin.close()).catch(() => {});
  watch?.(child.pid);
  const { success } = await child.status;
  if (!success) throw new Error(`${program} ${args.join(" ")} failed`);
}

/** The most memory that each of twenty runs of a command held, in MiB; Linux only. */
async function peaks(subject: Subject): Promise<number[]> {
  const found: number[] = [];
  for (let run = 0; run < 20; run++) {
    await once(subject, (pid) => found.push(highWater(pid)));
  }
  return found;
}

/** Reads the kernel's high-water mark again and again, until the process has ended. */
function highWater(pid: number): number {
  for (let last = NaN;;) {
    try {
      const mark = Deno.readTextFileSync(`/proc/${pid}/status`).match(/^VmHWM:\s+(\d+)/m);
      if (mark === null) return last;
      last = Number(mark[1]) / 1024;
    } catch {
      return last;
    }
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/**
 * Each ratio is the median of the ratios round by round: what slows a round slows both of its runs.
 */
function print(
  what: string,
  values: number[][],
  limit: (subject: Subject) => number | undefined,
): void {
  say(`\n${what}`);
  for (const [index, subject] of subjects.entries()) {
    const own = values[index]!;
    const ratio = median(own.map((value, round) => value / values[0]![round]!));
    const most = limit(subject);
    const verdict = most === undefined ? "" : `${ratio <= most ? "within" : "over"} ${most}`;
    const cells = [
      median(own).toFixed(1).padStart(8),
      `${ratio.toFixed(2).padStart(8)} x`,
      verdict,
    ];
    say(`  ${subject.label.padEnd(35)}${cells.join("  ")}`);
  }
}

/** What the kernel's walls cost: the same call and flags with and without them, in pairs. */
function printWalls(times: number[][]): void {
  const [walled, open] = ["Bash, scoped", "Bash, --unconfined-run"]
    .map((label) => times[subjects.findIndex((subject) => subject.label === label)]!);
  const cost = median(walled!.map((value, round) => value - open![round]!));
  const verdict = `${cost <= MAX_FOR_WALLS ? "within" : "over"} ${MAX_FOR_WALLS}`;
  say(`  the walls around Bash  ${cost.toFixed(1)} ms  ${verdict}`);
}

/** What many tools cost, against the same call without them in the same round. */
function printMany(times: number[][]): void {
  const of = (label: string) => times[subjects.findIndex((subject) => subject.label === label)];
  for (const label of ["Read -A", "Read --allow-read"]) {
    const [few, most] = [of(label) ?? of(`${label}=DIR`), of(`${label}, ${many}`)];
    if (few === undefined || most === undefined) continue;
    const ratio = median(most.map((value, round) => value / few[round]!));
    const verdict = `${ratio <= MAX_FOR_MANY ? "within" : "over"} ${MAX_FOR_MANY}`;
    say(`  ${label}, ${MANY} tools to ${entries.length}  ${ratio.toFixed(2)} x  ${verdict}`);
  }
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
