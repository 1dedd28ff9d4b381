/** The granted values of a kind of permission; `true` grants every value. */
export type Scope = true | readonly string[];

/** Returns a flag with one value, in which a comma is written twice. */
export function flagWith(flag: string, value: string): string {
  return `${flag}=${value.replaceAll(",", ",,")}`;
}
