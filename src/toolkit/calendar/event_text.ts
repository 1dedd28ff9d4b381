import { oneLine } from "../../base/text/one_line.ts";
import type { Occurrence } from "./occurrences.ts";

/** The most characters of a title or place, and of a description. */
const [MAX_SHORT, MAX_LONG] = [300, 500];

const DAY_MS = 86_400_000;

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

function wallOf(moment: number, zone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone)
    .toPlainDateTime();
}
