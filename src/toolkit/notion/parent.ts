import { quote } from "../../base/text/quote.ts";

/** Where a page goes, as the API takes it. */
export type Parent = Readonly<
  Partial<Record<"page_id" | "database_id" | "data_source_id", string>>
>;

/**
 * The parent that a text names: an id or a URL of a page, or after `database:` or `data_source:`
 * of one of those. Throws for a text without an id.
 */
export function parentOf(text: string): Parent {
  const [, kind = "page", rest = ""] = /^(?:(page|database|data_source):)?(.*)$/s.exec(
    text.trim(),
  )!;
  const path = /^https?:\/\//i.test(rest) && URL.canParse(rest) ? new URL(rest).pathname : rest;
  const id = /(?:^|[-/])([0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})$/i.exec(path)?.[1];
  if (id === undefined) {
    throw new Error(
      `Cannot put a page in ${quote(text)}: give the id or the URL of a page, or an id after ` +
        "database: or data_source:",
    );
  }
  const [, ...groups] = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(id.replaceAll("-", ""))!;
  return { [`${kind}_id`]: groups.join("-").toLowerCase() };
}
