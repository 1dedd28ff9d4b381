/** Everything that has to hold before a change lands, in the order of what fails fastest. */
const root = new URL("../", import.meta.url);
const sources = ["main.ts", "worker.ts", "src", "tools", "scripts", "tests"];

/** What takes about half of the time; the rest is run beside it. */
const half = ["walls", "network", "sandbox", "state", "model", "web", "search", "files", "tools"]
  .map((name) => `tests/${name}`);

const steps: [name: string, run: () => Promise<boolean>][] = [
  ["generated files", () => deno("run", "-A", "scripts/generate.ts", "--check")],
  ["format", () => deno("fmt", "--check", "--quiet")],
  ["lint", () => deno("lint", "--quiet")],
  ["types", () => deno("check", "--quiet", ...sources)],
  ["documentation", documented],
  ["build", () => deno("run", "-A", "scripts/build.ts")],
  ["tests", tests],
];

for (const [name, run] of steps) {
  const start = performance.now();
  if (!await run()) {
    say(`not ok: ${name}`);
    Deno.exit(1);
  }
  say(`ok: ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
}

async function deno(...args: string[]): Promise<boolean> {
  const child = new Deno.Command(Deno.execPath(), { args, cwd: root, stdin: "null" }).spawn();
  return (await child.status).success;
}

/** Every exported symbol of `src/` says what it promises. Types of packages are not ours to document. */
async function documented(): Promise<boolean> {
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--lint", ...sourceFiles(new URL("src/", root))],
    cwd: root,
    env: { NO_COLOR: "1" },
    stderr: "piped",
  }).output();
  const faults = new TextDecoder().decode(stderr).split(/\n(?=error\[)/)
    .filter((fault) => fault.startsWith("error[missing-jsdoc]") && !fault.includes("/npm/"));
  for (const fault of faults) say(fault);
  return faults.length === 0;
}

function sourceFiles(folder: URL): string[] {
  return [...Deno.readDirSync(folder)].flatMap((entry) => {
    const path = new URL(entry.name + (entry.isDirectory ? "/" : ""), folder);
    if (entry.isDirectory) return sourceFiles(path);
    return entry.name.endsWith(".ts") ? [path.pathname] : [];
  });
}

/** Runs the tests, in two processes, and ends with their count on a line of its own. */
async function tests(): Promise<boolean> {
  const runs = await Promise.all([
    testsIn(["src", ...half]),
    testsIn(["tests", `--ignore=${half.join(",")}`]),
  ]);
  const count = (what: string) => {
    const pattern = new RegExp(`(\\d+) ${what}`);
    // deno-lint-ignore no-control-regex
    const plain = runs.map(({ last }) => last.replaceAll(/\x1b\[\d+m/g, ""));
    return plain.reduce((sum, text) => sum + Number(text.match(pattern)?.[1] ?? 0), 0);
  };
  say(`${count("passed")} passed, ${count("failed")} failed, ${count("ignored")} skipped`);
  return runs.every(({ success }) => success);
}

/** Runs some of the tests, says all that they say at once, and gives the end of it. */
async function testsIn(args: string[]): Promise<{ success: boolean; last: string }> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--doc", "--quiet", ...args],
    cwd: root,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).output();
  const text = new TextDecoder().decode(stdout);
  say(text.trimEnd());
  return { success, last: text.slice(-2_000) };
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
