import { delay } from "@std/async/delay";
import { signalProcess } from "./process.ts";

/** How long programs may take to end after TERM, in milliseconds. */
const TERM_MS = 500;

/**
 * Sends TERM to the group, and KILL half a second later to the processes that are left. `reap`
 * takes note of ended processes, if they are children of this one.
 */
export async function endGroup(group: number, reap = () => {}): Promise<void> {
  reap();
  if (!signalProcess(-group, "SIGTERM")) return;
  for (const end = Date.now() + TERM_MS; Date.now() < end;) {
    await delay(20);
    reap();
    if (!signalProcess(-group, 0)) return;
  }
  signalProcess(-group, "SIGKILL");
}
