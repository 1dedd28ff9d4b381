/** Points at which the fault tests kill a worker. Nothing happens without the variable of the tests. */

/** The steps of a durable call: it was taken, claimed, run, and its result was written. */
export type TestPoint = "taken" | "claimed" | "run" | "put";

/** The variable of the tests: points with the chance of each, such as `run:0.01`. */
const VARIABLE = "TOOLCALL_TEST_KILL";

let chances: ReadonlyMap<string, number> | undefined;

/** Kills this process with the chance that the tests give to the point. */
export function reachPoint(point: TestPoint): void | Promise<never> {
  chances ??= readChances();
  if (Math.random() >= (chances.get(point) ?? 0)) return;
  Deno.kill(Deno.pid, "SIGKILL");
  return new Promise(() => {});
}

function readChances(): ReadonlyMap<string, number> {
  const rows = (Deno.env.get(VARIABLE) ?? "").split(",").filter((row) => row !== "");
  return new Map(rows.map((row) => {
    const [point = "", chance] = row.split(":");
    return [point, Number(chance)];
  }));
}
