/** A server keeps processes and Workers for later calls. These tests count them. */
import { expect } from "@std/expect";
import { toolcall } from "../../support/executable.ts";
import { isThere } from "../../../src/runner/sandbox/policy/paths.ts";
import { endlessSleep, isAlive } from "../../support/processes.ts";
import { until } from "../../support/wait.ts";
import { keptProcesses, scene, workers } from "./resident_scene.ts";

const ignore = Deno.build.os !== "linux";

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
    // The command may end before bash has started setsid, or before setsid has started sleep.
    expect(first.text).toMatch(/^\S+\n\[Ended with the command: .*\bsleep\b/);
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
