import { delay } from "@std/async/delay";
import { type LogProblems, readLog } from "../audit/log_reader.ts";
import { EventStream } from "./event_stream.ts";
import type { PageBackend } from "./page_backend.ts";

/** The interval between two looks at the tasks, in milliseconds. */
const LOOK_MS = 500;

/** Answers with a stream of the tasks when they change, and of the lines of the audit log. */
export function streamEvents(backend: PageBackend, stopped: AbortSignal): Response {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, stopped]);
  const stream = new EventStream(() => stop.abort());
  sendTasks(backend, stream, signal).catch(() => {}).finally(() => stream.close());
  const { audit } = backend.shared.options;
  if (audit !== undefined) sendAudit(audit, stream, signal).catch(() => {});
  return stream.response;
}

async function sendTasks(
  backend: PageBackend,
  stream: EventStream,
  signal: AbortSignal,
): Promise<void> {
  for (let before = ""; !signal.aborted;) {
    const tasks = backend.tasks();
    const now = JSON.stringify(tasks);
    if (now !== before) stream.send("tasks", tasks);
    before = now;
    await delay(LOOK_MS, { signal });
  }
}

/** Follows the log. It may not exist before the first call. */
async function sendAudit(path: string, stream: EventStream, signal: AbortSignal): Promise<void> {
  const problems: LogProblems = { broken: 0 };
  while (!signal.aborted) {
    try {
      for await (const { record } of readLog(path, { problems, signal })) {
        stream.send("audit", record);
      }
    } catch {
      await delay(LOOK_MS, { signal });
    }
  }
}
