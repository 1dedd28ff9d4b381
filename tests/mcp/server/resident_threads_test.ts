/** The threads of a process that a server keeps, also after the runtime has ended idle ones. */
// tier: machine
import { expect } from "@std/expect";
import { isThere } from "../../../src/runner/sandbox/policy/paths.ts";
import { threadsOf } from "../../support/processes.ts";
import { pause, until } from "../../support/wait.ts";
import { keptProcesses, scene } from "./resident_scene.ts";

Deno.test({
  name:
    "resident calls > only the main thread of a kept process is in the sandbox, also after a pause",
  ignore: Deno.build.os !== "linux",
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
