import { isObject } from "../../../base/json/is_object.ts";
import { type McpTask, TASKS_EXTENSION } from "../tasks_extension.ts";
import type { ServerContext } from "./tools_call.ts";

/** The interval at which the state of the tasks is read, in milliseconds. */
const LOOK_MS = 500;
/** The most tasks of one subscription. */
const MAX_TASKS = 100;

/** The key of the capabilities of a client in the metadata of a request. */
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** Returns the ids of tasks that a `subscriptions/listen` names; `undefined` if it names none. */
export function listenedTaskIds(message: Record<string, unknown>): string[] | undefined {
  const filter = filterOf(message);
  const ids = filter["taskIds"];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : undefined;
}

/** Whether a `subscriptions/listen` names nothing but tasks. */
export function listensOnlyToTasks(message: Record<string, unknown>): boolean {
  return Object.keys(filterOf(message)).every((key) => key === "taskIds");
}

/** Whether the request declares the extension for tasks. */
export function declaresTasks({ params }: Record<string, unknown>): boolean {
  const meta = isObject(params) ? params["_meta"] : undefined;
  const capabilities = isObject(meta) ? meta[CAPABILITIES] : undefined;
  const extensions = isObject(capabilities) ? capabilities["extensions"] : undefined;
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION]);
}

function filterOf({ params }: Record<string, unknown>): Record<string, unknown> {
  const filter = isObject(params) ? params["notifications"] : undefined;
  return isObject(filter) ? filter : {};
}

/** Watches tasks of a client, and tells each change of their states. */
export class TaskWatch {
  #states: Map<string, string>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  private constructor(readonly options: ServerContext["options"], ids: readonly string[]) {
    this.#states = new Map(ids.map((id) => [id, "working"]));
  }

  /** Prepares to watch the tasks that this client may read. */
  static async open(
    ids: readonly string[],
    options: ServerContext["options"],
  ): Promise<TaskWatch> {
    const { readClientTask } = await import("./client_tasks.ts");
    const known: string[] = [];
    for (const id of ids.slice(0, MAX_TASKS)) {
      const task = await readClientTask(id, options).catch(() => undefined);
      if (task !== undefined) known.push(id);
    }
    return new TaskWatch(options, known);
  }

  /** The ids of the tasks. */
  get ids(): string[] {
    return [...this.#states.keys()];
  }

  /** Begins to report the changes. A task that has ended already is reported at once. */
  start(tell: (task: McpTask) => void): void {
    const look = async () => {
      const { readClientTask } = await import("./client_tasks.ts");
      for (const [id, before] of this.#states) {
        const task = await readClientTask(id, this.options).catch(() => undefined);
        if (this.#isClosed) return;
        if (task === undefined || task.status === before) continue;
        // A task that asks goes on, and is watched until it has ended.
        if (task.status === "working" || task.status === "input_required") {
          this.#states.set(id, task.status);
        } else this.#states.delete(id);
        tell(task);
      }
      if (this.#states.size > 0 && !this.#isClosed) this.#timer = setTimeout(look, LOOK_MS);
    };
    void look();
  }

  /** Ends the watch. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
