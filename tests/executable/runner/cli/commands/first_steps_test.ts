/** The first steps of docs/tools.md, and the time that they take. */
// tier: machine
import { expect } from "@std/expect";
import { executable } from "../../../../support/executable.ts";
import { unitsOf } from "../../../../support/measure.ts";
import { emptyProject } from "./empty_project.ts";

Deno.test("new > the first steps of docs/tools.md lead to a working tool in five seconds", async () => {
  using here = emptyProject();
  const page = Deno.readTextFileSync(new URL("../../../../../docs/tools.md", import.meta.url));
  const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text]) => text!);
  expect(blocks[0]).toContain("toolcall new");
  const json = page.match(/^```json\n([^]*?)^```$/m)![1]!;
  const shell = async (script: string) => {
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-e", "-c", `toolcall() { "${executable}" "$@"; }\n${script}\ntimes >&2`],
      cwd: here.path,
      env: here.env,
    }).output();
    const decoder = new TextDecoder();
    const seconds = machineTime(decoder.decode(stderr));
    return { code, stdout: decoder.decode(stdout), seconds };
  };
  const first = await shell(blocks[0]!);
  expect(first.code).toBe(0);
  expect(first.stdout).toContain("2 of 2 passed");
  expect(first.stdout).toContain("Hello, Ada!");
  expect(await isBelowFive(first.seconds)).toBe(true);
  expect((await shell(blocks[1]!)).code).toBe(0);
  Deno.writeTextFileSync(`${here.path}/notes.txt`, "one two\n");
  const counted = await here.run(
    "--allow-run=wc",
    "--allow-read=.",
    "count_lines",
    "path=notes.txt",
  );
  expect(counted.stdout).toContain("1 notes.txt");
  Deno.writeTextFileSync(`${here.path}/toolcall.json`, json);
  expect((await here.run("config", "trust")).code).toBe(0);
  const words = await here.run("--allow-run=wc", "--allow-read=.", "count_words", "path=notes.txt");
  expect(words.stdout).toContain("2 notes.txt");
  expect((await here.run("config", "check")).code).toBe(0);
  const typed = await shell(blocks[2]!);
  expect(typed.code).toBe(0);
  for (const line of ["ok: types", "2 of 2 passed", "Hello, Ada!"]) {
    expect(typed.stdout).toContain(line);
  }
  expect(await isBelowFive(typed.seconds)).toBe(true);
});

/** Whether a CPU time is below five seconds on a machine of 2024, where a unit takes 25 ms. */
async function isBelowFive(seconds: number): Promise<boolean> {
  return await unitsOf(() => {}, () => Promise.resolve(seconds * 1_000)) < 5_000 / 25;
}

/** The CPU seconds of a shell and its programs, from the output of `times`. */
function machineTime(stderr: string): number {
  const times = [...stderr.trimEnd().split("\n").slice(-2).join(" ").matchAll(/(\d+)m([\d.]+)s/g)];
  expect(times.length).toBe(4);
  return times.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}
