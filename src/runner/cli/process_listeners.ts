import { endOfProcess } from "../../base/async/interruption.ts";
import type { Listeners } from "../call/call.ts";
import { STOP_SIGNALS } from "../call/cancel.ts";
import { isSetByParent, ownVariable } from "../own_environment.ts";
import { limitPrints, printLine, progressLine } from "../sandbox/executors/prints.ts";
import type { Process } from "./command.ts";
import { writeAll } from "./streams.ts";

/** The interval at which a subprocess checks that its parent still runs, in milliseconds. */
const LOOK_MS = 500;

/** The listeners of this process: its signals, and the process of this program that started it. */
export function listenersOf(stdout: Process["stdout"]): Listeners {
  const parent = ownVariable("parent");
  return { cancelSignal: cancelSignal(parent), ...reportsTo(stdout, parent) };
}

/**
 * Returns the function {@link Listeners.cancelSignal}. `parent` is the process of this program that
 * the call must not outlive, if there is one.
 */
function cancelSignal(parent: string | undefined): () => AbortSignal {
  let controller: AbortController | undefined;
  return () => {
    if (controller !== undefined) return controller.signal;
    const { signal } = controller = new AbortController();
    const cancel = (why: string) => controller!.abort(endOfProcess(why));
    for (const name of STOP_SIGNALS) {
      Deno.addSignalListener(name, () => cancel(`toolcall received ${name}`));
    }
    if (parent !== undefined) {
      const look = () =>
        String(Deno.ppid) === parent || cancel("the process that had started toolcall ended");
      Deno.unrefTimer(setInterval(look, LOOK_MS));
    }
    return signal;
  };
}

/** The caller of this process may read progress and prints from stdout, before the result. */
function reportsTo(
  stdout: Process["stdout"],
  parent: string | undefined,
): Pick<Listeners, "onProgress" | "onPrint"> {
  if (parent === undefined) return {};
  return {
    ...(isSetByParent("readsProgress") && {
      onProgress: (line: string) => void writeAll(stdout, progressLine(line)),
    }),
    ...(isSetByParent("readsPrints") && {
      onPrint: limitPrints((print) => void writeAll(stdout, printLine(print))),
    }),
  };
}
