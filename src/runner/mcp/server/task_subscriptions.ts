import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { isObject } from "../../../base/json/is_object.ts";
import { SUBSCRIPTION_KEY, taskNotification } from "./task_notification.ts";
import type { RequestError } from "./request_errors.ts";
import { missingTasks } from "./task_answers.ts";
import { declaresTasks, listenedTaskIds, TaskWatch } from "./task_watch.ts";
import type { ServerContext } from "./tools_call.ts";

/** The subscriptions to tasks of one connection over stdio. The SDK knows only the others. */
export class TaskSubscriptions {
  #watches = new Map<unknown, Promise<TaskWatch>>();

  /** Takes the context, and what sends a message to the client. */
  constructor(
    readonly shared: ServerContext,
    readonly send: (message: JSONRPCMessage) => Promise<void>,
  ) {}

  /** Takes a `subscriptions/listen`. Returns an error if the client may not send it. */
  listen(message: Record<string, unknown>): RequestError | undefined {
    const ids = listenedTaskIds(message);
    if (ids === undefined) return undefined;
    if (!declaresTasks(message)) {
      const { code, message, data } = missingTasks();
      return { code, message, data };
    }
    this.#watches.set(message["id"], TaskWatch.open(ids, this.shared.options));
    return undefined;
  }

  /** Sends a message. The acknowledgement of a subscription also gets the tasks that are watched. */
  async pass(message: JSONRPCMessage): Promise<void> {
    const id = acknowledgedId(message);
    const watch = id === undefined ? undefined : await this.#watches.get(id);
    if (watch === undefined) return await this.send(message);
    const { params } = message as { params: Record<string, unknown> };
    const notifications = { ...params["notifications"] as object, taskIds: watch.ids };
    await this.send({ ...message, params: { ...params, notifications } } as JSONRPCMessage);
    watch.start((task) => void this.send(taskNotification(task, id)));
  }

  /** Ends a subscription. */
  cancel(id: unknown): void {
    this.#watches.get(id)?.then((watch) => watch.close(), () => {});
    this.#watches.delete(id);
  }

  /** Ends all subscriptions. */
  close(): void {
    for (const id of [...this.#watches.keys()]) this.cancel(id);
  }
}

function acknowledgedId(message: JSONRPCMessage): unknown {
  if (!("method" in message)) return undefined;
  if (message.method !== "notifications/subscriptions/acknowledged") return undefined;
  const meta = message.params?.["_meta"];
  return isObject(meta) ? meta[SUBSCRIPTION_KEY] : undefined;
}
