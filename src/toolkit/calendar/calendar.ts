import { plural } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { callFile } from "../files/call_file.ts";
import { openSource } from "../files/read/byte_source.ts";
import { decodeText } from "../web/fetch/decode_text.ts";
import { fetchDocument, MAX_PAGE_BYTES } from "../web/fetch/fetch_page.ts";
import { pageUrl } from "../web/fetch/page_url.ts";
import { type CalendarEvent, readEvent } from "./events.ts";
import {
  formatOccurrence,
  formatTime,
  type Occurrence,
  occurrencesOf,
  overlaps,
} from "./occurrences.ts";
import { type Component, parseCalendars, unfoldLines } from "./parse_calendars.ts";
import { findZone, rangeOf, type TimeRange, Zones } from "./zones.ts";

/** A query for the events of a calendar, which is a file or at an http, https or webcal URL. */
interface CalendarQuery {
  path?: string | undefined;
  url?: string | undefined;
  /** The first and the last day or moment. */
  from?: string | undefined;
  to?: string | undefined;
  /** The time zone in which times are shown, and read if they name no zone. */
  timeZone: string;
  /** The most occurrences. */
  limit: number;
}

/** The part of a tool's context that reading a calendar needs. */
type CalendarContext = Pick<ToolContext, "fetch" | "mayRead" | "path" | "signal">;

/** The longest time for computing occurrences, in milliseconds; the tool's timeout is 30 s. */
const MAX_MS = 15_000;

/** The most notes on events. */
const MAX_NOTES = 10;

/** The events of a calendar in a range of time as a text. Throws for an invalid calendar. */
export async function listEvents(ctx: CalendarContext, query: CalendarQuery): Promise<string> {
  const { timeZone, limit } = query;
  const local = findZone(timeZone);
  const range = rangeOf(query, local);
  const text = await readCalendarText(ctx, query);
  const calendars = parseCalendars(text);
  const faults: string[] = [];
  const unknown = new Set<string>();
  let events = 0;
  const deadline = performance.now() + MAX_MS;
  const found = calendars.flatMap(([, , components]) => {
    const named = (name: string) => components.filter(([each]) => each === name);
    const zones = new Zones(local, named("vtimezone"));
    const all = named("vevent").flatMap((each) =>
      orFault(() => [readEvent(each, zones)], faults, textOf(each, "summary"))
    );
    for (const name of zones.unknown) unknown.add(name);
    events += all.length;
    return occurrences(all, { ...range, most: limit + 1, deadline, faults });
  });
  found.sort((a, b) => a.start - b.start);
  const shown = found.slice(0, limit);
  const more = found.length > limit;
  const notes = [
    ...(more ? [`Only the first ${limit} are shown: give a shorter range or a larger limit`] : []),
    ...faults.slice(0, MAX_NOTES),
    ...(faults.length > MAX_NOTES ? [`${faults.length - MAX_NOTES} more such events`] : []),
    ...[...unknown].slice(0, MAX_NOTES).map((name) =>
      `The time zone ${quote(name)} is unknown: its times are read as ${timeZone}`
    ),
  ];
  const span = `from ${formatTime(range.from, timeZone)} to ${formatTime(range.to, timeZone)}`;
  return [
    `${more ? "More than " : ""}${plural(shown.length, "event")} ${span} (${timeZone}); ` +
    `${plural(events, "entry").replace(/entrys$/, "entries")} in the calendar${titleOf(calendars)}`,
    ...shown.map((each) => formatOccurrence(each, timeZone)),
    ...notes.map((note) => `[${escapeControls(note)}]`),
  ].join("\n");
}

/** The text of a calendar. Throws for more than 10 MiB, because a part of a calendar is not valid. */
async function readCalendarText(
  ctx: CalendarContext,
  { path, url }: CalendarQuery,
): Promise<string> {
  const advice = "the calendar is larger than 10 MiB";
  if (url !== undefined) {
    const accept = "text/calendar, text/plain;q=0.5, */*;q=0.1";
    const address = pageUrl(url.replace(/^webcals?:/i, "https:"));
    const { bytes, type, isCut } = await fetchDocument(ctx, address, { accept });
    if (isCut) throw new Error(`Cannot read the calendar: ${advice}`);
    return decodeText(unfoldLines(bytes), type);
  }
  const target = callFile(ctx, { given: path!, action: "read" });
  using source = await openSource(target, ctx.signal);
  return decodeText(unfoldLines(await source.readAll(MAX_PAGE_BYTES, advice)), "");
}

function textOf([, properties]: Component, wanted: string): string {
  const [, , , value = ""] = properties.find(([name]) => name === wanted) ?? [];
  return String(value);
}

function titleOf(calendars: readonly Component[]): string {
  const property = calendars[0]?.[1].find(([name]) => name === "x-wr-calname" || name === "name");
  return property === undefined ? "" : ` ${quote(String(property[3]))}`;
}

function occurrences(
  all: readonly CalendarEvent[],
  { deadline, faults, ...range }: TimeRange & {
    most: number;
    deadline: number;
    faults: string[];
  },
): Occurrence[] {
  const changes = Map.groupBy(all.filter((each) => each.changes !== undefined), ({ uid }) => uid);
  return all.flatMap((event) => {
    if (performance.now() > deadline) {
      throw new Error(
        `Cannot list the events: they take more than ${MAX_MS / 1000} s; give a shorter range`,
      );
    }
    const { start: { moment }, duration, uid, summary } = event;
    if (event.changes !== undefined) {
      const single = { event, start: moment, end: moment + duration };
      return overlaps(single, range) ? [single] : [];
    }
    const series = { ...range, changes: changes.get(uid) ?? [] };
    return orFault(() => occurrencesOf(event, series), faults, summary);
  });
}

/** Reads an event. An invalid event is reported in `faults` and yields nothing. */
function orFault<T>(read: () => T[], faults: string[], summary = ""): T[] {
  try {
    return read();
  } catch (error) {
    const name = summary === "" ? "An event" : `The event ${quote(summary)}`;
    faults.push(`${name} is omitted: ${(error as Error).message.slice(0, 200)}`);
    return [];
  }
}
