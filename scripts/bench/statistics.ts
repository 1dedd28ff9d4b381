/** The arithmetic of the bench: medians, spreads, and ratios within one round. */

/** The summary of a list of figures. */
export interface Spread {
  median: number;
  /** A quarter of the figures are at most this. */
  low: number;
  /** A quarter of the figures are at least this. */
  high: number;
  /** The number of figures. */
  count: number;
}

/** The median of `values`, their middle half and their count. Throws `RangeError` for no values. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError("A spread needs at least one figure");
  const sorted = values.toSorted((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    count: values.length,
  };
}

/** The median of `values`. Throws `RangeError` for no values. */
export function median(values: readonly number[]): number {
  return spreadOf(values).median;
}

/** The figures of the rounds: of the subject, of its base, and of a subject to subtract. */
export interface Pairing {
  values: readonly number[];
  base: readonly number[];
  /** Figures that are subtracted from `values`, such as the time of the start. */
  minus?: readonly number[];
}

/**
 * The ratio of each round. A round's ratio uses only figures of that round, because a busy machine
 * slows all subjects of a round. A round without a figure of each subject is ignored.
 */
export function ratiosOf({ values, base, minus }: Pairing): number[] {
  const rounds = Math.min(values.length, base.length, minus?.length ?? Infinity);
  return Array.from(
    { length: rounds },
    (_, round) => (values[round]! - (minus?.[round] ?? 0)) / base[round]!,
  );
}

/** The value below which `part` of the sorted values are. It interpolates between two values. */
function quantile(sorted: readonly number[], part: number): number {
  const at = (sorted.length - 1) * part;
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return below + (above - below) * (at - Math.floor(at));
}
