/** Many calls of a server that keeps processes and Workers, and what they leave in use. */
// tier: machine
import { expect } from "@std/expect";
import { until } from "../../support/wait.ts";
import { keptProcesses, scene, workers } from "./resident_scene.ts";

Deno.test({
  name: "resident calls > a burst of forty calls of Bash leaves at most four processes",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using it = scene();
    await it.peer.initialize();
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => it.bash(`echo ${at}`)));
    expect(answers.map(({ text }) => text)).toEqual(answers.map((_, at) => `${at}\n`));
    expect(await until(() => keptProcesses(it).length <= 4)).toBe(true);
    expect(keptProcesses(it).length).toBeGreaterThan(0);
  },
});

Deno.test({
  name: "resident calls > a burst of calls starts far fewer Workers than calls",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using it = scene([]);
    await it.peer.initialize();
    const count = Math.max(100, 20 * navigator.hardwareConcurrency);
    const answers = Array.from(
      { length: count },
      (_, at) => it.call("Write", { file_path: `${it.inside}/${at}`, content: `${at}` }),
    );
    const failed = (await Promise.all(answers)).filter(({ isError }) => isError);
    expect(failed).toEqual([]);
    expect([...Deno.readDirSync(it.inside)].length).toBe(count);
    // A quiet machine starts one Worker for each processor. A Worker that takes over a second to
    // start does not count as beginning any more, so a busy machine starts some more.
    expect(workers(it).length).toBeLessThan(count / 4);
  },
});

Deno.test({
  name: "resident calls > two hundred calls leave no open descriptor, and no file in TMPDIR",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using it = scene();
    await it.peer.initialize();
    const descriptors = () =>
      [it.peer.process.pid, ...keptProcesses(it)].map((pid) =>
        [...Deno.readDirSync(`/proc/${pid}/fd`)].length
      );
    const run = async (count: number) => {
      for (let at = 0; at < count; at++) {
        await it.call("Write", { file_path: `${it.inside}/${at % 3}/${at}`, content: "" });
        await it.bash("true");
      }
    };
    await run(5);
    const before = descriptors();
    await run(100);
    await until(() => descriptors().join() === before.join());
    expect(descriptors()).toEqual(before);
    const [kept] = [...Deno.readDirSync(it.tmp)];
    expect([...Deno.readDirSync(`${it.tmp}/${kept!.name}/tmp`)]).toEqual([]);
    expect(await it.peer.end()).toBe(0);
    expect(await until(() => [...Deno.readDirSync(it.tmp)].length === 0)).toBe(true);
  },
});
