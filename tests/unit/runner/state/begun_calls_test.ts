/** The counting of calls that have a rate limit. */
import { expect } from "@std/expect";
import { RateLimiter } from "../../../../src/runner/state/rate_limiter.ts";
import { State } from "../../../../src/runner/state/state.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

/** A store of the test's own. */
function store() {
  const directory = temporaryDirectory();
  const { database } = new State(directory.path, "");
  const begun = new RateLimiter(database);
  return {
    begun,
    /** When the calls that are kept began, the oldest first. */
    kept: () =>
      database.rows("SELECT began FROM begun_call ORDER BY began").map(({ began }) =>
        Number(began)
      ),
    /** Moves what is kept, as if the clock had been moved the other way. */
    shift: (ms: number) =>
      database.run("UPDATE begun_call SET began = began + ?, expires = expires + ?", ms, ms),
    [Symbol.dispose]() {
      database.close();
      directory[Symbol.dispose]();
    },
  };
}

const MINUTE = 60_000;

Deno.test("begun calls > as many begin within a window as the limit says, then one by one as time passes", () => {
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

Deno.test("begun calls > those that count no more are removed, also of other tools", () => {
  using it = store();
  for (const tool of ["a", "b", "c"]) it.begun.begin(tool, { calls: 5, windowMs: MINUTE });
  it.shift(-MINUTE);
  it.begun.begin("d", { calls: 5, windowMs: MINUTE });
  expect(it.kept()).toHaveLength(1);
});

Deno.test("begun calls > a clock that goes back by a day keeps a tool out for one window at most", () => {
  using it = store();
  const limit = { calls: 1, windowMs: MINUTE };
  it.begun.begin("a", limit);
  it.shift(24 * 3_600_000);
  // Still no call over the limit: how long ago that one began cannot be told.
  expect(it.begun.begin("a", limit)).toBeLessThanOrEqual(MINUTE);
  expect(it.kept()[0]).toBeLessThanOrEqual(Date.now());
  it.shift(-MINUTE);
  expect(it.begun.begin("a", limit)).toBeUndefined();
});

Deno.test("begun calls > a limit that is lowered or raised counts the calls before it", () => {
  using it = store();
  for (let at = 0; at < 3; at++) it.begun.begin("a", { calls: 3, windowMs: MINUTE });
  expect(it.begun.begin("a", { calls: 1, windowMs: MINUTE })).toBeGreaterThan(0);
  expect(it.begun.begin("a", { calls: 4, windowMs: MINUTE })).toBeUndefined();
  expect(it.begun.begin("a", { calls: 4, windowMs: MINUTE })).toBeGreaterThan(0);
  expect(it.begun.begin("b", { calls: 0, windowMs: MINUTE })).toBe(MINUTE);
});
