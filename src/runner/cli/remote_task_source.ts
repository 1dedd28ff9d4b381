/** The background tasks of a user on workers, which the ledger has. */

import { delay } from "@std/async/delay";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { connectTo, userOf } from "../remote/connection.ts";
import { RemoteTasks } from "../remote/remote_tasks.ts";
import type { CommandLine } from "./command.ts";
import { natsAddress, poolOf } from "./remote_flags.ts";
import { writeAll } from "./streams.ts";
import type { LogOptions, TaskSource } from "./task_source.ts";

/** The interval between two looks at the output of a running task, in milliseconds. */
const LOOK_MS = 250;

/** The length of the end of the printed output that is looked for in later output. */
const MARK_LENGTH = 1_000;

/** Connects, and opens the tasks of the user. Rejects with `unavailable`. */
export async function openRemoteTasks(line: CommandLine): Promise<TaskSource> {
  const [address, pool] = [natsAddress(line), poolOf(line)];
  const connection = await connectTo(address, "toolcall tasks");
  const tasks = await RemoteTasks.open(connection, { pool, batch: `${userOf(address)}.tasks` });
  return {
    isRemote: true,
    list: () => tasks.list(),
    read: (id, waitMs, signal) => tasks.read(id, waitMs, signal),
    stop: (id) => tasks.stop(id),
    printLogs: (id, options) => printLogs(tasks, id, options),
    close: () => connection.close(),
  };
}

async function printLogs(
  tasks: RemoteTasks,
  id: string,
  { process: { stdout }, isJson, follow }: LogOptions,
): Promise<void> {
  for (let before = "";; await delay(LOOK_MS, { signal: follow }).catch(() => {})) {
    const { status, text } = await tasks.output(id);
    const isOpen = status === "running" || status === "waiting";
    const isLast = follow === undefined || follow.aborted || !isOpen;
    const lineEnd = isLast && text !== "" && !text.endsWith("\n") ? "\n" : "";
    const added = addedText(before, text) + lineEnd;
    before = text;
    if (isJson && (isLast || added !== "")) {
      await writeAll(stdout, `${JSON.stringify({ id, status, output: added })}\n`);
    } else if (!isJson) {
      await writeAll(stdout, stdout.isTerminal() ? escapeControls(added) : added);
    }
    if (isLast) return;
  }
}

/**
 * Returns the part of an output that an earlier look at it did not have. A long output comes without
 * its middle, so the end of the earlier one is looked for.
 */
export function addedText(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  const mark = before.slice(-MARK_LENGTH);
  const at = now.lastIndexOf(mark);
  return at < 0 ? now : now.slice(at + mark.length);
}
