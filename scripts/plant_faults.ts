/**
 * Measures whether the tests notice faults. A rule chooses the faults before any test runs: in each
 * of the 30 largest directories of `src`, by lines, the first exported function of the largest file
 * that exports one. Its first condition is inverted; without a condition, its first returned value is
 * replaced by undefined. Each fault is planted in a clone, where the tests then run.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";
import { filesBelow, readText } from "./files_below.ts";
import { duration, say } from "./testing/progress.ts";

const HELP = `Usage: deno run -A scripts/plant_faults.ts [--list] [--only=N,N…] [ARGUMENT …]

Plants faults one by one in a clone of HEAD and runs "deno task test" with the arguments, by default
--changed. Prints a line for each fault, and how many were found. --list only prints the faults, with
their numbers. --only plants those with the given numbers.`;

const root = fileURLToPath(new URL("../", import.meta.url));
const FAULTS = 30;

/** A changed file. */
interface Fault {
  path: string;
  /** The function in it that does not do what it promises any more. */
  name: string;
  line: number;
  content: string;
  /** The changed piece of code. */
  code: string;
}

const { list, help, only, _: args } = parseArgs(Deno.args, {
  boolean: ["list", "help"],
  string: ["_", "only"],
  "--": false,
  stopEarly: true,
});
if (help) say(HELP);
else await main();

async function main(): Promise<void> {
  const chosen = only?.split(",").map(Number);
  const faults = [...chooseFaults().entries()]
    .filter(([at]) => chosen === undefined || chosen.includes(at));
  if (list) {
    for (const [at, fault] of faults) say(lineOf(at, fault));
    return;
  }
  const clone = Deno.makeTempDirSync({ prefix: "toolcall-faults-" });
  let found = 0;
  try {
    await run("git", ["clone", "--quiet", root, clone]);
    for (const [at, fault] of faults) {
      Deno.writeTextFileSync(`${clone}/${fault.path}`, fault.content);
      // Only tests count: a line that is not formatted would fail the check of the format.
      await run(Deno.execPath(), ["fmt", "--quiet", fault.path], clone);
      const begin = performance.now();
      const { success, printed } = await run(Deno.execPath(), [
        ...["task", "test", ...args.length === 0 ? ["--changed"] : args.map(String)],
      ], clone);
      // A test may have written somewhere else because of the fault.
      await run("git", ["checkout", "--quiet", "."], clone);
      await run("git", ["clean", "--quiet", "-d", "--force"], clone);
      if (!success) found++;
      const by = [...printed.matchAll(/^(?:FAIL (\S+):|not ok: (.*) \()/gm)]
        .map(([, file, check]) => file ?? check);
      say(`${success ? "MISSED" : "found "} ${lineOf(at, fault)}`);
      say(`       after ${duration(performance.now() - begin)}, by: ${[...new Set(by)].join(" ")}`);
    }
  } finally {
    Deno.removeSync(clone, { recursive: true });
  }
  say(`Found ${found} of ${faults.length} faults`);
}

function lineOf(at: number, { path, line, name, code }: Fault): string {
  return `${at} ${path}:${line} ${name}: ${code}`;
}

function chooseFaults(): Fault[] {
  const lines = (path: string) => readText(path).split("\n").length;
  const paths = filesBelow("src").filter((path) =>
    /\.tsx?$/.test(path) && !path.includes("_generated")
  );
  const directories = [...Map.groupBy(paths, (path) => path.replace(/\/[^/]+$/, "")).values()]
    .map((files) => files.toSorted((a, b) => lines(b) - lines(a)))
    .toSorted((a, b) => sum(b.map(lines)) - sum(a.map(lines)))
    .slice(0, FAULTS);
  return directories.map((files) => {
    for (const path of files) {
      const fault = faultIn(path);
      if (fault !== undefined) return fault;
    }
    throw new Error(`No function to plant a fault in: ${files.join(", ")}`);
  });
}

/** A fault in the first exported function of a file; undefined without such a function. */
function faultIn(path: string): Fault | undefined {
  const content = readText(path);
  const start = /^export (?:async )?function\*? (\w+)/m.exec(content);
  if (start === null) return undefined;
  const end = content.indexOf("\n}\n", start.index);
  const body = content.slice(start.index, end);
  const condition = /\bif \(/.exec(body);
  const returned = /\breturn (?!;)([^]*?);\n/.exec(body);
  const planted = condition !== null
    ? invert(body, condition.index + "if (".length)
    : returned !== null
    ? { from: returned.index, length: returned[0].length, code: "return undefined as never;\n" }
    : undefined;
  if (planted === undefined) return undefined;
  const from = start.index + planted.from;
  return {
    path,
    name: start[1]!,
    line: content.slice(0, from).split("\n").length,
    code: planted.code.trim().replaceAll(/\s+/g, " "),
    content: content.slice(0, from) + planted.code + content.slice(from + planted.length),
  };
}

/** The condition that begins at `from`, inverted. */
function invert(body: string, from: number): { from: number; length: number; code: string } {
  let depth = 1;
  let at = from;
  for (; depth > 0; at++) depth += body[at] === "(" ? 1 : body[at] === ")" ? -1 : 0;
  const condition = body.slice(from, at - 1);
  const { length } = condition;
  // "!(!a)" would be found by the linter.
  const isNegation = /^!/.test(condition) && !/&&|\|\||[?<>]|[=!]=/.test(condition);
  return { from, length, code: isNegation ? condition.slice(1) : `!(${condition})` };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

async function run(
  command: string,
  args: string[],
  cwd = root,
): Promise<{ success: boolean; printed: string }> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd, stdin: "null" })
    .output();
  const decoder = new TextDecoder();
  return { success, printed: decoder.decode(stdout) + decoder.decode(stderr) };
}
