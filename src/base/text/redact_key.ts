/**
 * Removes a key from a text, in its own spelling and in those of URLs and JSON. A server may repeat
 * the key that it was sent, in an error or in a result.
 */
export function redactKey(text: string, key: string): string {
  if (key === "") return text;
  const inQuery = new URLSearchParams({ k: key }).toString().slice(2);
  const inPath = new URL(`http://host/${key}`).pathname.slice(1);
  const inJson = JSON.stringify(key).slice(1, -1);
  const forms = [key, encodeURIComponent(key), encodeURI(key), inQuery, inPath, inJson];
  return [...new Set(forms)].filter((form) => form !== "")
    .reduce((rest, form) => rest.replaceAll(form, "[the key]"), text);
}

/** Removes a key from every text in plain data, also if the text is JSON; names of fields stay. */
export function withoutKeyIn<T>(data: T, key: string): T {
  return JSON.parse(
    JSON.stringify(data),
    (_, value) => typeof value === "string" ? withoutSpelledKey(value, key) : value,
  );
}

/** JSON can spell every character of a key with an escape, so compare the parsed text too. */
function withoutSpelledKey(text: string, key: string): string {
  const clean = redactKey(text, key);
  if (!clean.includes("\\")) return clean;
  try {
    const plain = JSON.stringify(JSON.parse(clean));
    const again = redactKey(plain, key);
    return again === plain ? clean : again;
  } catch {
    return clean;
  }
}
