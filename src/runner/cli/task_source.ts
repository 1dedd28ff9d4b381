/** The background tasks that `toolcall tasks` shows: those of this machine, or those of workers. */

import type { TaskReport } from "../registry/services.ts";
import type { Process } from "./command.ts";
import type { ListedTask } from "./print/task_page.ts";

/** How the output of a task is printed. */
export interface LogOptions {
  /** The streams of the command. */
  process: Process;
  /** Whether each part is printed as a line of JSON. */
  isJson: boolean;
  /** Whether new output is printed until the task ends, or this signal is aborted. */
  follow?: AbortSignal;
}

/** The background tasks of one place. */
export interface TaskSource {
  /** Whether the tasks run on workers. */
  isRemote: boolean;
  /** The tasks, the newest first. */
  list(): Promise<readonly ListedTask[]>;
  /** Reports on a task after it has ended or `waitMs` have passed. Rejects for an unknown id. */
  read(id: string, waitMs: number, signal: AbortSignal): Promise<TaskReport>;
  /** Stops a task and reports on it. Rejects for an unknown id. */
  stop(id: string): Promise<TaskReport>;
  /** Prints the output of a task. Rejects for an unknown id. */
  printLogs(id: string, options: LogOptions): Promise<void>;
  /** Ends the use of the source. */
  close(): Promise<void>;
}
