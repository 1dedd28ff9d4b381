/**
 * Measures the built executable beside other programs, as ratios of one run. `docs/bench/README.md`
 * explains the rows, and shows the table and the chart of the last full run.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";
import { compareTimes, measureAgainst } from "./bench/against.ts";
import { describeMachine } from "./bench/machine.ts";
import { measureSection } from "./bench/measure.ts";
import { writePages } from "./bench/pages.ts";
import type { Result } from "./bench/rows.ts";
import { allSections, QUICK_ROWS } from "./bench/sections.ts";
import { textTable } from "./bench/table.ts";
import { Workspace } from "./bench/workspace.ts";

const HELP = `Usage: deno task bench [--quick] [--growth] [--rows=NAME,…] [--runs=N] [--json=FILE]
       deno task bench --against=FILE [--runs=N]

Measures dist/toolcall, which "deno task build" writes, and prints a table of ratios. A full run
takes about 15 minutes, and also writes the table and the chart in docs/bench.

  --quick    measure a few rows in a few rounds, in less than a minute
  --growth   measure a million calls and a tree of a million files too, which takes 5 GB of disk
  --rows     measure these rows only; "all" stands for every row
  --runs     how often each cold command is run (default 60, with --quick 6)
  --json     write all figures to this file
  --write    write docs/bench even if the run is not a full one
  --against  another executable: each command of five runs with it too, in turn. The exit code is 1
             if a command takes over 5 % longer, or 5 % and 3 ms if it starts programs`;

const executable = fileURLToPath(new URL("../dist/toolcall", import.meta.url));
const options = parseArgs(Deno.args, {
  string: ["runs", "against", "rows", "json"],
  boolean: ["help", "quick", "growth", "write"],
  alias: { help: "h" },
  unknown: (arg) => fail(`Unknown argument "${arg}"\n\n${HELP}`),
});
if (options.help) {
  say(HELP);
  Deno.exit(0);
}
const named: string[] = options.rows?.split(",") ?? [];
const runs = Number(options.runs ?? (options.quick ? 6 : 60));
if (!Number.isInteger(runs) || runs < 1) fail("--runs takes a number of at least 1");

{
  using workspace = openWorkspace();
  if (options.against === undefined) await measureAll(workspace);
  else await compare(workspace, options.against);
}

async function measureAll(workspace: Workspace): Promise<void> {
  const sections = allSections(workspace, options.growth);
  const known = sections.flatMap(({ rows }) => rows.map(({ name }) => name));
  const unknown = named.find((name) => name !== "all" && !known.includes(name));
  if (unknown !== undefined) {
    // The workspace is removed on the way out, so this does not exit here.
    report(`Unknown row "${unknown}"; the rows are ${known.join(", ")}`);
    Deno.exitCode = 2;
    return;
  }
  const chosen = named.length > 0 ? named : options.quick ? QUICK_ROWS : known;
  const rows = new Set(named.includes("all") ? known : chosen);
  const [load] = Deno.loadavg();
  const results: Result[] = [];
  const figures: Record<string, unknown> = {};
  for (const section of sections) {
    const measured = await measureSection(section, { rows, runs, report });
    results.push(...measured.results);
    for (const [name, found] of measured.figures) {
      figures[name] = found instanceof Error ? { missing: found.message } : found;
    }
  }
  const machine = await describeMachine(executable, load!);
  say(`${machine.map(([name, value]) => `${name}: ${value}`).join("\n")}\n`);
  say(textTable(results));
  if (options.json !== undefined) {
    const all = { machine: Object.fromEntries(machine), runs, results, figures };
    Deno.writeTextFileSync(options.json, `${JSON.stringify(all, null, 2)}\n`);
  }
  const isFull = !options.quick && named.length === 0;
  if (isFull || options.write) await writePages(results, machine);
}

/** Prints how this executable compares with an earlier one, and sets the exit code. */
async function compare(workspace: Workspace, other: string): Promise<void> {
  const times = await measureAgainst(workspace, { other, runs });
  say(`time, ms: medians of ${runs} pairs: this executable, the other, ratio, difference`);
  for (const { line, isWithin } of times.map(compareTimes)) {
    say(line);
    if (!isWithin) Deno.exitCode = 1;
  }
}

function openWorkspace(): Workspace {
  try {
    Deno.statSync(executable);
  } catch {
    fail('dist/toolcall is missing. Build it: "deno task build"');
  }
  const workspace = new Workspace(executable);
  Deno.addSignalListener("SIGINT", () => {
    workspace[Symbol.dispose]();
    Deno.exit(130);
  });
  return workspace;
}

function report(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function fail(message: string): never {
  report(message);
  Deno.exit(2);
}
