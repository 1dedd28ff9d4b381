/** Dates as feeds write them. */

const MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec";

/** `Mon, 02 Jan 2006 15:04:05 +0100`, of which the weekday, the seconds and the zone may miss. */
const MAIL_DATE = new RegExp(
  `^(?:[a-z]+,?\\s+)?(\\d{1,2})\\s+(${MONTHS})[a-z]*\\s+(\\d{4}|\\d{2})` +
    `(?:\\s+(\\d{1,2}):(\\d{2})(?::(\\d{2}))?\\s*([+-]\\d{4}|[a-z]+)?)?$`,
  "i",
);

const ISO_DATE =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?)?)?$/i;

/** The time zones of RFC 822, in hours from UTC. */
const ZONES = new Map<string, number>([
  ...[["edt", -4], ["est", -5], ["cdt", -5], ["cst", -6], ["mdt", -6]] as const,
  ...[["mst", -7], ["pdt", -7], ["pst", -8]] as const,
]);

/**
 * Parses a date of RFC 822 or RFC 3339 into milliseconds since 1970. A date without a known zone is
 * in UTC. Returns `undefined` for any other string.
 */
export function parseFeedDate(text: string): number | undefined {
  const iso = ISO_DATE.exec(text.trim());
  if (iso !== null) {
    const [, year, month = "1", day = "1", ...time] = iso;
    return moment([Number(year), Number(month), Number(day)], time);
  }
  const mail = MAIL_DATE.exec(text.trim().slice(0, 100));
  if (mail === null) return undefined;
  const [, day, month, year, ...time] = mail;
  const short = Number(year) + (Number(year) < 70 ? 2000 : 1900);
  const at = MONTHS.split("|").indexOf(month!.toLowerCase()) + 1;
  return moment([year!.length === 2 ? short : Number(year), at, Number(day)], time);
}

/** A moment as `2026-01-31 08:00 UTC`. */
export function formatDate(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function moment(
  [year, month, day]: [number, number, number],
  [hour = "0", minute = "0", second = "0", zone = "Z"]: (string | undefined)[],
): number | undefined {
  const start = new Date(Date.UTC(year, month - 1, day));
  if (start.getUTCMonth() !== month - 1 || Number(hour) > 24 || Number(minute) > 59) {
    return undefined;
  }
  const local = Date.UTC(year, month - 1, day, Number(hour), Number(minute), Number(second));
  return local - offsetOf(zone) * 60_000;
}

/** Minutes from UTC. */
function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  if (sign === undefined) return (ZONES.get(zone.toLowerCase()) ?? 0) * 60;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
