/** A server keeps processes and Workers for later calls. These tests count what it starts. */
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../support/executable.ts";
import { Peer } from "../../support/mcp/peer.ts";
import { isThere } from "../../../src/runner/sandbox/policy/paths.ts";
import { isAlive, processesWith, threadsOf, until } from "../../support/processes.ts";

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

/** The child processes of the server that are of this program. */
function keptProcesses({ peer }: { peer: Peer }): number[] {
  const { pid } = peer.process;
  const children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim().split(" ");
  const kept = processesWith("run-programs");
  return children.map(Number).filter((each) => kept.includes(each) && isAlive(each));
}

/** The Workers of the server, each by a name that no later one gets. */
function workers({ peer }: { peer: Peer }): string[] {
  const directory = `/proc/${peer.process.pid}/task`;
  return [...Deno.readDirSync(directory)]
    .map(({ name }) => Deno.readTextFileSync(`${directory}/${name}/comm`).trim())
    .filter((name) => name.startsWith("worker-"));
}

Deno.test({
  name: "resident calls > twenty calls of Bash start one process of this program",
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
  name:
    "resident calls > twenty calls each of Write, Edit and TodoWrite start one Worker for each kind",
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
  name:
    "resident calls > a burst of a hundred calls starts hardly more Workers than there are processors",
  ignore,
  async fn() {
    await using it = scene([]);
    await it.peer.initialize();
    const answers = Array.from(
      { length: 100 },
      (_, at) => it.call("Write", { file_path: `${it.inside}/${at}`, content: `${at}` }),
    );
    const failed = (await Promise.all(answers)).filter(({ isError }) => isError);
    expect(failed).toEqual([]);
    expect([...Deno.readDirSync(it.inside)].length).toBe(100);
    // On a very busy machine a Worker can take longer to start than a job counts as beginning.
    expect(workers(it).length).toBeLessThanOrEqual(navigator.hardwareConcurrency + 2);
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
      command: "echo >$TMPDIR/file; setsid sleep 40.25 & sleep 40.25",
    });
    running.catch(() => {});
    const pids = keptProcesses(it);
    expect(await until(() => [...Deno.readDirSync(it.tmp)].length > 0)).toBe(true);
    it.peer.process.kill("SIGKILL");
    expect(await until(() => pids.every((pid) => !isAlive(pid)))).toBe(true);
    expect(await until(() => [...Deno.readDirSync(it.tmp)].length === 0)).toBe(true);
  },
});

/** Calls after which no other call may use the process, and what a later call would find of them. */
const traces: readonly [name: string, command: string][] = [
  ["a shut directory in TMPDIR", "mkdir -p $TMPDIR/a/b && chmod 0 $TMPDIR/a/b $TMPDIR/a $TMPDIR"],
  ["a file in TMPDIR", "echo left >$TMPDIR/file"],
  ["a file beside TMPDIR", "echo left >$TMPDIR/../file"],
  ["a directory above TMPDIR that is shut", "chmod 500 $TMPDIR/.."],
  ["a long output", "printf '%040000d' 0"],
  ["a refused access", ": </etc/shadow"],
];

for (const [name, command] of traces) {
  Deno.test({
    name: `resident calls > after ${name}, the next call has another process`,
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
  name: "resident calls > each call has a new TMPDIR, and its programs end with it",
  ignore,
  async fn() {
    await using it = scene();
    await it.peer.initialize();
    const first = await it.bash("echo $TMPDIR; setsid sleep 40.75 >/dev/null 2>&1 &");
    // The program may be ended before setsid has become sleep, and before it has its arguments.
    expect(first.text).toMatch(/^\S+\n\[Ended with the command: (setsid )?sleep/);
    const second = await it.bash("echo $TMPDIR");
    expect(first.text.split("\n")[0]).not.toBe(second.text.trim());
    expect(keptProcesses(it).length).toBe(1);
    // A call that is ended by its time limit ends its process too.
    const [kept] = keptProcesses(it);
    expect((await it.bash("sleep 40", 200)).text).toContain("The time limit of 200 ms passed");
    expect((await it.bash("echo next")).text).toBe("next\n");
    expect(await until(() => !keptProcesses(it).includes(kept!))).toBe(true);
  },
});

Deno.test({
  name:
    "resident calls > a file, a directory or a protected file that is new counts for the next call",
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
    // Where mounts can be made, a protected file is read-only from the next call on.
    Deno.mkdirSync(`${it.inside}/.git`);
    Deno.writeTextFileSync(`${it.inside}/.git/config`, "");
    const served = await it.bash("echo planted >.git/config");
    const alone = JSON.parse(
      (await toolcall([...it.flags, "Bash"], {
        stdin: JSON.stringify({ command: "echo planted >.git/config" }),
        cwd: it.inside,
      })).stdout,
    );
    expect(served).toEqual({ isError: alone.isError, text: alone.content[0].text });
  },
});

Deno.test({
  name: "resident calls > no thread beside the main one is in the sandbox, also after a pause",
  ignore,
  async fn() {
    await using it = scene();
    await it.peer.initialize();
    // The runtime ends threads that were idle for ten seconds.
    for (const pause of [0, 3_000, 11_000]) {
      await it.bash("echo before");
      await new Promise((resolve) => setTimeout(resolve, pause));
      const running = it.bash("echo begun; sleep 1.0719; echo ended");
      expect(await until(() => processesWith("sleep 1.0719").length > 0)).toBe(true);
      const kept = keptProcesses(it);
      expect(kept.length).toBeGreaterThan(0);
      const confined = kept.flatMap((pid) =>
        threadsOf(pid).filter((thread) => thread !== pid && hasFilter(pid, thread))
      );
      expect({ pause, confined }).toEqual({ pause, confined: [] });
      expect((await running).text).toBe("begun\nended\n");
    }
  },
});

/** Whether a thread has the filter of system calls, which threads inherit (`proc(5)`). */
const hasFilter = (pid: number, thread: number) =>
  /^Seccomp:\t2$/m.test(Deno.readTextFileSync(`/proc/${pid}/task/${thread}/status`));
