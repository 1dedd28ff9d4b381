import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { TaskReport } from "../registry/services.ts";
import type { Database, Row } from "./database.ts";
import { mayUseTasksOf } from "./remote_session.ts";

/** The time that an ended task is stored, in milliseconds: one week. */
export const RETENTION_MS = 7 * 24 * 3_600_000;

/** A task when it starts. */
export type NewTask =
  & Pick<TaskReport, "id" | "tool" | "title">
  & {
    /** The session of the task. */
    session: string;
    /** The working directory of the task. `toolcall tasks` prints it under this name. */
    folder: string;
    /** The process that looks after it. */
    pid: number;
    /** Tells the process from a later one of that number. Empty if the system cannot. */
    born: string;
  };

/** A stored task. */
export interface StoredTask extends NewTask {
  /** The last recorded status. */
  status: TaskReport["status"];
  /** The start, in milliseconds since 1970. */
  startedAt: number;
  /** The end, in milliseconds since 1970. */
  endedAt: number | undefined;
  /** The final result. */
  text: string | undefined;
}

/**
 * Stores the background tasks. Their output is in files beside the store. Texts are stored as JSON,
 * because SQLite reads a string up to its first NUL.
 */
export class TaskStore {
  /** Takes the database, the directory for output, and the session that uses the tasks. */
  constructor(readonly database: Database, readonly directory: string, readonly session: string) {}

  /** The file of a task's output. */
  outputFile(id: string): string {
    return `${this.directory}/${id}.txt`;
  }

  /** Records a task that starts, and forgets those that ended long ago. */
  add({ id, tool, title, session, folder, pid, born }: NewTask): void {
    this.#forget(Date.now() - RETENTION_MS);
    this.database.run(
      `INSERT INTO task (id, tool, title, session, folder, pid, born, status, started)
         VALUES (?, ?, ?, ?, ?, ?, ?, 'running', ?)`,
      ...[id, tool, JSON.stringify(title), session, folder, pid, born, Date.now()],
    );
  }

  /** Records the end of a task. Returns false if it has ended before: the first end is final. */
  end(id: string, { status, text }: Pick<TaskReport, "status" | "text">): boolean {
    return this.database.run(
      "UPDATE task SET status = ?, text = ?, ended = ? WHERE id = ? AND status = 'running'",
      ...[status, JSON.stringify(text), Date.now(), id],
    ) > 0;
  }

  /** The task of that id. Throws `tool_failed`, also for a task that the session may not use. */
  get(id: string): StoredTask {
    const [row] = this.database.rows("SELECT * FROM task WHERE id = ?", id);
    const task = row && taskOf(row);
    if (task !== undefined && mayUseTasksOf(this.session, task.session)) return task;
    throw new CallError(
      "tool_failed",
      `Cannot find the background task ${quote(id, 80)}; "toolcall tasks" lists all tasks`,
    );
  }

  /** All tasks that the session may use, newest first. */
  list(): StoredTask[] {
    return this.database.rows("SELECT * FROM task ORDER BY started DESC, id").map(taskOf)
      .filter(({ session }) => mayUseTasksOf(this.session, session));
  }

  #forget(before: number): void {
    const old = this.database.rows("DELETE FROM task WHERE ended < ? RETURNING id", before);
    for (const { id } of old) {
      try {
        Deno.removeSync(this.outputFile(String(id)));
      } catch { /* it is gone already */ }
    }
  }
}

function taskOf(row: Row): StoredTask {
  const text = (name: string) => String(row[name]);
  return {
    id: text("id"),
    tool: text("tool"),
    title: JSON.parse(text("title")),
    session: text("session"),
    folder: text("folder"),
    pid: Number(row["pid"]),
    born: text("born"),
    status: text("status") as StoredTask["status"],
    startedAt: Number(row["started"]),
    endedAt: row["ended"] === null ? undefined : Number(row["ended"]),
    text: row["text"] === null ? undefined : JSON.parse(text("text")),
  };
}
