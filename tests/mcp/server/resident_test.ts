/** A server keeps processes and Workers for later calls. These tests count them. */
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../support/executable.ts";
import { Peer } from "../../support/mcp/peer.ts";
import { isThere } from "../../../src/runner/sandbox/policy/paths.ts";
import { endlessSleep, isAlive, processesWith, threadsOf } from "../../support/processes.ts";
import { pause, until } from "../../support/wait.ts";

const ignore = Deno.build.os !== "linux";

/** A server with a directory that calls may use, and one for temporary files. */
function scene(more: string[] = ["--allow-run=bash,sleep,chmod,mkdir,ls,setsid,readlink"]) {
  const directory = temporaryDirectory();
  const [inside, tmp] = [`${directory.path}/inside`, `${directory.path}/tmp`];
  for (const path of [inside, tmp]) Deno.mkdirSync(path);
  const state = `--state-dir=${directory.path}/state`;
  const flags = [`--allow-read=${inside}`, `--allow-write=${inside}`, state, ...more];
  const peer = Peer.start(flags, { cwd: inside, env: { TMPDIR: tmp } });
  const call = async (name: string, args: Record<string, unknown>) => {
    const { result } = await peer.call(name, args);
    return { isError: result.isError, text: result.content[0]?.text ?? "" };
  };
  return {
    ...{ inside, tmp, flags, peer, call },
    bash: (command: string, timeout?: number) =>
      call("Bash", { command, ...(timeout !== undefined && { timeout }) }),
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

/** The processes that the server keeps for later calls. */
function keptProcesses({ peer }: { peer: Peer }): number[] {
  const { pid } = peer.process;
  const children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim().split(" ");
  const kept = processesWith("run-programs");
  return children.map(Number).filter((each) => kept.includes(each) && isAlive(each));
}

/** The Workers of the server. Each has a name that no later Worker gets. */
function workers({ peer }: { peer: Peer }): string[] {
  const directory = `/proc/${peer.process.pid}/task`;
  return [...Deno.readDirSync(directory)]
    .map(({ name }) => Deno.readTextFileSync(`${directory}/${name}/comm`).trim())
    .filter((name) => name.startsWith("worker-"));
}

Deno.test({
  name: "resident calls > twenty calls of Bash start one process of toolcall",
  ignore,
  async fn() {
    await using it = scene();
    await it.peer.initialize();
    const seen = new Set<number>();
    for (let at = 0; at < 20; at++) {
      expect((await it.bash(`echo ${at}`)).text).toBe(`${at}\n`);
      for (const pid of keptProcesses(it)) seen.add(pid);
    }
    expect(seen.size).toBe(1);
  },
});

Deno.test({
  name: "resident calls > a burst of forty calls of Bash leaves at most four processes",
  ignore,
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
  name: "resident calls > twenty calls each of Write, Edit and TodoWrite start three Workers",
  ignore,
  async fn() {
    await using it = scene([]);
    await it.peer.initialize();
    const seen = new Set<string>();
    const file_path = `${it.inside}/file.txt`;
    for (let at = 0; at < 20; at++) {
      await it.call("Write", { file_path, content: `${at}\n` });
      const edit = { file_path, old_string: `${at}`, new_string: `${at}!` };
      expect((await it.call("Edit", edit)).isError).toBe(false);
      const todos = [{ content: `${at}`, status: "pending", activeForm: "Counting" }];
      expect((await it.call("TodoWrite", { todos })).isError).toBe(false);
      expect(Deno.readTextFileSync(file_path)).toBe(`${at}!\n`);
      for (const name of workers(it)) seen.add(name);
    }
    expect(seen.size).toBe(3);
  },
});

Deno.test({
  name: "resident calls > a burst of calls starts far fewer Workers than calls",
  ignore,
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
  ignore,
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

Deno.test({
  name: "resident calls > a server that is killed leaves no process and no file in TMPDIR",
  ignore,
  async fn() {
    await using it = scene();
    await it.peer.initialize();
    await it.bash("true");
    const running = it.peer.call("Bash", {
      command: `echo >$TMPDIR/file; setsid ${endlessSleep()} & ${endlessSleep()}`,
    });
    running.catch(() => {});
    const pids = keptProcesses(it);
    expect(await until(() => [...Deno.readDirSync(it.tmp)].length > 0)).toBe(true);
    it.peer.process.kill("SIGKILL");
    expect(await until(() => pids.every((pid) => !isAlive(pid)))).toBe(true);
    expect(await until(() => [...Deno.readDirSync(it.tmp)].length === 0)).toBe(true);
  },
});

/** Commands after which no other call may use the process, each with the trace that it leaves. */
const traces: readonly [name: string, command: string][] = [
  [
    "a directory without permissions in TMPDIR",
    "mkdir -p $TMPDIR/a/b && chmod 0 $TMPDIR/a/b $TMPDIR/a $TMPDIR",
  ],
  ["a file in TMPDIR", "echo left >$TMPDIR/file"],
  ["a file beside TMPDIR", "echo left >$TMPDIR/../file"],
  ["a read-only directory above TMPDIR", "chmod 500 $TMPDIR/.."],
  ["a long output", "printf '%040000d' 0"],
  ["a refused access", ": </etc/shadow"],
];

for (const [name, command] of traces) {
  Deno.test({
    name: `resident calls > the next call after ${name} has another process`,
    ignore,
    async fn() {
      await using it = scene();
      await it.peer.initialize();
      const [first] = [await it.bash("true"), keptProcesses(it)][1] as number[];
      await it.bash(command);
      expect((await it.bash("echo $TMPDIR/* $TMPDIR/../*; ls -ld $TMPDIR")).text)
        .toMatch(/^\S+\/\* \S+\/\.\.\/\d+\ndrwx------ /);
      expect(await until(() => !keptProcesses(it).includes(first!))).toBe(true);
      expect(await it.peer.end()).toBe(0);
      const left = () => [...Deno.readDirSync(it.tmp)].map(({ name }) => `${it.tmp}/${name}`);
      // Only a long output stays.
      const isGone = () =>
        left().every((path) => name === "a long output" && !isThere(`${path}/tmp`));
      expect(await until(isGone)).toBe(true);
    },
  });
}

Deno.test({
  name: "resident calls > each call has a new TMPDIR, and its programs end when it ends",
  ignore,
  async fn() {
    await using it = scene();
    await it.peer.initialize();
    const first = await it.bash(`echo $TMPDIR; setsid ${endlessSleep()} >/dev/null 2>&1 &`);
    // The program may end before setsid has started sleep, and before it has its arguments.
    expect(first.text).toMatch(/^\S+\n\[Ended with the command: (setsid )?sleep/);
    const second = await it.bash("echo $TMPDIR");
    expect(first.text.split("\n")[0]).not.toBe(second.text.trim());
    expect(keptProcesses(it).length).toBe(1);
    // A call that reaches its time limit ends its process too.
    const [kept] = keptProcesses(it);
    expect((await it.bash(endlessSleep(), 2_000)).text)
      .toContain("The time limit of 2000 ms passed");
    expect((await it.bash("echo next")).text).toBe("next\n");
    expect(await until(() => !keptProcesses(it).includes(kept!))).toBe(true);
  },
});

Deno.test({
  name:
    "resident calls > the next call finds a replaced directory, new files and a new protected file",
  ignore,
  async fn() {
    await using it = scene(["--allow-run=bash,ls,mkdir"]);
    await it.peer.initialize();
    expect((await it.bash("mkdir sub")).isError).toBe(false);
    Deno.renameSync(it.inside, `${it.inside}-old`);
    Deno.mkdirSync(it.inside);
    expect((await it.bash("ls")).text).toBe("The command printed nothing");
    expect((await it.bash("echo new >file && ls")).text).toBe("file\n");
    expect(Deno.readTextFileSync(`${it.inside}/file`)).toBe("new\n");
    // A protected file is read-only for the next call if the sandbox can make mounts.
    Deno.mkdirSync(`${it.inside}/.git`);
    Deno.writeTextFileSync(`${it.inside}/.git/config`, "");
    const served = await it.bash("echo planted >.git/config");
    const single = JSON.parse(
      (await toolcall([...it.flags, "Bash"], {
        stdin: JSON.stringify({ command: "echo planted >.git/config" }),
        cwd: it.inside,
      })).stdout,
    );
    expect(served).toEqual({ isError: single.isError, text: single.content[0].text });
  },
});

Deno.test({
  name:
    "resident calls > only the main thread of a kept process is in the sandbox, also after a pause",
  ignore,
  async fn() {
    await using it = scene();
    await it.peer.initialize();
    // The runtime ends threads that were idle for ten seconds.
    for (const pauseMs of [0, 3_000, 11_000]) {
      await it.bash("echo before");
      await pause(
        pauseMs,
        "The runtime ends threads after a time, which is what the test is about.",
      );
      const [begun, go] = [`${it.inside}/begun`, `${it.inside}/go`];
      const command = ": >begun; echo begun; until [ -e go ]; do sleep 0.02; done; echo ended";
      const running = it.bash(command);
      expect(await until(() => isThere(begun))).toBe(true);
      const kept = keptProcesses(it);
      expect(kept.length).toBeGreaterThan(0);
      const confined = kept.flatMap((pid) =>
        threadsOf(pid).filter((thread) => thread !== pid && hasFilter(pid, thread))
      );
      expect({ pauseMs, confined }).toEqual({ pauseMs, confined: [] });
      Deno.writeTextFileSync(go, "");
      expect((await running).text).toBe("begun\nended\n");
      for (const path of [begun, go]) Deno.removeSync(path);
    }
  },
});

/** Whether a thread has the filter of system calls (seccomp), which threads inherit (`proc(5)`). */
const hasFilter = (pid: number, thread: number) =>
  /^Seccomp:\t2$/m.test(Deno.readTextFileSync(`/proc/${pid}/task/${thread}/status`));
