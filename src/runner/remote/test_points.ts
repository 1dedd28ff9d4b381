/** Points at which the fault tests kill or stop a worker. Nothing happens without their variable. */

/** The steps of a durable call: it was taken, claimed, run, and its result was written. */
export type TestPoint = "taken" | "claimed" | "run" | "put";

/**
 * The variable of the tests: a point, the number of the pass, and the signal if it is not SIGKILL. So
 * `run:25` kills, and `run:1:SIGSTOP` stops.
 */
const VARIABLE = "TOOLCALL_TEST_KILL";

let left: { point: string; passes: number; signal: string } | undefined;

/** Sends this process its signal when it passes the point of the tests for the last time. */
export async function reachPoint(point: TestPoint): Promise<void> {
  left ??= readPoint();
  if (left.point !== point || --left.passes !== 0) return;
  Deno.kill(Deno.pid, left.signal as Deno.Signal);
  // The signal comes soon after the call of the system.
  await new Promise((resolve) => setTimeout(resolve, SIGNAL_MS));
}

/** The time in which a signal comes, in milliseconds. */
const SIGNAL_MS = 50;

function readPoint(): NonNullable<typeof left> {
  const [point = "", passes, signal = "SIGKILL"] = (Deno.env.get(VARIABLE) ?? "").split(":");
  return { point, passes: Number(passes), signal };
}
