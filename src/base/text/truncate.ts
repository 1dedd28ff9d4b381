/**
 * The first `limit` UTF-16 units of a string, or one less where the last would be half a
 * surrogate pair. A shorter text comes back as it is.
 */
export function truncate(text: string, limit: number): string {
  return text.length > limit ? text.slice(0, limit).replace(/[\ud800-\udbff]$/, "") : text;
}

/** Removes half a surrogate pair that a cut left at either end of `text`. */
export function trimSurrogates(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, "").replace(/^[\udc00-\udfff]/, "");
}
