/** The counts of calls that have a rate limit. */
import { expect } from "@std/expect";
import { RateLimiter } from "../../../../src/runner/state/rate_limiter.ts";
import { State } from "../../../../src/runner/state/state.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

/** A new store in a temporary directory. */
function store() {
  const directory = temporaryDirectory();
  const { database } = new State(directory.path, "");
  const begun = new RateLimiter(database);
  return {
    begun,
    /** The start times of the stored calls, the oldest first. */
    kept: () =>
      database.rows("SELECT began FROM begun_call ORDER BY began").map(({ began }) =>
        Number(began)
      ),
    /** Shifts the stored times, as if the clock had been set the other way. */
    shift: (ms: number) =>
      database.run("UPDATE begun_call SET began = began + ?, expires = expires + ?", ms, ms),
    [Symbol.dispose]() {
      database.close();
      directory[Symbol.dispose]();
    },
  };
}

const MINUTE = 60_000;

Deno.test("begun calls > the limit applies to each window, and a new call may begin when an old one expires", () => {
  using it = store();
  const limit = { calls: 2, windowMs: MINUTE };
  expect(it.begun.begin("a", limit)).toBeUndefined();
  it.shift(-40_000);
  expect(it.begun.begin("a", limit)).toBeUndefined();
  const wait = it.begun.begin("a", limit)!;
  expect(wait).toBeLessThanOrEqual(20_000);
  expect(wait).toBeGreaterThan(10_000);
  expect(it.begun.begin("b", limit)).toBeUndefined();
  it.shift(-20_000);
  expect(it.begun.begin("a", limit)).toBeUndefined();
  expect(it.begun.begin("a", limit)).toBeGreaterThan(30_000);
});

Deno.test("begun calls > expired calls are removed, also those of other tools", () => {
  using it = store();
  for (const tool of ["a", "b", "c"]) it.begun.begin(tool, { calls: 5, windowMs: MINUTE });
  it.shift(-MINUTE);
  it.begun.begin("d", { calls: 5, windowMs: MINUTE });
  expect(it.kept()).toHaveLength(1);
});

Deno.test("begun calls > a clock that is set back by a day blocks a tool for one window at most", () => {
  using it = store();
  const limit = { calls: 1, windowMs: MINUTE };
  it.begun.begin("a", limit);
  it.shift(24 * 3_600_000);
  // The limit still applies, because the age of the stored call is unknown.
  expect(it.begun.begin("a", limit)).toBeLessThanOrEqual(MINUTE);
  expect(it.kept()[0]).toBeLessThanOrEqual(Date.now());
  it.shift(-MINUTE);
  expect(it.begun.begin("a", limit)).toBeUndefined();
});

Deno.test("begun calls > a changed limit also counts the earlier calls", () => {
  using it = store();
  for (let at = 0; at < 3; at++) it.begun.begin("a", { calls: 3, windowMs: MINUTE });
  expect(it.begun.begin("a", { calls: 1, windowMs: MINUTE })).toBeGreaterThan(0);
  expect(it.begun.begin("a", { calls: 4, windowMs: MINUTE })).toBeUndefined();
  expect(it.begun.begin("a", { calls: 4, windowMs: MINUTE })).toBeGreaterThan(0);
  expect(it.begun.begin("b", { calls: 0, windowMs: MINUTE })).toBe(MINUTE);
});
