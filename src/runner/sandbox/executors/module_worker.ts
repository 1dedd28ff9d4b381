import { CallError } from "../../../base/errors.ts";
import type { Program } from "../../program.ts";
import type { ModuleAnswer, ModuleOrder } from "../../registry/tool_module.ts";
import { permissionsOf } from "../policy/permissions.ts";

/** The time that a module has to load and to answer, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * Asks about the tool of a module in a Worker that has no permission and reads only the program's
 * own files. Rejects with `unavailable` for a module that does not answer within five seconds.
 */
export async function askModule(
  order: ModuleOrder,
  { directory, workerModule }: Pick<Program, "directory" | "workerModule">,
): Promise<ModuleAnswer> {
  const grants = { all: false, allow: {}, deny: {} };
  const { sys, ...permissions } = permissionsOf([], {
    grants,
    own: Deno.realPathSync(directory),
  });
  const worker = new Worker(workerModule, {
    type: "module",
    deno: { permissions: { ...permissions, sys: sys as boolean } },
  });
  try {
    return await withinTime(
      new Promise((resolve, reject) => {
        // A call loads the module again, and then its prints are shown.
        worker.onmessage = ({ data }: MessageEvent<ModuleAnswer | { print: string }>) => {
          if (!("print" in data)) resolve(data);
        };
        worker.onerror = (event) => {
          event.preventDefault();
          reject(new CallError("unavailable", `its thread ended: ${event.message}`));
        };
        worker.postMessage(order);
      }),
    );
  } finally {
    worker.terminate();
  }
}

/** An answer, or a rejection with `unavailable` after the time that a module has. */
export function withinTime<T>(answer: Promise<T>): Promise<T> {
  // The time limit of the call is a signal of the same kind, so its first use costs nothing more.
  const time = AbortSignal.timeout(ANSWER_MS);
  const message = `it does not answer within ${ANSWER_MS / 1000} seconds`;
  return new Promise((resolve, reject) => {
    time.addEventListener("abort", () => reject(new CallError("unavailable", message)));
    answer.then(resolve, reject);
  });
}
