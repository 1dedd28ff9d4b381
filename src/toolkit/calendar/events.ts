import ICAL from "ical.js";
import { quote } from "../../base/text/quote.ts";
import { brokenTime, type Component, type Property } from "./parse_calendars.ts";
import type { Zone, Zones } from "./zones.ts";

/** A DATE-TIME or DATE of RFC 5545. */
export interface EventTime {
  /** The moment, in milliseconds since 1970. */
  moment: number;
  /** Its day, as `2026-01-31`: for a time the day as it is written. */
  day: string;
  /** True if it is a whole day. */
  isDay: boolean;
  /** The length of a PERIOD in milliseconds. */
  duration?: number;
}

/**
 * A VEVENT: an event, a series, or a change to an occurrence of a series. A text that it lacks is
 * empty.
 */
export interface CalendarEvent
  extends Record<"uid" | "summary" | "location" | "description", string> {
  /** `CANCELLED`, `TENTATIVE`, `CONFIRMED` or empty. */
  status: string;
  /** The time at which it begins. */
  start: EventTime;
  /** Its length in milliseconds; for whole days in days of 24 hours. */
  duration: number;
  /** The time zone of its recurrence rules. */
  zone: Zone;
  /** Its recurrence rules, as `FREQ=…`; UNTIL is moved from the rule to `until`. */
  rules: { rule: string; until?: number }[];
  /** EXRULE of RFC 2445: rules whose starts are cancelled. */
  exrules: CalendarEvent["rules"];
  /** RDATE: further starts. One with a length of its own is a PERIOD. */
  rdate: EventTime[];
  /** EXDATE: starts that are cancelled. */
  exdate: EventTime[];
  /** RECURRENCE-ID: the occurrence that it changes, and whether all later ones too. */
  changes?: EventTime & { andFuture: boolean };
}

/** Reads an event. Throws for an invalid property, with its name. */
export function readEvent(component: Component, zones: Zones): CalendarEvent {
  const [, properties] = component;
  const all = (name: string) => properties.filter(([each]) => each === name);
  const first = (name: string) => all(name)[0];
  const text = (name: string) => {
    const [, , , value = ""] = first(name) ?? [];
    return String(value);
  };
  const broken = brokenTime(component);
  if (broken !== undefined) throw new Error(`this line is invalid: ${quote(broken)}`);
  const begins = first("dtstart");
  if (begins === undefined) throw new Error("it has no DTSTART");
  const zone = zones.of(zoneName(begins));
  const start = eventTimes(begins, zones)[0]!;
  const changed = first("recurrence-id");
  const changes = changed && timesOf(start, changed, zones)[0]!;
  return {
    uid: text("uid"),
    summary: text("summary"),
    location: text("location"),
    description: text("description"),
    status: text("status").toUpperCase(),
    start,
    duration: durationOf(start, { end: first("dtend"), duration: first("duration"), zones }),
    zone,
    rules: all("rrule").map((rule) => ruleOf(rule, zones)),
    exrules: all("exrule").map((rule) => ruleOf(rule, zones)),
    rdate: all("rdate").flatMap((each) => timesOf(start, each, zones)),
    exdate: all("exdate").flatMap((each) => timesOf(start, each, zones)),
    ...(changes !== undefined && {
      changes: { ...changes, andFuture: changed?.[1]["range"] === "THISANDFUTURE" },
    }),
  };
}

function zoneName([, { tzid }, , value]: Property): string | undefined {
  if (String(value).endsWith("Z")) return "UTC";
  return typeof tzid === "string" ? tzid : undefined;
}

function eventTimes(property: Property, zones: Zones): EventTime[] {
  const zone = zones.of(zoneName(property));
  return property.slice(3).map((value) => {
    // A PERIOD is its start and its end, or its start and its length.
    const [given, end] = Array.isArray(value) ? value.map(String) : [String(value)];
    const read = (text: string) => eventTimeOf(text, { zone, name: property[0], zones });
    const time = read(given!);
    if (end === undefined) return time;
    const duration = /^[+-]?P/.test(end) ? lengthOf(end) : read(end).moment - time.moment;
    return { ...time, duration: Math.max(0, duration) };
  });
}

/** A DURATION in milliseconds. */
function lengthOf(text: string): number {
  return ICAL.Duration.fromString(text).toSeconds() * 1000;
}

/** The times of a property. For an event of whole days, they are the days of the times. */
function timesOf(start: EventTime, property: Property, zones: Zones): EventTime[] {
  const times = eventTimes(property, zones);
  if (!start.isDay) return times;
  const zone = zones.of(undefined);
  return times.map(({ day }) => eventTimeOf(day, { zone, name: property[0], zones }));
}

function eventTimeOf(
  given: string,
  { zone, name, zones }: { zone: Zone; name: string; zones: Zones },
): EventTime {
  try {
    const wall = Temporal.PlainDateTime.from(given.replace(/Z$/, ""));
    const moment = zone.momentOf(wall);
    // Midnight UTC names a day. Another time in UTC can be a local midnight.
    const isLocal = given.endsWith("Z") && !given.includes("T00:00:00");
    const day = isLocal ? zones.dayAt(moment) : wall.toPlainDate().toString();
    return { moment, day, isDay: !given.includes("T") };
  } catch {
    throw new Error(`its ${name.toUpperCase()} is no date`);
  }
}

const DAY_MS = 86_400_000;

function durationOf(
  start: EventTime,
  { end, duration, zones }: Record<"end" | "duration", Property | undefined> & { zones: Zones },
): number {
  if (end !== undefined) {
    const ms = eventTimes(end, zones)[0]!.moment - start.moment;
    // A day on which the clocks change does not have 24 hours.
    return Math.max(0, start.isDay ? Math.max(1, Math.round(ms / DAY_MS)) * DAY_MS : ms);
  }
  if (duration !== undefined) return Math.max(0, lengthOf(String(duration[3])));
  return start.isDay ? DAY_MS : 0;
}

function ruleOf(property: Property, zones: Zones): { rule: string; until?: number } {
  const written = ICAL.stringify.property(property, ICAL.design.icalendar, true)
    .replace(/^[^:]*:/, "");
  const until = (property[3] as { until?: string }).until;
  if (until === undefined) return { rule: written };
  const zone = zones.of(until.endsWith("Z") ? "UTC" : undefined);
  const { moment, isDay } = eventTimeOf(until, { zone, name: "rrule", zones });
  return {
    rule: written.replace(/;?UNTIL=[^;]*/i, "").replace(/^;/, ""),
    until: isDay ? moment + DAY_MS - 1000 : moment,
  };
}
