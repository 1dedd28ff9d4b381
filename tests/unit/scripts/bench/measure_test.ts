/** A section is measured in rounds, and a subject that cannot be measured has the reason. */
import { expect } from "@std/expect";
import { measureSection, roundsOf } from "../../../../scripts/bench/measure.ts";
import { atMost, Missing, type Row, type Section } from "../../../../scripts/bench/rows.ts";
import { allSections, QUICK_ROWS } from "../../../../scripts/bench/sections.ts";
import { Workspace } from "../../../../scripts/bench/workspace.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

const row = (name: string, of: string): Row => ({ name, group: "cold", of, to: "base" });

/** A section of subjects with fixed figures, and the order in which they were measured. */
function fixedSection(figures: Record<string, () => number>, rows: Row[]) {
  const order: string[] = [];
  const closed: string[] = [];
  const subjects = Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [name, () => ({
      unit: "ms" as const,
      measure: () => {
        order.push(name);
        return figure();
      },
      close: () => closed.push(name),
    })]),
  );
  const section: Section = { rounds: 60, unmeasured: 0, rows, subjects };
  return { section, order, closed };
}

Deno.test("bench > subjects take turns, and each round begins with a different subject", async () => {
  const { section, order, closed } = fixedSection(
    { base: () => 10, own: () => 15, unused: () => 1 },
    [row("own", "own")],
  );
  const { results, figures } = await measureSection(section, { runs: 2 });
  expect(order).toEqual(["base", "own", "own", "base"]);
  expect(closed).toEqual(["base", "own"]);
  expect(results[0]!.ratio).toEqual({ median: 1.5, low: 1.5, high: 1.5, count: 2 });
  expect(results[0]).toMatchObject({ value: 15, base: 10, unit: "ms" });
  expect([...figures.keys()]).toEqual(["base", "own"]);
});

Deno.test("bench > only the named rows are measured", async () => {
  const { section, order } = fixedSection(
    { base: () => 10, own: () => 15, other: () => 20 },
    [row("own", "own"), row("other", "other")],
  );
  const { results } = await measureSection(section, { runs: 2, rows: new Set(["other"]) });
  expect(results.map(({ row: { name } }) => name)).toEqual(["other"]);
  expect(new Set(order)).toEqual(new Set(["base", "other"]));
});

Deno.test("bench > a subject that fails has a reason instead of a number", async () => {
  const fails = () => {
    throw new Missing("npm is not installed");
  };
  const breaks = () => {
    throw new Error("exit 3: no file /home/somebody/work/a.txt");
  };
  const { section, closed } = fixedSection(
    { base: () => 10, own: () => 15, fails, breaks },
    [row("own", "own"), row("fails", "fails"), row("breaks", "breaks")],
  );
  const { results } = await measureSection(section, { runs: 2 });
  expect(results.map(({ ratio }) => ratio)).toEqual([
    { median: 1.5, low: 1.5, high: 1.5, count: 2 },
    { missing: "npm is not installed" },
    { missing: "It failed: exit 3: no file a.txt" },
  ]);
  expect(closed.toSorted()).toEqual(["base", "breaks", "fails", "own"]);
});

for (
  const { target, isMet } of [
    { target: atMost(1.5), isMet: true },
    { target: atMost(1.49), isMet: false },
    { target: { is: "at least", value: 1.5 }, isMet: true },
    { target: atMost(15, "ms"), isMet: true },
    { target: atMost(14, "ms"), isMet: false },
  ] as const
) {
  Deno.test(`bench > ${JSON.stringify(target)} is ${isMet ? "" : "not "}met by 15 ms to 10 ms`, async () => {
    const { section } = fixedSection(
      { base: () => 10, own: () => 15 },
      [{ ...row("own", "own"), target }],
    );
    const { results } = await measureSection(section, { runs: 2 });
    expect(results[0]!.isMet).toBe(isMet);
  });
}

Deno.test("bench > the rounds of a section are in proportion to --runs", () => {
  const { section } = fixedSection({}, []);
  expect([60, 6, 1].map((runs) => roundsOf(section, runs))).toEqual([60, 6, 2]);
});

Deno.test("bench > each row has a unique name, and subjects that its section defines", () => {
  using parent = temporaryDirectory();
  using workspace = new Workspace(`${parent.path}/missing`, parent.path);
  const sections = allSections(workspace, true);
  const names = sections.flatMap(({ rows }) => rows.map(({ name }) => name));
  expect(names.length).toBe(new Set(names).size);
  expect(QUICK_ROWS.filter((name) => !names.includes(name))).toEqual([]);
  for (const { rows, subjects } of sections) {
    const used = rows.flatMap(({ of, to, minus }) =>
      minus === undefined ? [of, to] : [of, to, minus]
    );
    expect(used.filter((name) => !Object.hasOwn(subjects, name))).toEqual([]);
  }
});
