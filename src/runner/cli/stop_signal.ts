import { STOP_SIGNALS } from "../call/cancel.ts";

/** A signal that is aborted when the user or the system ends this process. */
export function untilSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of STOP_SIGNALS) Deno.addSignalListener(name, () => controller.abort());
  return controller.signal;
}
