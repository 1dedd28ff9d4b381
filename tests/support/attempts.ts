/**
 * How often a race, a kill or a random input is tried: `full` times by `deno task test:full`, and
 * a tenth of that otherwise. The same holds for the duration of a race.
 */
export function attempts(full: number): number {
  return Deno.env.get("FULL_TESTS") === "1" ? full : Math.ceil(full / 10);
}

/** How much longer a race goes on than usual, on a machine that is too busy for one. */
const MAX_TIMES = 30;

/**
 * The time of a race, which begins now: the result says whether the race goes on. It does for
 * {@link attempts} of `full` milliseconds, and then until `isDecided` finds that there was a race.
 */
export function raceTime(full: number, isDecided: () => boolean): () => boolean {
  const begin = performance.now();
  const usual = attempts(full);
  return () => {
    const passed = performance.now() - begin;
    return passed < usual || !isDecided() && passed < MAX_TIMES * usual;
  };
}
