/**
 * How often a race, a kill or a random input is tried: `full` times by `deno task test:full`, and
 * a tenth of that otherwise. The same holds for the duration of a race.
 */
export function attempts(full: number): number {
  return Deno.env.get("FULL_TESTS") === "1" ? full : Math.ceil(full / 10);
}
