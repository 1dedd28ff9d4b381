/** The bench measures the built executable, and names the rows that it cannot measure. */
// tier: machine
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import { executable, temporaryDirectory } from "../../support/executable.ts";

/** Deno's usual cache, which has the packages that the bench imports. */
const info = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
const { denoDir } = JSON.parse(new TextDecoder().decode(info.stdout));

/** Runs the bench with an empty cache directory. */
async function bench(args: string[], env: Record<string, string> = {}) {
  using cache = temporaryDirectory();
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "scripts/bench.ts", ...args],
    cwd: fileURLToPath(new URL("../../../", import.meta.url)),
    env: { DENO_DIR: denoDir, XDG_CACHE_HOME: cache.path, ...env },
  }).output();
  const left = [...Deno.readDirSync(`${cache.path}/toolcall-bench`)]
    .filter(({ name }) => name.startsWith("run-"));
  const [out, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out: out!, errors: errors!, left };
}

/** The cells of a row in the table. */
function cellsOf(out: string, name: string): string[] | undefined {
  return out.split("\n").map((line) => line.trim().split(/ {2,}/)).find(([first]) =>
    first === name
  );
}

Deno.test("bench > a quick run prints the machine and a row for each name, and leaves no file", async () => {
  using empty = temporaryDirectory();
  const { code, out, left } = await bench(
    ["--quick", "--runs=2", "--rows=read-all-fresh,peer-mcporter,resident-write"],
    // Without npm no peer can be installed.
    { PATH: empty.path },
  );
  expect(code).toBe(0);
  expect(out).toMatch(/^cores: \d+$/m);
  const read = cellsOf(out, "read-all-fresh")!;
  expect(read.slice(0, 3)).toEqual(["read-all-fresh", "Read -A, fresh", "deno run hello.js"]);
  expect(read[3]).toMatch(/^\d+\.\d+$/);
  expect(cellsOf(out, "resident-write")![3]).toMatch(/^\d+\.\d+$/);
  expect(cellsOf(out, "peer-mcporter")!.slice(3)).toEqual([
    "mcporter@0.12.3 needs npm, which is not installed",
  ]);
  expect(left).toEqual([]);
});

Deno.test("bench > --json writes the figures of each round, without the names of the host and the directory", async () => {
  using directory = temporaryDirectory();
  const file = `${directory.path}/figures.json`;
  const { code } = await bench(
    ["--quick", "--runs=2", "--rows=memory-read-all", `--json=${file}`],
    { PATH: directory.path },
  );
  expect(code).toBe(0);
  const text = Deno.readTextFileSync(file);
  const { machine, figures, results } = JSON.parse(text);
  expect(Object.keys(machine)).toContain("processor");
  if (Deno.build.os === "linux") {
    expect(figures["peak of Read -A"].values).toHaveLength(2);
    expect(results[0].ratio.count).toBe(2);
  }
  expect(text).not.toContain(Deno.hostname());
  expect(text).not.toContain(Deno.cwd());
});

Deno.test("bench > --against runs the five commands with both executables", async () => {
  const { out, code } = await bench(["--runs=1", `--against=${executable}`]);
  expect([0, 1]).toContain(code);
  const lines = out.trim().split("\n").slice(1);
  expect(lines.map((line) => line.trim().split(/ {2,}/)[0])).toEqual(
    ["Read -A", "Read --allow-read=DIR", "Bash -A", "Bash, scoped", "Bash, --unconfined-run"],
  );
  for (const line of lines) expect(line).toMatch(/ x .* ms {2}(within|over) [\d.]+ ms$/);
});

Deno.test("bench > an unknown row and an unknown option are named", async () => {
  const row = await bench(["--rows=raed"]);
  expect(row).toMatchObject({ code: 2, left: [] });
  expect(row.errors).toMatch(/^Unknown row "raed"; the rows are read-all, /);
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "scripts/bench.ts", "--fast"],
  }).output();
  expect(code).toBe(2);
  expect(new TextDecoder().decode(stderr)).toMatch(/^Unknown argument "--fast"/);
});
