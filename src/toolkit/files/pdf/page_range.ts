import { plural } from "../../../base/text/amounts.ts";

/** The most pages that a call gives. */
export const MAX_PAGES = 20;

/** The pages of one number or of a range such as `1-5`. */
export interface PageRange {
  /** The first page, from 1. */
  first: number;
  /** The last page. */
  last: number;
}

/** Reads the pages that a call names. Throws for a range that no document has, and for a long one. */
export function pageRange(pages: string): PageRange {
  const [first, last = first] = pages.split("-").map(Number) as [number, number?];
  const fault = first === 0
    ? "page numbers start at 1"
    : last < first
    ? `a range goes up, such as ${last}-${first}`
    : last - first >= MAX_PAGES
    ? `these are ${plural(last - first + 1, "page")}, and a call gives ${MAX_PAGES} at most`
    : undefined;
  if (fault === undefined) return { first, last };
  throw new Error(fault);
}
