import { expect } from "@std/expect";
import { growthOf } from "../../../../support/measure.ts";
import { findSequence } from "../../../../../src/toolkit/files/edit/find_sequence.ts";

function places(text: string, needle: string, overlapping = true): number[] {
  const encoder = new TextEncoder();
  const found: number[] = [];
  findSequence(encoder.encode(text), {
    needle: encoder.encode(needle),
    overlapping,
    found: (at) => found.push(at),
  });
  return found;
}

/** The positions that `indexOf` finds. */
function expected(text: string, needle: string, overlapping: boolean): number[] {
  const found: number[] = [];
  let at = text.indexOf(needle);
  while (at >= 0) {
    found.push(at);
    at = text.indexOf(needle, at + (overlapping ? 1 : needle.length));
  }
  return found;
}

Deno.test("findSequence() > the positions are the same as those of indexOf", () => {
  for (let round = 0; round < 5000; round++) {
    const random = (length: number) =>
      Array.from({ length }, () => Math.random() < 0.6 ? "a" : "b").join("");
    const text = random(Math.floor(Math.random() * 40));
    const needle = random(1 + Math.floor(Math.random() * 6));
    for (const overlapping of [true, false]) {
      expect(places(text, needle, overlapping)).toEqual(expected(text, needle, overlapping));
    }
  }
});

Deno.test("findSequence() > a search takes linear time", async () => {
  const growth = await growthOf(1 << 22, (size) => {
    expect(places("a".repeat(size), "a".repeat(size / 4) + "b")).toEqual([]);
  });
  expect(growth).toBeLessThan(30);
});
