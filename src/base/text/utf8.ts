/** The text of bytes in UTF-8, a byte order mark included; `undefined` when they are not valid. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text of bytes in UTF-8, a byte order mark included; each wrong byte becomes U+FFFD. */
export function decodeUtf8Lossy(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Returns whether bytes are valid UTF-8, except that the last character may be incomplete. */
export function isUtf8Prefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The encoding that a byte order mark names, as `TextDecoder` names it; `undefined` without one. */
export function markedEncoding(
  [first, second, third]: Uint8Array,
): "utf-8" | "utf-16le" | "utf-16be" | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : undefined;
}
