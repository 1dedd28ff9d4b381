/** How `submit` ends, how it waits for the reader of its results, and how much memory it takes. */
import { expect } from "@std/expect";
import { attempts } from "../../../support/attempts.ts";
import { executable, temporaryDirectory } from "../../../support/executable.ts";
import { memoryOf } from "../../../support/mcp/peer.ts";
import { isAlive, processesWith } from "../../../support/processes.ts";
import { pause, until } from "../../../support/wait.ts";
import { bashCall, lineOf, readCall, RunningSubmit } from "./submitted.ts";

/** A time for sleep that no other process has. */
const uniqueTime = () => `600.${crypto.getRandomValues(new Uint32Array(1))[0]}`;

const FLAGS = [["-A"], ["--allow-read", "--allow-run=bash,sleep"]];

for (const flags of FLAGS) {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.test(`submit > ${signal} under ${flags} ends running calls, prints finished ones, and gives exit code 7`, async () => {
      using directory = temporaryDirectory();
      Deno.writeTextFileSync(`${directory.path}/a.txt`, "alpha\n");
      const [first, second] = [uniqueTime(), uniqueTime()];
      await using running = new RunningSubmit([...flags, "--jobs=2"]);
      await running.send(
        readCall(`${directory.path}/a.txt`),
        bashCall(`echo before; sleep ${first}`),
        bashCall(`sleep ${second}`),
        bashCall("sleep 600"),
        readCall(`${directory.path}/a.txt`),
      );
      expect(await running.next()).toMatchObject({ id: 1, isError: false });
      const both = () =>
        [first, second].every((each) => processesWith(`sleep\0${each}`).length > 0);
      expect(await until(both)).toBe(true);
      running.child.kill(signal);
      const { code, results } = await running.end();
      expect(code).toBe(7);
      expect(results.map(({ id }) => id).sort()).toEqual([2, 3]);
      for (const { id, content, _meta } of results) {
        expect(_meta!["toolcall/error"].code).toBe("cancelled");
        if (id === 2) expect(content[0]!.text).toContain("before\n");
      }
      expect([first, second].flatMap(processesWith)).toEqual([]);
    });
  }
}

Deno.test("submit > a second signal ends submit at once, and no program stays", async () => {
  const first = uniqueTime();
  await using running = new RunningSubmit(["-A", "--jobs=1"]);
  // The shell ignores the signal, so the call ends late.
  await running.send(bashCall(`trap '' TERM; sleep ${first}; sleep ${first}; sleep ${first}`));
  expect(await until(() => processesWith(`sleep\0${first}`).length > 0)).toBe(true);
  running.child.kill("SIGINT");
  running.child.kill("SIGTERM");
  const { code } = await running.child.status;
  expect(code).toBe(7);
  expect(await until(() => processesWith(first).length === 0)).toBe(true);
});

Deno.test("submit > a signal ends submit while nobody reads its results", async () => {
  using directory = temporaryDirectory();
  await using running = await blocked(directory.path);
  running.child.kill("SIGTERM");
  expect((await running.child.status).code).toBe(7);
});

Deno.test("submit > a closed stdout ends submit and its running calls without an error", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/a.txt`, "alpha\n");
  const read = lineOf(readCall(`${directory.path}/a.txt`));
  Deno.writeTextFileSync(`${directory.path}/in`, read.repeat(5_000));
  const { stdout, stderr, code } = await new Deno.Command("bash", {
    args: ["-c", `set -o pipefail; "$0" submit -A < in | head -1`, executable],
    cwd: directory.path,
  }).output();
  expect(JSON.parse(new TextDecoder().decode(stdout))).toMatchObject({ isError: false });
  expect([new TextDecoder().decode(stderr), code]).toEqual(["", 0]);

  const sleep = uniqueTime();
  await using running = new RunningSubmit(["-A", "--jobs=2"]);
  await running.send(bashCall(`sleep ${sleep}`));
  expect(await until(() => processesWith(`sleep\0${sleep}`).length > 0)).toBe(true);
  await running.closeOutput();
  let isEnded = false;
  running.child.status.then(() => isEnded = true);
  // A read of this process that has begun before takes the first result.
  await until(async () => {
    await running.send(readCall(`${directory.path}/a.txt`)).catch(() => {});
    return isEnded;
  });
  expect((await running.child.status).code).toBe(0);
  expect(await until(() => processesWith(sleep).length === 0)).toBe(true);
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

Deno.test("submit > Workers and programs end with a submit that is killed", async () => {
  const sleep = uniqueTime();
  await using running = new RunningSubmit(["-A", "--jobs=1"]);
  await running.send(bashCall(`sleep ${sleep}`));
  expect(await until(() => processesWith(`sleep\0${sleep}`).length > 0)).toBe(true);
  const { pid } = running.child;
  running.child.kill("SIGKILL");
  expect(await until(() => !isAlive(pid) && processesWith(sleep).length === 0)).toBe(true);
});
