/**
 * The number of attempts of a race, a kill or a random input: `full` with `deno task test:full`, and
 * otherwise a tenth of it. The duration of a race is shortened in the same way.
 */
export function attempts(full: number): number {
  return Deno.env.get("FULL_TESTS") === "1" ? full : Math.ceil(full / 10);
}

/** The longest duration of a race on a busy machine, as a multiple of the usual duration. */
const MAX_TIMES = 30;

/**
 * Begins a race. The result is a function that returns whether the race continues. It continues for
 * {@link attempts} of `full` milliseconds, and then until `isDecided` returns true.
 */
export function raceTime(full: number, isDecided: () => boolean): () => boolean {
  const begin = performance.now();
  const usual = attempts(full);
  return () => {
    const passed = performance.now() - begin;
    return passed < usual || !isDecided() && passed < MAX_TIMES * usual;
  };
}
