/**
 * A text in which a key does not stand: not as it is, nor as it stands in a URL. A server
 * may repeat what it was sent, in an error or in a result.
 */
export function withoutKey(text: string, key: string): string {
  if (key === "") return text;
  const inQuery = new URLSearchParams({ k: key }).toString().slice(2);
  const inPath = new URL(`http://host/${key}`).pathname.slice(1);
  const forms = new Set([key, encodeURIComponent(key), encodeURI(key), inQuery, inPath]);
  return [...forms].reduce((rest, form) => rest.replaceAll(form, "[the key]"), text);
}
