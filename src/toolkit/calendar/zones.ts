import ICAL from "ical.js";
import { quote } from "../../base/text/quote.ts";
import { brokenTime, type Component } from "./parse_calendars.ts";
import { windowsZones } from "./windows_zones.ts";
import { checkZoneName } from "./zone_name.ts";

/** A time zone: converts between local time and moments. */
export interface Zone {
  /** The zone in which recurrences are computed; `UTC` if they use local time as if it were UTC. */
  counting: string;
  /** The moment of a local time, in milliseconds since 1970. */
  momentOf(wall: Temporal.PlainDateTime): number;
  /** The moment of a time in `counting`. */
  ofCounted(counted: number): number;
  /** The time in `counting` of a moment. */
  countedAt(moment: number): number;
}

/** A time zone of the IANA database. Throws for an unknown name. */
export function findZone(name: string): Zone {
  checkZoneName(name);
  return {
    counting: name,
    momentOf: (wall) => wall.toZonedDateTime(name).epochMilliseconds,
    ofCounted: (counted) => counted,
    countedAt: (moment) => moment,
  };
}

/**
 * The time zones of a calendar. IANA names come first, because the IANA data are newer than the
 * definitions in a calendar; then the calendar's own definitions. Then an IANA name after a prefix,
 * as in `/Europe/Vienna` and `/example.org/2020/Europe/Vienna`, and the names of Windows.
 * `unknown` collects the other names.
 */
export class Zones {
  /** The names that neither the IANA nor the calendar defines; their times are read in `local`. */
  readonly unknown = new Set<string>();
  #local: Zone;
  #known = new Map<string, Zone>();
  #definitions: readonly Component[];

  /** Takes the zone of times without one, and the calendar's VTIMEZONE components in jCal. */
  constructor(local: Zone, definitions: readonly Component[]) {
    this.#local = local;
    this.#definitions = definitions;
  }

  /** The zone with that name; `local` without a name. */
  of(name: string | undefined): Zone {
    if (name === undefined) return this.#local;
    const known = this.#known.get(name) ?? this.#find(name);
    this.#known.set(name, known);
    return known;
  }

  /** The day of a moment in `local`, as `2026-01-31`. */
  dayAt(moment: number): string {
    return dayIn(this.#local, moment);
  }

  #find(name: string): Zone {
    const found = ianaZone(name) ?? ownZone(name, this.#definitions) ?? renamedZone(name);
    if (found === undefined) this.unknown.add(name);
    return found ?? this.#local;
  }
}

function ianaZone(name: string): Zone | undefined {
  try {
    return findZone(name);
  } catch {
    return undefined;
  }
}

/** The zone of a name that is no IANA name and stands for one. */
function renamedZone(name: string): Zone | undefined {
  const windowsName = windowsZones.get(name.trim());
  if (windowsName !== undefined) return findZone(windowsName);
  const parts = name.split("/");
  // The longest IANA name has three parts, such as America/Argentina/Salta.
  const suffixes = [-3, -2, -1].map((from) => parts.slice(from).join("/"));
  for (const suffix of name.startsWith("/") ? suffixes : []) {
    const zone = ianaZone(suffix);
    if (zone !== undefined) return zone;
  }
  return undefined;
}

function ownZone(name: string, definitions: readonly Component[]): Zone | undefined {
  for (const definition of definitions) {
    const component = new ICAL.Component(definition);
    if (component.getFirstPropertyValue("tzid") !== name) continue;
    if ([definition, ...definition[2]].some((each) => brokenTime(each) !== undefined)) continue;
    const zone = new ICAL.Timezone({ component, tzid: name });
    const offset = (wall: Temporal.PlainDateTime) =>
      zone.utcOffset(ICAL.Time.fromData({ ...fieldsOf(wall), isDate: false })) * 1000;
    return {
      counting: "UTC",
      momentOf: (wall) => utc(wall) - offset(wall),
      ofCounted: (counted) => counted - offset(wallOf(counted, "UTC")),
      // The offset of a moment is that of a local time close to it.
      countedAt: (moment) => moment + offset(wallOf(moment + offset(wallOf(moment, "UTC")), "UTC")),
    };
  }
  return undefined;
}

/** The day of a moment in a time zone, as `2026-01-31`. */
export function dayIn(zone: Zone, moment: number): string {
  return wallOf(zone.countedAt(moment), zone.counting).toPlainDate().toString();
}

/** The local time of a moment, in milliseconds since 1970, in a time zone. */
export function wallOf(moment: number, zone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone).toPlainDateTime();
}

function fieldsOf({ year, month, day, hour, minute, second }: Temporal.PlainDateTime) {
  return { year, month, day, hour, minute, second };
}

function utc(wall: Temporal.PlainDateTime): number {
  return wall.toZonedDateTime("UTC").epochMilliseconds;
}

/** A range of time in milliseconds since 1970, without its end. */
export type TimeRange = Record<"from" | "to", number>;

/** The default length of a range, in days. */
const USUAL_DAYS = 30;

const DAY_MS = 86_400_000;

/**
 * The range of time of a call, in milliseconds since 1970. The default start is now, the default end
 * 30 days later. A date as the end is included. Throws for an invalid date, and for an end that is
 * not after the start.
 */
export function rangeOf(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  zone: Zone,
): TimeRange {
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
