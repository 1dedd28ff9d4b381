/** The background tasks of this machine, which the state directory has. */

import { delay } from "@std/async/delay";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { currentTask, readTask, stopTask } from "../call/background_tasks.ts";
import { State } from "../state/state.ts";
import { stateDirectory } from "../state/state_directory.ts";
import type { StoredTask, TaskStore } from "../state/task_store.ts";
import type { CommandLine } from "./command.ts";
import { writeAll } from "./streams.ts";
import type { LogOptions, TaskSource } from "./task_source.ts";

/** The interval between two looks at the output of a running task, in milliseconds. */
const LOOK_MS = 100;

/** Opens the tasks in the state directory. */
export function openLocalTasks({ options }: CommandLine): TaskSource {
  const state = new State(stateDirectory(options.get("state-dir")), "");
  const { tasks } = state;
  return {
    isRemote: false,
    list: () => Promise.resolve(listTasks(tasks)),
    read: (id, waitMs, signal) => readTask(tasks, id, { waitMs, signal }),
    stop: (id) => stopTask(tasks, id),
    printLogs: (id, given) => printLogs(tasks, id, given),
    close: () => Promise.resolve(state.close()),
  };
}

/** Lists the stored tasks, each with its current status. */
export function listTasks(tasks: TaskStore): StoredTask[] {
  return tasks.list().map((task) => task.status === "running" ? currentTask(tasks, task.id) : task);
}

async function printLogs(
  tasks: TaskStore,
  id: string,
  { process: { stdout }, isJson, follow: signal }: LogOptions,
): Promise<void> {
  const decoder = new TextDecoder();
  let [at, hasOutput] = [0, false];
  for (;;) {
    // The status is read before the output: what the task printed before its end is then complete.
    const { status, text = "" } = currentTask(tasks, id);
    const isLast = signal === undefined || signal.aborted || status !== "running";
    const data = bytesFrom(tasks.outputFile(id), at);
    at += data.length;
    hasOutput ||= data.length > 0;
    const added = decoder.decode(data, { stream: !isLast });
    // Only programs have output. The other tools have a result.
    const output = isLast && !hasOutput && status !== "running" ? `${text}\n` : added;
    if (isJson && (isLast || output !== "")) {
      await writeAll(stdout, `${JSON.stringify({ id, status, output })}\n`);
    } else if (!isJson) {
      await writeAll(stdout, stdout.isTerminal() ? escapeControls(output) : output);
    }
    if (isLast) return;
    await delay(LOOK_MS, { signal }).catch(() => {});
  }
}

/** The bytes of a file from an offset to its end. Empty if there is no file. */
function bytesFrom(path: string, at: number): Uint8Array {
  try {
    using file = Deno.openSync(path);
    const data = new Uint8Array(Math.max(file.statSync().size - at, 0));
    file.seekSync(at, Deno.SeekMode.Start);
    let length = 0;
    for (let count: number | null = 1; count && length < data.length; length += count ?? 0) {
      count = file.readSync(data.subarray(length));
    }
    return data.subarray(0, length);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Uint8Array();
    throw error;
  }
}
