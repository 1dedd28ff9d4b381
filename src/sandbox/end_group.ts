import { pause } from "../pause.ts";
import { signalProcess } from "./process.ts";

/** How long programs may take to end after TERM, in milliseconds. */
const TERM_MS = 500;

/**
 * TERM for the group, KILL for what is left of it half a second later. `reap` takes note of the
 * processes that have ended, where they are this one's.
 */
export async function endGroup(group: number, reap = () => {}): Promise<void> {
  reap();
  if (!signalProcess(-group, "SIGTERM")) return;
  for (const end = Date.now() + TERM_MS; Date.now() < end;) {
    await pause(20);
    reap();
    if (!signalProcess(-group, 0)) return;
  }
  signalProcess(-group, "SIGKILL");
}
