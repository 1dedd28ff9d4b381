/** A shorter text would be found in words that have nothing to do with it. */
const SHORTEST = 4;

/** What stands where a secret stood. */
const MASK = "***";

/** Takes the secrets out of a text. */
export type Mask = (text: string) => string;

/** What takes `secrets` out of a text, also as JSON, a URL or a header spells them. */
export function maskOf(secrets: Iterable<string>): Mask {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    // A header's value holds more than the secret: "Bearer" before it.
    for (const part of [secret, ...secret.split(/\s+/)]) {
      if (part.length < SHORTEST) continue;
      spellings.add(part).add(JSON.stringify(part).slice(1, -1)).add(encodeURIComponent(part));
    }
  }
  // The longest first: one may hold another.
  const sorted = [...spellings].sort((a, b) => b.length - a.length);
  return (text) => sorted.reduce((masked, each) => masked.replaceAll(each, MASK), text);
}

/** The same value with its texts masked; keys stay. */
export function masked<T>(value: T, mask: Mask): T {
  if (typeof value === "string") return mask(value) as T;
  if (Array.isArray(value)) return value.map((each) => masked(each, mask)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, masked(each, mask)]),
  ) as T;
}
