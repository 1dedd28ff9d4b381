import { RRuleTemporal } from "rrule-temporal";
import type { CalendarEvent } from "./events.ts";

/** An event at one of its times. */
export interface Occurrence {
  /** The event, or the changed event for this occurrence. */
  event: CalendarEvent;
  /** The start, in milliseconds since 1970. */
  start: number;
  /** The end; for a whole-day event the beginning of the next day. */
  end: number;
}

/** A query for the occurrences of an event. */
export interface OccurrenceQuery {
  /** The beginning of the range, in milliseconds since 1970. */
  from: number;
  /** The end of the range, exclusive. */
  to: number;
  /** The most occurrences; the first ones are returned. */
  most: number;
  /** The events that change single occurrences of this one. */
  changes: readonly CalendarEvent[];
}

/** The most steps of a recurrence rule. */
const MAX_STEPS = 100_000;

const DAY_MS = 86_400_000;

/**
 * The occurrences of an event or a series that overlap a range of time, without the occurrences that
 * other events change. Throws for an invalid rule, and for one that takes more than 100,000 steps.
 */
export function occurrencesOf(event: CalendarEvent, query: OccurrenceQuery): Occurrence[] {
  const { from, to, most, changes } = query;
  const longest = Math.max(event.duration, ...changes.map(({ duration }) => duration)) + DAY_MS;
  const range = { after: from - longest, before: to + DAY_MS };
  const starts = new Set<number>(event.rules.length === 0 ? [event.start.moment] : []);
  for (const { moment } of event.rdate) starts.add(moment);
  for (const rule of event.rules) {
    for (const start of startsBy(event, { rule, ...range })) starts.add(start);
  }
  const gone = new Set(changes.map(({ changes }) => changes!.moment));
  const days = event.exdate.filter(({ isDay }) => isDay && !event.start.isDay);
  for (const { moment } of event.exdate) gone.add(moment);
  const future = changes.filter(({ changes }) => changes!.andFuture)
    .sort((a, b) => b.changes!.moment - a.changes!.moment);
  return [...starts].sort((a, b) => a - b)
    .filter((start) => !gone.has(start))
    .filter((start) => !days.some(({ moment }) => start >= moment && start < moment + DAY_MS))
    .map((start): Occurrence => {
      const change = future.find(({ changes }) => changes!.moment <= start);
      if (change === undefined) return { event, start, end: start + event.duration };
      const moved = start + change.start.moment - change.changes!.moment;
      return { event: change, start: moved, end: moved + change.duration };
    })
    .filter((each) => overlaps(each, { from, to }))
    .slice(0, most);
}

/** Returns whether an occurrence overlaps a range. */
export function overlaps(
  { start, end }: Pick<Occurrence, "start" | "end">,
  { from, to }: { from: number; to: number },
): boolean {
  return start < to && (end > from || start >= from);
}

/** The starts of an event by a rule, from `after` to `before`. */
function startsBy(
  { start, zone }: CalendarEvent,
  { rule: { rule, until }, after, before }: {
    rule: CalendarEvent["rules"][number];
    after: number;
    before: number;
  },
): number[] {
  const from = zone.countedAt(start.moment);
  const end = until === undefined ? "" : `;UNTIL=${compact(zone.countedAt(until))}Z`;
  const begin = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone.counting);
  const wall = begin.toPlainDateTime().toString({ smallestUnit: "second" }).replace(/[-:]/g, "");
  const rules = new RRuleTemporal({
    rruleString: `DTSTART;TZID=${zone.counting}:${wall}\nRRULE:${rule}${end}`,
    maxIterations: MAX_STEPS,
  });
  const [first, last] = [after, before].map((moment) => new Date(zone.countedAt(moment)));
  return rules.between(first!, last!, true).map((date) => zone.ofCounted(date.epochMilliseconds));
}

function compact(moment: number): string {
  return new Date(moment).toISOString().slice(0, 19).replace(/[-:]/g, "");
}
