import { lookupTable } from "./lookup_table.ts";

/** Times as people write and read them. */

const UNITS = lookupTable<number>({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000 });

/**
 * The milliseconds of a time such as 500ms, 1.5s, 10m or 2h. Returns `undefined` for another string,
 * and for a time outside of the range.
 */
export function parseDuration(
  text: string,
  { min = 0, max = Infinity }: { min?: number; max?: number } = {},
): number | undefined {
  const [, number, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Math.ceil(Number(number) * UNITS[unit]!);
  return ms >= min && ms <= max ? ms : undefined;
}

/** Whether a value is a time limit: a number of milliseconds above 0. */
export function isTime(value: unknown): value is number {
  return typeof value === "number" && value > 0 && Number.isFinite(value);
}

/** A number of milliseconds as a person reads it: `12 s`, `3 min`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
