/** The list of a user's background tasks, which is one record of the ledger. */

import { delay } from "@std/async/delay";
import { isObject } from "../../base/json/is_object.ts";
import type { Ledger } from "./ledger.ts";
import { RESULT_AGE_MS } from "./streams.ts";
import { taskListSubject } from "./subjects.ts";

/** The most tasks in a list. The record then has less than 512 KiB. */
const MAX_TASKS = 1_000;

/** The longest title in a list, in characters. */
const MAX_TITLE = 80;

/** The longest pause after another process has changed the list, in milliseconds. */
const RETRY_MS = 50;

/** A task in the list. */
export interface TaskEntry {
  /** Its id. */
  id: string;
  /** The tool of the call. */
  tool: string;
  /** The title for people. */
  title: string;
  /** Its pool. */
  pool: string;
  /** When it was sent, in milliseconds since 1970. */
  startedAt: number;
}

/** Reads and changes a list. */
export class TaskList {
  readonly #subject: string;
  /** The last change of this process. The next one waits for it. */
  #changed: Promise<unknown> = Promise.resolve();

  /** Takes the ledger and the user. */
  constructor(readonly ledger: Ledger, user: string) {
    this.#subject = taskListSubject(user);
  }

  /** The tasks of the last 24 hours, the newest first. */
  async read(): Promise<TaskEntry[]> {
    return (await this.#load()).entries;
  }

  /** Adds a task. Returns false if it is in the list already. */
  add(entry: TaskEntry): Promise<boolean> {
    const changed = this.#changed.then(() => this.#add(entry));
    this.#changed = changed.catch(() => {});
    return changed;
  }

  async #add(entry: TaskEntry): Promise<boolean> {
    const { title } = entry;
    const added = title.length > MAX_TITLE
      ? { ...entry, title: `${title.slice(0, MAX_TITLE)}…` }
      : entry;
    for (;;) {
      const { entries, sequence } = await this.#load();
      if (entries.some(({ id }) => id === entry.id)) return false;
      const all = [added, ...entries].slice(0, MAX_TASKS);
      const data = new TextEncoder().encode(JSON.stringify(all));
      const record = {
        state: "done",
        expected: sequence,
        nonce: crypto.randomUUID(),
        data,
      } as const;
      if (await this.ledger.write(this.#subject, record) !== undefined) return true;
      await delay(Math.random() * RETRY_MS);
    }
  }

  async #load(): Promise<{ entries: TaskEntry[]; sequence: number }> {
    const record = await this.ledger.message(this.#subject);
    if (record === undefined) return { entries: [], sequence: 0 };
    const oldest = Date.now() - RESULT_AGE_MS;
    return {
      entries: readEntries(record.data).filter(({ startedAt }) => startedAt > oldest),
      sequence: record.seq,
    };
  }
}

/** Reads a list. A record of another form counts as an empty list, so the next task replaces it. */
function readEntries(data: Uint8Array): TaskEntry[] {
  try {
    const value = JSON.parse(new TextDecoder().decode(data));
    return Array.isArray(value) ? value.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is TaskEntry {
  if (!isObject(value)) return false;
  const { id, tool, title, pool, startedAt } = value;
  return [id, tool, title, pool].every((each) => typeof each === "string") &&
    typeof startedAt === "number";
}
