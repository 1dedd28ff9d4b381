/** Points at which the fault tests kill a worker. Nothing happens without the variable of the tests. */

/** The steps of a durable call: it was taken, claimed, run, and its result was written. */
export type TestPoint = "taken" | "claimed" | "run" | "put";

/** The variable of the tests: a point and the number of the pass that kills, such as `run:25`. */
const VARIABLE = "TOOLCALL_TEST_KILL";

let left: { point: string; passes: number } | undefined;

/** Kills this process when it passes the point of the tests for the last time. */
export function reachPoint(point: TestPoint): void | Promise<never> {
  left ??= readPoint();
  if (left.point !== point || --left.passes > 0) return;
  Deno.kill(Deno.pid, "SIGKILL");
  return new Promise(() => {});
}

function readPoint(): { point: string; passes: number } {
  const [point = "", passes] = (Deno.env.get(VARIABLE) ?? "").split(":");
  return { point, passes: Number(passes) };
}
