import ICAL from "ical.js";
import { escapeControls } from "../../base/text/escape_controls.ts";

/** A property in jCal: name, parameters, type, values. */
export type Property = [
  name: string,
  parameters: Record<string, unknown>,
  type: string,
  ...unknown[],
];

/** A component in jCal: name, properties, components. */
export type Component = [name: string, properties: Property[], components: Component[]];

/** The longest message of the parser and the longest line that is shown, in characters. */
const MAX_WORDS = 200;

/** The name of a property for a line that the parser refuses; its value is the line. */
const BROKEN_LINE = "x-toolcall-broken-line";

/** The properties without which the times of an event or of a time zone would be wrong. */
const TIME_PROPERTY =
  /^(?:DTSTART|DTEND|DURATION|RRULE|RDATE|EXDATE|RECURRENCE-ID|TZID|TZOFFSETFROM|TZOFFSETTO)[;:]/i;

/**
 * Joins the lines that a calendar folds. RFC 5545 folds bytes, so that a line may end inside a
 * character: the bytes are joined before they are decoded. UTF-16 has NUL bytes and stays as it is.
 */
export function unfoldLines(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const [lf, cr, space, tab] = [10, 13, 32, 9];
  if (bytes.includes(0)) return bytes;
  const unfolded = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const next = bytes[at + 1];
    if (bytes[at] === lf && (next === space || next === tab)) {
      if (unfolded[length - 1] === cr) length--;
      at++;
    } else {
      unfolded[length++] = bytes[at]!;
    }
  }
  return unfolded.subarray(0, length);
}

/**
 * The calendars of a text with unfolded lines. A line that the parser refuses makes only its own
 * property unreadable; `brokenTime` finds it. Throws for a text that is no calendar.
 */
export function parseCalendars(text: string): Component[] {
  // A date without VALUE=DATE is read as a date.
  ICAL.design.strict = false;
  const start = text.trimStart();
  const all = /^BEGIN:/i.test(start) ? componentsOf(start) : [];
  if (all.some(([name]) => name === "vcalendar")) return all;
  throw new Error("Cannot read the calendar: it does not begin with BEGIN:VCALENDAR");
}

/** The first line of a component that the parser refused and that its times depend on. */
export function brokenTime([, properties]: Component): string | undefined {
  return properties.filter(([name]) => name === BROKEN_LINE)
    .map(([, , , line]) => String(line))
    .find((line) => TIME_PROPERTY.test(line))?.slice(0, MAX_WORDS);
}

function componentsOf(text: string): Component[] {
  return parseComponents(text) ?? parseComponents(markBrokenLines(text), { last: true })!;
}

function parseComponents(text: string, { last = false } = {}): Component[] | undefined {
  try {
    const found: unknown[] = ICAL.parse(text);
    // The parser returns one calendar by itself and several as a list.
    return (typeof found[0] === "string" ? [found] : found) as Component[];
  } catch (error) {
    if (!last) return undefined;
    const { message } = error as Error;
    const why = message.length > MAX_WORDS ? `${message.slice(0, MAX_WORDS)}…` : message;
    throw new Error(`Cannot read the calendar: ${escapeControls(why)}`);
  }
}

function markBrokenLines(text: string): string {
  return text.split(/\r?\n/).map((line) => isReadable(line) ? line : `${BROKEN_LINE}:${line}`)
    .join("\n");
}

function isReadable(line: string): boolean {
  if (/^(?:BEGIN|END):|^\s*$/i.test(line)) return true;
  try {
    ICAL.parse.property(line, ICAL.design.icalendar);
    return true;
  } catch {
    return false;
  }
}
