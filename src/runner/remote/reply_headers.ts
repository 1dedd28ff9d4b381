/** The headers of the messages that workers send. */

import { headers, type MsgHdrs } from "@nats-io/nats-core";
import type { CallResult } from "../call/failure.ts";
import { HEADERS } from "./subjects.ts";

/** The headers of a result that took no time. The caller then packs further calls of the tool. */
export function quickHeaders(worker: string): MsgHdrs {
  return headersWith({ [HEADERS.worker]: worker, [HEADERS.quick]: "1" });
}

/** The headers of an empty message which tells that the call still runs. */
export function beatHeaders(worker: string): MsgHdrs {
  return headersWith({ [HEADERS.worker]: worker, [HEADERS.beat]: "1" });
}

/** The headers of a line of progress. */
export function progressHeaders(): MsgHdrs {
  return headersWith({ [HEADERS.progress]: "1" });
}

/** The headers of the record of a running task. Its worker writes it again before `beatMs` have passed. */
export function runningHeaders(
  { startedAt, beatMs }: { startedAt: number; beatMs: number },
): MsgHdrs {
  return headersWith({ [HEADERS.started]: String(startedAt), [HEADERS.beatMs]: String(beatMs) });
}

/** The headers of a result. The services protocol counts a failure by its error headers. */
export function resultHeaders(result: CallResult, worker: string): MsgHdrs {
  const code = result._meta?.["toolcall/error"]?.code;
  return headersWith({
    [HEADERS.worker]: worker,
    ...(code !== undefined && {
      [HEADERS.code]: code,
      "Nats-Service-Error": code,
      "Nats-Service-Error-Code": "500",
    }),
  });
}

/**
 * The headers of the copy of a caller's message. The server obeys other headers, such as `Nats-Rollup`,
 * and the worker does not pass them on with its own rights.
 */
export function copiedHeaders(given: MsgHdrs | undefined): MsgHdrs {
  const known = Object.values(HEADERS).filter((name) => given?.has(name));
  return headersWith(Object.fromEntries(known.map((name) => [name, given!.get(name)])));
}

function headersWith(values: Readonly<Record<string, string>>): MsgHdrs {
  const all = headers();
  for (const [name, value] of Object.entries(values)) all.set(name, value);
  return all;
}
