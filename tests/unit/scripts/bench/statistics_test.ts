/** The arithmetic of the bench, with figures that can be computed by hand. */
import { expect } from "@std/expect";
import { median, ratiosOf, spreadOf } from "../../../../scripts/bench/statistics.ts";

for (
  const [values, expected] of [
    [[3], { median: 3, low: 3, high: 3, count: 1 }],
    [[4, 2], { median: 3, low: 2.5, high: 3.5, count: 2 }],
    [[5, 1, 4, 2, 3], { median: 3, low: 2, high: 4, count: 5 }],
    [[10, 1, 1, 1], { median: 1, low: 1, high: 3.25, count: 4 }],
  ] as const
) {
  Deno.test(`bench > the spread of ${values} is its median, middle half and count`, () => {
    expect(spreadOf(values)).toEqual(expected);
    expect(median(values)).toBe(expected.median);
  });
}

Deno.test("bench > the spread of no figures is an error", () => {
  expect(() => spreadOf([])).toThrow(RangeError);
});

Deno.test("bench > a ratio uses the figures of one round", () => {
  // The second round was three times as slow for both.
  expect(ratiosOf({ values: [20, 60, 22], base: [10, 30, 10] })).toEqual([2, 2, 2.2]);
});

Deno.test("bench > the time of a start is subtracted within its round", () => {
  expect(ratiosOf({ values: [30, 60], base: [10, 20], minus: [10, 20] })).toEqual([2, 2]);
});

Deno.test("bench > a round that a subject lacks is omitted", () => {
  expect(ratiosOf({ values: [20, 40, 60], base: [10, 20] })).toEqual([2, 2]);
});
