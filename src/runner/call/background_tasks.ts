/** Background tasks: a call starts one, and later calls read and stop it. */

import { CallError } from "../../base/errors.ts";
import { outputSoFar } from "../../base/fs/output_so_far.ts";
import { delay } from "@std/async/delay";
import { quote } from "../../base/text/quote.ts";
import type { TaskReport } from "../registry/services.ts";
import type { CallOptions, Prepared, TaskOrder } from "./call.ts";
import type { CallResult } from "./failure.ts";
import { callPolicy } from "./run.ts";
import { ownVariable } from "../own_environment.ts";
import { ownCommand, startDetached } from "../sandbox/executors/own_process.ts";
import { birthOf, isLocked } from "../sandbox/executors/process.ts";
import { signalProcess } from "../sandbox/executors/spawn.ts";
import type { StoredTask, TaskStore } from "../state/task_store.ts";

/** The interval between two looks at a running task, in milliseconds. */
const LOOK_MS = 50;
/** The time that the task's process has to end the task, in milliseconds. */
const STOP_MS = 6_000;
/** The most characters of output in a report. */
const MAX_OUTPUT = 30_000;

/**
 * Starts a call as a background task, in a process that outlives this one and has the same flags.
 * Resolves when the task is recorded. Rejects if that fails.
 */
export async function startTask(
  prepared: Prepared,
  options: CallOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  if (ownVariable("wall") !== undefined) {
    throw new CallError(
      "unavailable",
      "Cannot run in the background with --wall: everything inside that layer ends with the " +
        "call; omit the flag or run_in_background",
    );
  }
  const { name } = prepared.tool.metadata;
  const order: TaskOrder = {
    call: { name, arguments: prepared.args },
    timeoutMs: callPolicy(prepared, options).timeoutMs,
    ...(options.taskOwner !== undefined && {
      owner: options.taskOwner,
      capabilities: await options.ask.requests?.capabilities() ?? [],
    }),
  };
  const [path, ...own] = ownCommand(options.program);
  const command: [string, ...string[]] = [path, ...own, ...options.flags, "run-task"];
  return JSON.parse(await startDetached(command, { input: JSON.stringify(order), signal }));
}

/** Reports on a task after it has ended or `waitMs` have passed. Throws for an unknown id. */
export async function readTask(
  tasks: TaskStore,
  id: string,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<TaskReport> {
  return reportOf(await waitForEnd(tasks, id, waitMs, signal), tasks);
}

/** Returns the state of a task after it has ended or `ms` have passed. */
async function waitForEnd(
  tasks: TaskStore,
  id: string,
  ms: number,
  signal?: AbortSignal,
): Promise<StoredTask> {
  for (const end = Date.now() + ms;; await delay(LOOK_MS)) {
    const task = currentTask(tasks, id);
    if (task.status !== "running" || Date.now() >= end) return task;
    signal?.throwIfAborted();
  }
}

/** Stops a running task and reports on it. Throws for an unknown id. */
export async function stopTask(tasks: TaskStore, id: string): Promise<TaskReport> {
  const { status, pid, born } = currentTask(tasks, id);
  if (status === "running") {
    if (birthOf(pid) !== born) {
      throw new CallError(
        "tool_failed",
        `Cannot stop ${quote(id)}: its process is not visible here; stop it from the container ` +
          "or machine that it runs in",
      );
    }
    signalProcess(pid, "SIGTERM");
    if ((await waitForEnd(tasks, id, STOP_MS)).status === "running") {
      // Its child processes end with it: see the keeper in src/runner/sandbox/executors/keeper.ts.
      signalProcess(pid, "SIGKILL");
      tasks.end(id, { status: "stopped", text: soFar(tasks, id) });
    }
  }
  return reportOf(currentTask(tasks, id), tasks);
}

/** Returns the current state of a task. A running task without its process is recorded as lost. */
export function currentTask(tasks: TaskStore, id: string): StoredTask {
  const task = tasks.get(id);
  if (task.status !== "running" || hasProcess(task, tasks)) return task;
  const text = "The process that supervised the task ended unexpectedly, and the task with it";
  const all = `${soFar(tasks, id).trimEnd()}\n${text}`.trimStart();
  const end = { status: "lost", text: all } as const;
  try {
    // The task may have recorded its own end since the first look. That record wins.
    tasks.end(id, end);
    return tasks.get(id);
  } catch {
    // The task is lost even if that cannot be recorded, because the disk is full for example.
    return { ...task, ...end };
  }
}

/** Whether the task's process runs. If it is not visible from here, its lock shows that. */
function hasProcess({ id, pid, born }: StoredTask, tasks: TaskStore): boolean {
  return (born !== "" && birthOf(pid) === born) || isLocked(tasks.outputFile(id));
}

function reportOf(task: StoredTask, tasks: TaskStore): TaskReport {
  const { id, tool, title, status, startedAt, endedAt } = task;
  return {
    ...{ id, tool, title, status, startedAt },
    ...(endedAt !== undefined && { endedAt }),
    text: task.text ?? soFar(tasks, id),
    outputFile: tasks.outputFile(id),
  };
}

function soFar(tasks: TaskStore, id: string): string {
  return outputSoFar(tasks.outputFile(id), MAX_OUTPUT);
}
