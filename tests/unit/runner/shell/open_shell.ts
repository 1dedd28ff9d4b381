/** A real bash without a sandbox that a `ShellDriver` drives, for tests. Linux only. */
import { expect } from "@std/expect";
import { BASH_ARGUMENTS, ShellDriver } from "../../../../src/runner/shell/shell_driver.ts";
import {
  endNewProcesses,
  processesBelow,
  ticksOfClock,
} from "../../../../src/runner/shell/new_processes.ts";
import { birthOf } from "../../../../src/runner/sandbox/executors/process.ts";
import { has } from "../../../support/programs.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import { killWhenStuck, until } from "../../../support/wait.ts";

/** The end of a command. The output has a line on the end of the shell, if it has ended. */
interface End {
  text: string;
  code: number;
  isKept: boolean;
}

/** A bash that runs one command after the other. */
export async function openShell() {
  const child = new Deno.Command("bash", {
    ...{ args: BASH_ARGUMENTS, clearEnv: true, env: { PATH: Deno.env.get("PATH")! } },
    ...{ stdin: "piped", stdout: "piped", stderr: "null", detached: true },
  }).spawn();
  const kill = () => {
    try {
      Deno.kill(-child.pid, "SIGKILL");
    } catch { /* It has ended. */ }
    return Promise.resolve();
  };
  const guard = killWhenStuck(child);
  const driver = new ShellDriver(child, kill);
  await driver.begin();
  const clock = ticksOfClock();
  /** Starts a command. */
  const start = (command: string) => {
    const decoder = new TextDecoder();
    const stop = new AbortController();
    let text = "";
    const [since, old] = [clock(), processesBelow(Deno.pid)];
    const running = driver.run(command, {
      take: (bytes) => {
        text += decoder.decode(bytes, { stream: true });
        return Promise.resolve();
      },
      stop: stop.signal,
      endForeground: () => {
        const host = { host: Deno.pid, born: birthOf(Deno.pid)!, shell: child.pid };
        return Promise.resolve(endNewProcesses({ ...host, since, old }));
      },
    });
    return {
      output: () => text,
      stop: () => stop.abort(),
      end: running.then(({ code, isKept }): End => ({ text, code, isKept })),
    };
  };
  return {
    start,
    run: (command: string): Promise<End> => start(command).end,
    async [Symbol.asyncDispose]() {
      guard[Symbol.dispose]();
      await kill();
      await driver.ended;
      const all = { shell: 0, since: 0, old: new Map() };
      endNewProcesses({ host: Deno.pid, born: birthOf(Deno.pid)!, ...all });
      await driver.drained;
      await child.stdin.abort().catch(() => {});
    },
  };
}

/** The tests of such a bash run only where it works. */
export const only = { ignore: Deno.build.os !== "linux" || !has("bash") };

/** The command lines and states of the processes below this one (proc(5)). */
export function processes(): { line: string; state: string | undefined }[] {
  return [...processesBelow(Deno.pid).keys()].flatMap((pid) => {
    try {
      const line = Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
      const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
      return [{ line, state: stat.slice(stat.lastIndexOf(")") + 2)[0] }];
    } catch {
      // It has ended.
      return [];
    }
  });
}

/** The signs that a command has reached the place where it hangs, by its output so far. */
export type Sign = (output: string) => boolean;

/** A sign: the command has printed that line. */
export const prints = (line: string): Sign => (output) => output.includes(`${line}\n`);

/** A command that hangs, the sign that it hangs, and whether the shell survives its end. */
export type Hanging = readonly [command: string, hangs: Sign, isKept: boolean];

/** Defines the test that a command which hangs is ended. */
export function testHanging([command, hangs, isKept]: Hanging): void {
  Deno.test({
    name: `shell driver > a command that hangs is ended${
      isKept ? ", and the shell stays" : ""
    }: ${command}`,
    ...only,
    async fn() {
      using directory = temporaryDirectory();
      await using shell = await openShell();
      await shell.run(`cd /usr; export TMPDIR=${directory.path}; sleep 1001 & kept=$!`);
      // Bash forks first. The new process ignores SIGINT only when it runs the program.
      expect(await until(() => processes().some(({ line }) => line === "sleep 1001"))).toBe(true);
      const running = shell.start(`echo begun; ${command}`);
      expect(await until(() => hangs(running.output()))).toBe(true);
      running.stop();
      expect((await running.end).isKept).toBe(isKept);
      if (isKept) {
        const { text } = await shell.run("pwd; kill -0 $kept && echo job");
        expect(text).toBe("/usr\njob\n");
      }
    },
  });
}
