/** The rows of the bench: the two subjects that each compares, and its figures from a run. */
import { ratiosOf, type Spread, spreadOf } from "./statistics.ts";

/** The unit of a subject's figures. */
export type Unit = "ms" | "MiB" | "calls/s";

/** The groups of the table, in its order. */
export const GROUPS = ["cold", "search", "resident", "memory", "peers", "growth"] as const;

/** A group of rows. */
export type Group = typeof GROUPS[number];

/** A target of at most `value`: for the ratio, or for the subject's figure in `unit`. */
export function atMost(value: number, unit?: Unit): Target {
  return { is: "at most", value, ...unit && { unit } };
}

/** A target of at least `value`: for the ratio, or for the subject's figure in `unit`. */
export function atLeast(value: number, unit?: Unit): Target {
  return { is: "at least", value, ...unit && { unit } };
}

/** A limit for a row. Without a unit it is for the ratio, otherwise for the subject's figure. */
export interface Target {
  is: "at most" | "at least";
  value: number;
  unit?: Unit;
}

/** One line of the table: the figure of a subject as a ratio to the figure of another one. */
export interface Row {
  /** The name for `--rows`. */
  name: string;
  group: Group;
  /** The name of the subject, as the reader of the table sees it. */
  of: string;
  /** The name of the subject that the ratio is to. */
  to: string;
  /** The name of a subject whose figure is subtracted from the first one's, such as a start. */
  minus?: string;
  target?: Target;
}

/** Something that is measured once a round. */
export interface Subject {
  unit: Unit;
  /** Measures once. Throws `Missing` if it turns out that this cannot be measured here. */
  measure(): number | Promise<number>;
  /** Ends what the subject has started. */
  close?(): unknown;
}

/** Says why a subject cannot be measured. The table prints the reason in place of a number. */
export class Missing extends Error {}

/** Rows whose subjects are measured in turn, round by round. */
export interface Section {
  rows: readonly Row[];
  /** Makes each subject. It may throw `Missing`. */
  subjects: Readonly<Record<string, () => Subject | Promise<Subject>>>;
  /** The rounds of this section if `--runs` is 60. Others are in proportion. */
  rounds: number;
  /** The number of warm-up rounds, which do not count. The default is 1. */
  unmeasured?: number;
}

/** The figures of a row after a run. */
export interface Result {
  row: Row;
  /** The ratio, or the reason why it is missing. */
  ratio: Spread | { missing: string };
  /** The median of the subject's own figures. */
  value?: number;
  /** The median of the figures of the subject that the ratio is to. */
  base?: number;
  unit?: Unit;
  /** True if the row has a target and meets it. */
  isMet?: boolean;
}

/** The figures of each subject, or why it has none. */
export type Figures = ReadonlyMap<string, { unit: Unit; values: readonly number[] } | Missing>;

/** The line of the table that the figures of a run make of a row. */
export function resultOf(row: Row, figures: Figures): Result {
  const names = [row.of, row.to, ...row.minus === undefined ? [] : [row.minus]];
  const found = names.map((name) => figures.get(name) ?? new Missing("It was not measured"));
  const missing = found.find((each) => each instanceof Missing);
  if (missing !== undefined) return { row, ratio: { missing: missing.message } };
  const [own, base, minus] = found.map((each) => each as Exclude<typeof each, Missing>);
  const ratio = spreadOf(
    ratiosOf({
      values: own!.values,
      base: base!.values,
      ...minus !== undefined && { minus: minus.values },
    }),
  );
  const value = spreadOf(own!.values).median;
  const isMet = row.target === undefined
    ? undefined
    : meets(row.target, row.target.unit === undefined ? ratio.median : value);
  return {
    row,
    ratio,
    value,
    base: spreadOf(base!.values).median,
    unit: own!.unit,
    ...isMet !== undefined && { isMet },
  };
}

function meets({ is, value }: Target, figure: number): boolean {
  return is === "at most" ? figure <= value : figure >= value;
}
