/** Text in UTF-16 with a byte order mark, which the tools convert to UTF-8 and back. */

/** An encoding of such a text, as `TextDecoder` names it. */
export type WideEncoding = "utf-16le" | "utf-16be";

/** The encoding of a text that begins with the byte order mark of UTF-16, but not of UTF-32. */
export function wideEncoding(head: Uint8Array): WideEncoding | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) {
    return head.length >= 4 && head[2] === 0 && head[3] === 0 ? undefined : "utf-16le";
  }
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : undefined;
}

/** The name of an encoding in messages. */
export function wideName(encoding: WideEncoding): string {
  return `UTF-16 text (${encoding === "utf-16le" ? "little" : "big"}-endian)`;
}

/** The text without its byte order mark, and a note on it. Wrong units become U+FFFD. */
export function shownWide(
  bytes: Uint8Array<ArrayBuffer>,
  encoding: WideEncoding,
): { text: string; isValid: boolean; note: string } {
  const decode = (fatal: boolean) => new TextDecoder(encoding, { fatal }).decode(bytes);
  const note = `The file is ${wideName(encoding)}`;
  try {
    return { text: decode(true), isValid: true, note };
  } catch {
    const why = "not all of it valid: the rest is shown as \ufffd";
    return { text: decode(false), isValid: false, note: `${note}, ${why}` };
  }
}

/** The text in UTF-8, its byte order mark included. Throws a `TypeError` when it is not valid. */
export function fromWide(
  bytes: Uint8Array<ArrayBuffer>,
  encoding: WideEncoding,
): Uint8Array<ArrayBuffer> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true, fatal: true });
  return new TextEncoder().encode(decoder.decode(bytes));
}

/** The text in the given encoding. Throws a `TypeError` when it is not UTF-8. */
export function toWide(
  bytes: Uint8Array<ArrayBuffer>,
  encoding: WideEncoding,
): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes);
  const wide = new DataView(new ArrayBuffer(text.length * 2));
  const isLittle = encoding === "utf-16le";
  for (let at = 0; at < text.length; at++) wide.setUint16(at * 2, text.charCodeAt(at), isLittle);
  return new Uint8Array(wide.buffer);
}
