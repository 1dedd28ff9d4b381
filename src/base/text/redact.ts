/** Removes known secrets from texts and data. */

/** The usual replacement for a secret. */
export const MASK = "***";

/** Removes secrets from a string. */
export type Redactor = (text: string) => string;

/**
 * Returns a function that replaces each of `secrets` in a string by `mask`, in every spelling: as it
 * is, and as JSON, URLs and forms escape it. Secrets shorter than `minLength` are ignored, because
 * they occur in unrelated words. With `byWord` each word of a secret is a secret too, as in the
 * header value `Bearer …`.
 */
export function redactor(
  secrets: Iterable<string>,
  { mask = MASK, minLength = 4, byWord = true }: {
    mask?: string;
    minLength?: number;
    byWord?: boolean;
  } = {},
): Redactor {
  const all = [...secrets].flatMap((each) => byWord ? [each, ...each.split(/\s+/)] : [each]);
  const spellings = new Set(all.filter(({ length }) => length >= minLength).flatMap(spellingsOf));
  // The longest first, because one may contain another.
  const sorted = [...spellings].sort((a, b) => b.length - a.length);
  return (text) => sorted.reduce((rest, each) => rest.replaceAll(each, mask), text);
}

/** As {@link redactor}, also for secrets that are added to the list later. */
export function growingRedactor(secrets: readonly string[]): Redactor {
  return (text) => redactor(secrets)(text);
}

function spellingsOf(secret: string): string[] {
  const spellings = [secret, JSON.stringify(secret).slice(1, -1)];
  // Only well-formed texts have a spelling in URLs.
  if (!secret.isWellFormed()) return spellings;
  const inQuery = new URLSearchParams({ k: secret }).toString().slice(2);
  spellings.push(encodeURIComponent(secret), encodeURI(secret), inQuery);
  // Parsing a URL would cut these off or resolve them.
  const isPath = !/[?#\\]|(^|\/)\.{1,2}(\/|$)|^\s|\s$|[\t\r\n]/.test(secret);
  return isPath ? [...spellings, new URL(`http://host/${secret}`).pathname.slice(1)] : spellings;
}

/** A copy of plain data in which each string is redacted. The names of fields stay. */
export function redactData<T>(data: T, redact: Redactor): T {
  if (typeof data === "string") return redact(data) as T;
  if (Array.isArray(data)) return data.map((each) => redactData(each, redact)) as T;
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, each]) => [name, redactData(each, redact)]),
  ) as T;
}

/** Removes an API key from a string. A server may repeat the key in an error or in a result. */
export function redactKey(text: string, key: string): string {
  return keyRedactor(key)(text);
}

function keyRedactor(key: string): Redactor {
  return redactor([key], { mask: "[the key]", minLength: 1, byWord: false });
}

/** Removes an API key from each string of plain data, also from strings that are JSON. */
export function redactKeyInData<T>(data: T, key: string): T {
  const redact = keyRedactor(key);
  return redactData(data, (text) => {
    const clean = redact(text);
    if (!clean.includes("\\")) return clean;
    // JSON can escape every character of the key, and its reader decodes the escapes.
    try {
      const plain = JSON.stringify(JSON.parse(clean));
      const again = redact(plain);
      return again === plain ? clean : again;
    } catch {
      return clean;
    }
  });
}
