import { quote } from "../../base/text/quote.ts";
import type { Zone } from "./zones.ts";

/** How far a range goes where its end is not said, in days. */
const USUAL_DAYS = 30;

const DAY_MS = 86_400_000;

/**
 * The range of time that a call names, in milliseconds since 1970: from now on where it names no
 * beginning, for 30 days where it names no end. A date as its end is within it. Throws for what
 * is no date, and for an end that does not come after the beginning.
 */
export function rangeOf(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  zone: Zone,
): { from: number; to: number } {
  const start = from === undefined ? Date.now() : momentIn(from, { zone, name: "from" });
  const end = to === undefined
    ? start + USUAL_DAYS * DAY_MS
    : momentIn(to, { zone, name: "to", isEnd: true });
  if (end > start) return { from: start, to: end };
  const began = new Date(start).toISOString();
  throw new Error(`Cannot list events to ${quote(to ?? "")}: that is not after from (${began})`);
}

function momentIn(
  text: string,
  { zone, name, isEnd = false }: { zone: Zone; name: string; isEnd?: boolean },
): number {
  try {
    if (/(Z|[+-]\d\d:?\d\d)$/i.test(text) && /T/i.test(text)) {
      return Temporal.Instant.from(text).epochMilliseconds;
    }
    const wall = Temporal.PlainDateTime.from(text);
    return zone.momentOf(isEnd && /^[\d-]+$/.test(text) ? wall.add({ days: 1 }) : wall);
  } catch {
    throw new Error(
      `Cannot read ${name} ${quote(text)}: give a date such as 2026-01-31 or a time such as ` +
        "2026-01-31T08:00",
    );
  }
}
