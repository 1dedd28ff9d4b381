/** Replaces the secrets in a text. */
export type Mask = (text: string) => string;

/** Creates a mask that replaces secrets by `mark`, including their spellings in JSON and in URLs. */
export function maskOf(secrets: Iterable<string>, mark: string): Mask {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    spellings.add(secret).add(JSON.stringify(secret).slice(1, -1));
    if (secret.isWellFormed()) spellings.add(encodeURIComponent(secret));
  }
  // Longest first, because one secret can contain another.
  const sorted = [...spellings].sort((a, b) => b.length - a.length);
  return (text) => sorted.reduce((masked, each) => masked.replaceAll(each, mark), text);
}

/** Copies a JSON value and masks all its texts except keys. */
export function maskAll<T>(value: T, mask: Mask): T {
  if (typeof value === "string") return mask(value) as T;
  if (Array.isArray(value)) return value.map((each) => maskAll(each, mask)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, maskAll(each, mask)]),
  ) as T;
}
