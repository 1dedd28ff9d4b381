/** Removes half a surrogate pair that a cut left at either end of `text`. */
export function trimSurrogates(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, "").replace(/^[\udc00-\udfff]/, "");
}
