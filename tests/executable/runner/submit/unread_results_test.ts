/** `submit` waits for the reader of its results, and takes no more memory for more lines. */
// tier: machine
import { expect } from "@std/expect";
import { attempts } from "../../../support/attempts.ts";
import { temporaryDirectory } from "../../../support/executable.ts";
import { memoryOf } from "../../../support/mcp/peer.ts";
import { pause } from "../../../support/wait.ts";
import { lineOf, readCall, RunningSubmit } from "./submitted.ts";

Deno.test("submit > a signal ends submit while nobody reads its results", async () => {
  using directory = temporaryDirectory();
  await using running = await blocked(directory.path);
  running.child.kill("SIGTERM");
  expect((await running.child.status).code).toBe(7);
});

Deno.test("submit > submit stops reading while nobody reads its results, and loses no result", async () => {
  using directory = temporaryDirectory();
  await using running = await blocked(directory.path);
  // The pipes and the buffers keep less than a mebibyte.
  expect(running.accepted).toBeLessThan(1024 * 1024);
  expect(memoryOf(running.child.pid)).toBeLessThan(400);
  const ended = running.end();
  await running.written;
  await running.close();
  const { code, results } = await ended;
  expect(code).toBe(0);
  expect(new Set(results.map(({ id }) => id)).size).toBe(running.lines);
});

/** A `submit` whose results nobody reads, and that accepts no more lines. */
async function blocked(directory: string) {
  Deno.writeTextFileSync(`${directory}/long.txt`, `${"x".repeat(1_000)}\n`);
  const running = new RunningSubmit(["-A", "--jobs=4"]);
  const lines = Array.from({ length: 100 }, () => readCall(`${directory}/long.txt`));
  const bytes = lines.map(lineOf).join("").length;
  const state = { accepted: 0, lines: 0, written: Promise.resolve() };
  // The start may take longer than the wait below.
  await running.send(lines[0]!);
  await running.next();
  for (let isBlocked = false; !isBlocked;) {
    state.written = running.send(...lines);
    state.lines += lines.length;
    // A part that is read takes far less time.
    const late = pause(3_000, "Nothing shows that the program will read no more").then(() => true);
    isBlocked = await Promise.race([state.written.then(() => false), late]);
    if (!isBlocked) state.accepted += bytes;
  }
  return Object.assign(running, state);
}

Deno.test("submit > memory does not grow with the number of lines", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/a.txt`, "alpha\n");
  const count = attempts(1_000_000);
  const part = count / 20;
  for (const flags of [["--allow-read"], ["-A", "--ordered"]]) {
    await using running = new RunningSubmit(flags);
    const lines = Array.from({ length: part }, () => readCall(`${directory.path}/a.txt`));
    const memory: number[] = [];
    for (let done = 0; done < count; done += part) {
      const written = running.send(...lines);
      for (let at = 0; at < part; at++) await running.next();
      await written;
      memory.push(memoryOf(running.child.pid));
    }
    await running.close();
    expect(await running.end()).toEqual({ code: 0, results: [] });
    // The heaps of the threads grow to their usual size first.
    const [early, late] = [memory.slice(8, 11), memory.slice(-3)].map((each) => Math.max(...each));
    expect(late! / early!).toBeLessThan(1.2);
  }
});
