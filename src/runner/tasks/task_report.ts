import { CallError } from "../../base/errors.ts";
import { outputSoFar } from "../../base/fs/output_so_far.ts";
import { delay } from "@std/async/delay";
import { quote } from "../../base/text/quote.ts";
import type { TaskReport } from "../registry/services.ts";
import { birthOf, isLocked, signalProcess } from "../sandbox/executors/process.ts";
import type { StoredTask, TaskStore } from "../state/task_store.ts";

/** How often a task that runs is looked at, in milliseconds. */
const LOOK_MS = 50;
/** How long the process that looks after a task has to end it, in milliseconds. */
const STOP_MS = 6_000;
/** The most characters of output in a report. */
const SHOWN = 30_000;

/** How a task stands, once it has ended or `waitMs` have passed. Throws for an unknown id. */
export async function readTask(
  tasks: TaskStore,
  id: string,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<TaskReport> {
  for (const end = Date.now() + waitMs;; await delay(LOOK_MS)) {
    const task = current(tasks, id);
    if (task.status !== "running" || Date.now() >= end) return reportOf(task, tasks);
    signal.throwIfAborted();
  }
}

/** Ends a task that runs, and tells how it stands then. Throws for an unknown id. */
export async function stopTask(tasks: TaskStore, id: string): Promise<TaskReport> {
  const { status, pid, born } = current(tasks, id);
  if (status === "running") {
    if (birthOf(pid) !== born) {
      throw new CallError(
        "tool_failed",
        `Cannot stop ${quote(id)}: its process is not seen from here; stop it from the container ` +
          "or machine that it runs in",
      );
    }
    signalProcess(pid, "SIGTERM");
    if (!await hasEnded(tasks, id)) {
      // What it started ends with it: see the keeper in src/runner/sandbox/executors/supervise.ts.
      signalProcess(pid, "SIGKILL");
      tasks.end(id, { status: "stopped", text: soFar(tasks, id) });
    }
  }
  return reportOf(current(tasks, id), tasks);
}

/** A task as it is now: one that nobody looks after any more is lost, and recorded as that. */
export function current(tasks: TaskStore, id: string): StoredTask {
  const task = tasks.get(id);
  if (task.status !== "running" || isLookedAfter(task, tasks)) return task;
  const text = "The process that looked after the task ended without a word, and the task with it";
  const end = {
    status: "lost",
    text: `${soFar(tasks, id).trimEnd()}\n${text}`.trimStart(),
  } as const;
  try {
    // Between the two looks it may have ended as it should: the first word stands.
    tasks.end(id, end);
    return tasks.get(id);
  } catch {
    // What cannot be recorded, on a disk that is full, is true all the same.
    return { ...task, ...end };
  }
}

/** Whether its process is there: by its birth, or where it is not seen from here, by its lock. */
function isLookedAfter({ id, pid, born }: StoredTask, tasks: TaskStore): boolean {
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
  return outputSoFar(tasks.outputFile(id), SHOWN);
}

async function hasEnded(tasks: TaskStore, id: string): Promise<boolean> {
  for (const end = Date.now() + STOP_MS; Date.now() < end; await delay(LOOK_MS)) {
    if (current(tasks, id).status !== "running") return true;
  }
  return false;
}
