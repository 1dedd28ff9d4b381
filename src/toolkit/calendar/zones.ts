import ICAL from "ical.js";
import { quote } from "../../base/text/quote.ts";

/** How the clocks of a place relate to moments. */
export interface Zone {
  /** The zone in which recurrences are counted: `UTC` stands for the clocks themselves. */
  counting: string;
  /** The moment of a time on these clocks, in milliseconds since 1970. */
  momentOf(wall: Temporal.PlainDateTime): number;
  /** The moment of what is counted in `counting`. */
  ofCounted(counted: number): number;
  /** What is counted as a moment. */
  countedAt(moment: number): number;
}

/** A time zone of the IANA's list. Throws for a name that is none. */
export function namedZone(name: string): Zone {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
  } catch {
    const why = "it is no time zone; name one such as Europe/Paris or UTC";
    throw new Error(`Cannot use the time_zone ${quote(name)}: ${why}`);
  }
  return {
    counting: name,
    momentOf: (wall) => wall.toZonedDateTime(name).epochMilliseconds,
    ofCounted: (counted) => counted,
    countedAt: (moment) => moment,
  };
}

/**
 * The zones of a calendar: by the IANA's names, whose data are newer than a calendar's own
 * definitions; by these where a name is the calendar's own. `unknown` gathers names without any.
 */
export class Zones {
  /** The names that neither the IANA nor the calendar knows; their times are those of `local`. */
  readonly unknown = new Set<string>();
  #local: Zone;
  #known = new Map<string, Zone>();
  #definitions: readonly unknown[];

  /** Takes `local`, where times name no zone, and the calendar's VTIMEZONE components as jCal. */
  constructor(local: Zone, definitions: readonly unknown[]) {
    this.#local = local;
    this.#definitions = definitions;
  }

  /** The zone of that name; `local` for none. */
  of(name: string | undefined): Zone {
    if (name === undefined) return this.#local;
    const known = this.#known.get(name) ?? this.#find(name);
    this.#known.set(name, known);
    return known;
  }

  #find(name: string): Zone {
    try {
      return namedZone(name);
    } catch {
      const own = ownZone(name, this.#definitions);
      if (own === undefined) this.unknown.add(name);
      return own ?? this.#local;
    }
  }
}

function ownZone(name: string, definitions: readonly unknown[]): Zone | undefined {
  for (const definition of definitions) {
    const component = new ICAL.Component(definition as unknown[]);
    if (component.getFirstPropertyValue("tzid") !== name) continue;
    const zone = new ICAL.Timezone({ component, tzid: name });
    const offset = (wall: Temporal.PlainDateTime) =>
      zone.utcOffset(ICAL.Time.fromData({ ...fieldsOf(wall), isDate: false })) * 1000;
    return {
      counting: "UTC",
      momentOf: (wall) => utc(wall) - offset(wall),
      ofCounted: (counted) => counted - offset(wallAt(counted)),
      // The offset of a moment is that of about the same time on the clocks.
      countedAt: (moment) => moment + offset(wallAt(moment + offset(wallAt(moment)))),
    };
  }
  return undefined;
}

function fieldsOf({ year, month, day, hour, minute, second }: Temporal.PlainDateTime) {
  return { year, month, day, hour, minute, second };
}

function utc(wall: Temporal.PlainDateTime): number {
  return wall.toZonedDateTime("UTC").epochMilliseconds;
}

function wallAt(counted: number): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(counted).toZonedDateTimeISO("UTC")
    .toPlainDateTime();
}
