import { RRuleTemporal } from "rrule-temporal";
import { oneLine } from "../../base/text/one_line.ts";
import type { CalendarEvent, EventTime } from "./events.ts";
import { dayIn, type TimeRange, wallOf } from "./zones.ts";

/** An event at one of its times. */
export interface Occurrence {
  /** The event, or the changed event for this occurrence. */
  event: CalendarEvent;
  /** The start, in milliseconds since 1970. */
  start: number;
  /** The end; for a whole-day event the beginning of the next day. */
  end: number;
}

/** A query for the first occurrences of an event, at most `most`, in a range of time. */
interface OccurrenceQuery extends TimeRange {
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
  const periods = new Map(event.rdate.map(({ moment, duration }) => [moment, duration]));
  const lengths = [...changes, ...event.rdate].map(({ duration = 0 }) => duration);
  const longest = Math.max(event.duration, ...lengths) + DAY_MS;
  const range = { after: from - longest, before: to + DAY_MS };
  const starts = new Set<number>(event.rules.length === 0 ? [event.start.moment] : []);
  for (const { moment } of event.rdate) starts.add(moment);
  for (const rule of event.rules) {
    for (const start of startsBy(event, { rule, ...range })) starts.add(start);
  }
  for (const rule of event.exrules) {
    for (const start of startsBy(event, { rule, ...range })) starts.delete(start);
  }
  const gone = timeSet(event, [...event.exdate, ...changes.map(({ changes }) => changes!)]);
  const future = changes.filter(({ changes }) => changes!.andFuture)
    .sort((a, b) => b.changes!.moment - a.changes!.moment);
  return [...starts].sort((a, b) => a - b)
    .filter((start) => !gone(start))
    .map((start): Occurrence => {
      const change = future.find(({ changes }) => changes!.moment <= start);
      if (change === undefined) {
        return { event, start, end: start + (periods.get(start) ?? event.duration) };
      }
      const moved = start + change.start.moment - change.changes!.moment;
      return { event: change, start: moved, end: moved + change.duration };
    })
    .filter((each) => overlaps(each, { from, to }))
    .slice(0, most);
}

/**
 * Returns whether a start of an event is one of these times. A whole day is compared with the date
 * of the start in the event's zone, because calendars also name an occurrence by its day only.
 */
function timeSet(
  { zone }: CalendarEvent,
  times: readonly EventTime[],
): (start: number) => boolean {
  const moments = new Set(times.map(({ moment }) => moment));
  const days = new Set(times.filter(({ isDay }) => isDay).map(({ day }) => day));
  return (start) => moments.has(start) || (days.size > 0 && days.has(dayIn(zone, start)));
}

/** Returns whether an occurrence overlaps a range. */
export function overlaps(
  { start, end }: Pick<Occurrence, "start" | "end">,
  { from, to }: TimeRange,
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
  const begin = wallOf(from, zone.counting).toString({ smallestUnit: "second" });
  const rules = new RRuleTemporal({
    rruleString: `DTSTART;TZID=${zone.counting}:${begin.replace(/[-:]/g, "")}\nRRULE:${rule}${end}`,
    maxIterations: MAX_STEPS,
  });
  const [first, last] = [after, before].map((moment) => new Date(zone.countedAt(moment)));
  return rules.between(first!, last!, true).map((date) => zone.ofCounted(date.epochMilliseconds));
}

function compact(moment: number): string {
  return new Date(moment).toISOString().slice(0, 19).replace(/[-:]/g, "");
}

/** The most characters of a title or place, and of a description. */
const [MAX_SHORT, MAX_LONG] = [300, 500];

/** An occurrence as lines: its times in a time zone, then its place and description. */
export function formatOccurrence({ event, start, end }: Occurrence, zone: string): string {
  const { summary, location, description, status, rules, rdate, changes } = event;
  const marks = [
    ...(status === "CANCELLED" || status === "TENTATIVE" ? [status.toLowerCase()] : []),
    ...(rules.length + rdate.length > 0 ? ["repeats"] : []),
    ...(changes === undefined ? [] : ["changed"]),
  ];
  return [
    `- ${event.start.isDay ? daysText({ start, end }, zone) : spanText({ start, end }, zone)}  ` +
    (oneLine(summary, MAX_SHORT) || "(without a title)") +
    (marks.length === 0 ? "" : ` (${marks.join(", ")})`),
    ...(location === "" ? [] : [`  Where: ${oneLine(location, MAX_SHORT)}`]),
    ...(description === "" ? [] : [`  ${oneLine(description, MAX_LONG)}`]),
  ].join("\n");
}

/** A moment as `2026-01-31 08:00` in a time zone. */
export function formatTime(moment: number, zone: string): string {
  return wallOf(moment, zone).toString({ smallestUnit: "minute" }).replace("T", " ");
}

function spanText({ start, end }: Pick<Occurrence, "start" | "end">, zone: string): string {
  const [begins, ends] = [formatTime(start, zone), formatTime(end, zone)];
  const first = `${weekday(start, zone)} ${begins}`;
  if (end === start) return first;
  return begins.slice(0, 10) === ends.slice(0, 10)
    ? `${first}-${ends.slice(11)}`
    : `${first} to ${ends}`;
}

function daysText({ start, end }: Pick<Occurrence, "start" | "end">, zone: string): string {
  const day = (moment: number) => wallOf(moment, zone).toPlainDate().toString();
  // Half a day before the end lies on the last day, also if the clocks changed.
  const [first, last] = [day(start), day(Math.max(start, end - DAY_MS / 2))];
  return `${weekday(start, zone)} ${first === last ? first : `${first} to ${last}`}, all day`;
}

function weekday(moment: number, zone: string): string {
  const names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
  return names[wallOf(moment, zone).dayOfWeek - 1]!;
}
