/** How `submit` ends. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../../../support/executable.ts";
import { isAlive, processesWith, uniqueSeconds } from "../../../support/processes.ts";
import { until } from "../../../support/wait.ts";
import { bashCall, lineOf, readCall, RunningSubmit } from "./submitted.ts";

const FLAGS = [["-A"], ["--allow-read", "--allow-run=bash,sleep"]];

for (const flags of FLAGS) {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.test(`submit > ${signal} under ${flags} ends running calls, prints finished ones, and gives exit code 7`, async () => {
      using directory = temporaryDirectory();
      Deno.writeTextFileSync(`${directory.path}/a.txt`, "alpha\n");
      const [first, second] = [uniqueSeconds(), uniqueSeconds()];
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
  const first = uniqueSeconds();
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

  const sleep = uniqueSeconds();
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

Deno.test("submit > Workers and programs end with a submit that is killed", async () => {
  const sleep = uniqueSeconds();
  await using running = new RunningSubmit(["-A", "--jobs=1"]);
  await running.send(bashCall(`sleep ${sleep}`));
  expect(await until(() => processesWith(`sleep\0${sleep}`).length > 0)).toBe(true);
  const { pid } = running.child;
  running.child.kill("SIGKILL");
  expect(await until(() => !isAlive(pid) && processesWith(sleep).length === 0)).toBe(true);
});
