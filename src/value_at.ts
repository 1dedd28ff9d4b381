/**
 * What a reference within a document leads to in `root`: `#`, or a JSON pointer behind it
 * (RFC 6901, section 6). `undefined` for what is not there, and for a reference of another form.
 */
export function valueAt(root: unknown, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let value = root;
  for (const token of reference.split("/").slice(1)) {
    const key = decoded(token).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
