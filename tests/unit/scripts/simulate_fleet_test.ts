/** The simulation of a fleet agrees with the measured rates, and its picture with the simulation. */
import { expect } from "@std/expect";
import measured from "../../../docs/bench/remote.json" with { type: "json" };
import { costsOf, rates, simulate, SIZES } from "../../../scripts/simulate_fleet.ts";

/** The error of the simulation, as docs/distribution.md states it. */
const MAX_ERROR = 0.35;

for (const { name, workers, micros } of measured.results) {
  Deno.test(`simulate_fleet > the simulated rate agrees with the measured rate: ${name}`, () => {
    // The costs are always those with one worker, also for four workers.
    const costs = costsOf(name.replace("4 workers", "1 worker"));
    const { cores } = measured;
    const rate = simulate({ costs, submitters: 1, servers: 1, workers, cores, calls: 20_000 });
    const error = Math.abs(rate * micros.wall / 1e6 - 1);
    expect({ name, error, isSmall: error <= MAX_ERROR }).toEqual({ name, error, isSmall: true });
  });
}

Deno.test("simulate_fleet > the slowest process bounds the rate", () => {
  const one = { submitters: 1, servers: 1, workers: 1, calls: 10_000 };
  const expectRate = (rate: number, expected: number) =>
    expect(Math.abs(rate / expected - 1)).toBeLessThan(0.02);
  expectRate(simulate({ ...one, costs: { submitter: 10, server: 10, workers: 100 } }), 10_000);
  expectRate(simulate({ ...one, costs: { submitter: 10, server: 100, workers: 10 } }), 10_000);
  expectRate(
    simulate({ ...one, costs: { submitter: 10, server: 10, workers: 100 }, workers: 2 }),
    20_000,
  );
  // Two processors share the work of three processes.
  expectRate(
    simulate({ ...one, costs: { submitter: 100, server: 100, workers: 100 }, cores: 2 }),
    6_667,
  );
});

Deno.test("docs/fleet.svg > the picture shows the rates of the simulation", () => {
  const picture = Deno.readTextFileSync(new URL("../../../docs/fleet.svg", import.meta.url));
  for (const { name, path, rates: all } of rates()) {
    const shown = all.map((rate) => (Math.round(rate / 10) * 10).toLocaleString("en")).join(" · ");
    expect({ name, shown, isThere: picture.includes(shown) })
      .toEqual({ name, shown, isThere: true });
    // No stream is faster than its server.
    if (name.endsWith("1 stream")) {
      for (const rate of all) expect(rate).toBeLessThanOrEqual(1e6 / costsOf(path).server * 1.01);
    }
    expect(all.length).toBe(SIZES.length);
  }
});
