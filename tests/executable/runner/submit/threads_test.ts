/** The threads that help `submit` with short reads. */
import { expect } from "@std/expect";
import { temporaryDirectory } from "../../../support/executable.ts";
import { threadsOf } from "../../../support/processes.ts";
import { until } from "../../../support/wait.ts";
import { bashCall, readCall, RunningSubmit, submit } from "./submitted.ts";

/** The number of lines that is enough for a second thread to help. */
const LINES = 4_000;

Deno.test("submit > the results are the same with a second thread and without", async () => {
  using here = temporaryDirectory();
  using outside = temporaryDirectory();
  const open = `${here.path}/open`;
  Deno.mkdirSync(`${open}/deep`, { recursive: true });
  Deno.writeTextFileSync(`${outside.path}/secret.txt`, "secret\n");
  for (const name of ["a", "ä b", "deep/c"]) Deno.writeTextFileSync(`${open}/${name}`, `${name}\n`);
  Deno.symlinkSync(`${outside.path}/secret.txt`, `${open}/link`);
  Deno.symlinkSync(outside.path, `${open}/out`);
  const unusual: unknown[] = [
    readCall(`${open}/missing`),
    readCall(`${open}/link`),
    readCall(`${open}/out/secret.txt`),
    readCall(`${open}/deep/../../../${outside.path}/secret.txt`),
    readCall(`${outside.path}/secret.txt`),
    readCall(`${open}/deep`),
    { name: "Read", arguments: {} },
    { name: "Nothing", arguments: {} },
    bashCall("true"),
    '{"name":"Read"',
    "",
    { id: "own", ...readCall(`${open}/a`) },
    { id: "line", call: readCall(`${open}/a`) },
    { ...readCall(`${open}/a`), more: 1 },
    readCall(`${open}/a`, { id: 7 }),
  ];
  const usual = ["a", "ä b", "deep/c"].map((name) => readCall(`${open}/${name}`));
  const lines = Array.from(
    { length: LINES },
    (_, at) => at % 40 === 39 ? unusual[(at - 39) / 40 % unusual.length] : usual[at % usual.length],
  );
  const flags = [`--allow-read=${open}`, "--ordered"];
  const [single, helped] = [
    await submit(lines, { flags: [...flags, "--jobs=1"] }),
    await submit(lines, { flags: [...flags, "--jobs=4"] }),
  ];
  expect(helped.code).toBe(1);
  expect(helped.results).toEqual(single.results);
  expect(helped.stdout).not.toContain("secret\\n");
});

Deno.test("submit > a second thread starts for many short reads, and not for few reads or with one job", async () => {
  using here = temporaryDirectory();
  const path = `${here.path}/a.txt`;
  Deno.writeTextFileSync(path, "alpha\n");
  const call = readCall(path);
  const cases: [jobs: number, lines: number, threads: number][] = [
    [2, 100, 0],
    [1, LINES, 0],
    [2, LINES, 1],
  ];
  if (navigator.hardwareConcurrency < 2) cases.pop();
  for (const [jobs, count, threads] of cases) {
    await using running = new RunningSubmit([`--allow-read=${here.path}`, `--jobs=${jobs}`]);
    await running.send(...Array.from({ length: count }, () => call));
    for (let at = 0; at < count; at++) await running.next();
    expect({ jobs, count, threads: await workersOf(running.child.pid, threads) })
      .toEqual({ jobs, count, threads });
  }
});

/** The number of Workers of a process, once there are so many. */
async function workersOf(pid: number, wanted: number): Promise<number> {
  let count = 0;
  await until(() => {
    const names = threadsOf(pid).map((id) => Deno.readTextFileSync(`/proc/${pid}/task/${id}/comm`));
    count = names.filter((name) => name.startsWith("worker-")).length;
    return count === wanted;
  });
  return count;
}
