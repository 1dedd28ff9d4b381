/** The checks besides the tests: generated files, format, lint, types and doc comments. */
import { filesBelow } from "../files_below.ts";

const root = new URL("../../", import.meta.url);
const sources = ["main.ts", "worker.ts", "library_worker.ts", "src", "tools", "scripts", "tests"];

/** A step of a run: returns undefined when all is well, or else what is wrong, for a reader. */
export interface Step {
  name: string;
  run: () => Promise<string | undefined>;
}

/** The checks; the one that takes longest comes first. */
export const checks: readonly Step[] = [
  { name: "types", run: () => deno("check", "--quiet", ...sources) },
  { name: "generated files", run: () => deno("run", "-A", "scripts/generate.ts", "--check") },
  { name: "pages", run: () => deno("run", "-A", "scripts/write_pages.ts", "--check") },
  { name: "picture", run: () => deno("run", "-A", "scripts/draw_call.ts", "--check") },
  { name: "format", run: () => deno("fmt", "--check", "--quiet") },
  { name: "lint", run: () => deno("lint", "--quiet") },
  { name: "documentation", run: checkDocComments },
];

/** Writes `dist/toolcall`. */
export const build: Step = { name: "build", run: () => deno("run", "-A", "scripts/build.ts") };

/**
 * Runs steps, two at once, and calls `onEnd` as each one ends. Starts no other step after one has
 * failed.
 */
export async function runSteps(
  steps: readonly Step[],
  { onStart, onEnd }: {
    onStart: (name: string) => void;
    onEnd: (name: string, fault: string | undefined, seconds: number) => void;
  },
): Promise<boolean> {
  const waiting = [...steps];
  let isWell = true;
  const runner = async () => {
    for (let step = waiting.shift(); step !== undefined && isWell; step = waiting.shift()) {
      onStart(step.name);
      const begin = performance.now();
      const fault = await step.run();
      if (fault !== undefined) isWell = false;
      onEnd(step.name, fault, (performance.now() - begin) / 1000);
    }
  };
  await Promise.all([runner(), runner()]);
  return isWell;
}

async function deno(...args: string[]): Promise<string | undefined> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  return success ? undefined : `${decoder.decode(stdout)}${decoder.decode(stderr)}`.trimEnd();
}

/** Every exported symbol of `src/` has a doc comment. Types of packages are not ours to document. */
async function checkDocComments(): Promise<string | undefined> {
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--lint", ...filesBelow("src").filter((path) => path.endsWith(".ts"))],
    cwd: root,
    env: { NO_COLOR: "1" },
    stderr: "piped",
  }).output();
  const faults = new TextDecoder().decode(stderr).split(/\n(?=error\[)/)
    .filter((fault) => fault.startsWith("error[missing-jsdoc]") && !fault.includes("/npm/"));
  return faults.length === 0 ? undefined : faults.join("\n");
}
