import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { REFUSAL_CODES } from "../json_rpc_error.ts";
import { SUBSCRIPTION_KEY, taskNotification } from "./task_notification.ts";
import { missingTasks } from "./task_answers.ts";
import { declaresTasks, listenedTaskIds, listensOnlyToTasks, TaskWatch } from "./task_watch.ts";
import type { ServerContext } from "./tools_call.ts";

/** The interval of comments that keep a connection open, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;
/** The most streams at the same time. */
const MAX_STREAMS = 128;

let openStreams = 0;

/**
 * Answers a `subscriptions/listen` over HTTP that names nothing but tasks. `answer` is the SDK's
 * answer, which checks the request: the SDK knows no tasks, and ends its stream at once. Returns
 * `undefined` for any other request, of which only the rest is then watched.
 */
export async function taskStream(
  body: Record<string, unknown>,
  { options }: ServerContext,
  answer: () => Promise<Response>,
): Promise<Response | undefined> {
  const ids = listenedTaskIds(body);
  if (ids === undefined) return undefined;
  const { id } = body;
  if (!declaresTasks(body)) {
    const { code, message, data } = missingTasks();
    return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } }, { status: 400 });
  }
  if (!listensOnlyToTasks(body)) return undefined;
  const checked = await answer();
  if (checked.headers.get("content-type") !== "text/event-stream") return checked;
  await checked.body?.cancel();
  if (openStreams >= MAX_STREAMS) {
    const error = { code: REFUSAL_CODES.internalError, message: "Subscription limit reached" };
    return Response.json({ jsonrpc: "2.0", id, error });
  }
  openStreams++;
  try {
    const watch = await TaskWatch.open(ids, options);
    return new Response(streamOf(watch, id), checked);
  } catch (error) {
    openStreams--;
    throw error;
  }
}

function streamOf(watch: TaskWatch, id: unknown): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let keepAlive: ReturnType<typeof setInterval> | undefined;
  return new ReadableStream({
    start(controller) {
      const write = (text: string) => controller.enqueue(encoder.encode(text));
      const send = (message: JSONRPCMessage) =>
        write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      send({
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { taskIds: watch.ids }, _meta: { [SUBSCRIPTION_KEY]: id } },
      });
      watch.start((task) => send(taskNotification(task, id)));
      keepAlive = setInterval(() => write(": keepalive\n\n"), KEEP_ALIVE_MS);
      Deno.unrefTimer(keepAlive);
    },
    cancel() {
      openStreams--;
      clearInterval(keepAlive);
      watch.close();
    },
  });
}
