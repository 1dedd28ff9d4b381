import { openSource, readToEnd } from "../files/read/byte_source.ts";
import { callFile } from "../files/call_file.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { decodeText } from "../web/fetch/decode_text.ts";
import { fetchText, MAX_PAGE_BYTES } from "../web/fetch/fetch_page.ts";
import { pageUrl } from "../web/fetch/page_url.ts";

/** The source of a calendar: a file or a URL. */
export interface CalendarSource {
  /** A file's path. */
  path?: string | undefined;
  /** An http, https or webcal URL. */
  url?: string | undefined;
}

/** The part of a tool's context that reading a calendar needs. */
export type CalendarContext = Pick<ToolContext, "fetch" | "mayRead" | "path" | "signal">;

/** The URL that a calendar is fetched from: webcal is https. Throws for what is no such URL. */
export function calendarUrl(url: string): URL {
  return pageUrl(url.replace(/^webcals?:/i, "https:"));
}

/** The text of a calendar. Throws for more than 10 MiB, because a part of a calendar is not valid. */
export async function readCalendarText(
  ctx: CalendarContext,
  { path, url }: CalendarSource,
): Promise<string> {
  const advice = "a calendar of more than 10 MiB is not read";
  if (url !== undefined) {
    const accept = "text/calendar, text/plain;q=0.5, */*;q=0.1";
    const { text, isCut } = await fetchText(ctx, calendarUrl(url), { accept });
    if (isCut) throw new Error(`Cannot read the calendar: ${advice}`);
    return text;
  }
  const target = callFile(ctx, { given: path!, action: "read" });
  using source = await openSource(target, ctx.signal);
  return decodeText(await readToEnd(source, { limit: MAX_PAGE_BYTES, target, advice }), "");
}
