import { markedEncoding } from "../../../base/text/utf8.ts";

/** The part of a page in which its declaration of a charset is looked for, in bytes. */
const DECLARED_WITHIN = 1024;

/**
 * Decodes a page by its byte order mark or the zero bytes of UTF-16 and UTF-32, else by the charset of its
 * Content-Type, else by the charset that the page declares, else as UTF-8. An unknown charset means
 * UTF-8.
 */
export function decodeText(bytes: Uint8Array<ArrayBuffer>, contentType: string): string {
  const utf32 = decodeUtf32(bytes);
  if (utf32 !== undefined) return utf32;
  const charset = markedEncoding(bytes) ?? unmarkedUtf16(bytes) ??
    /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1];
  return decoderFor(charset ?? declaredIn(bytes)).decode(bytes);
}

/** A text of UTF-32, which begins with its byte order mark or with "<". TextDecoder lacks UTF-32. */
function decodeUtf32(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  if (bytes.length < 4) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const order = [true, false].find((little) => [0xfeff, 0x3c].includes(view.getUint32(0, little)));
  if (order === undefined) return undefined;
  const characters = Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => {
    const code = view.getUint32(at * 4, order);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
  return characters.join("").replace(/^\ufeff/, "");
}

/** UTF-16 by the two bytes of the "<" that markup begins with, and the zero byte after it. */
function unmarkedUtf16([first, second, third, fourth]: Uint8Array): string | undefined {
  if (first === 0x3c && second === 0 && third !== 0 && fourth === 0) return "utf-16le";
  return first === 0 && second === 0x3c && third === 0 && fourth !== 0 ? "utf-16be" : undefined;
}

/** The charset in `<meta charset>`, `<meta http-equiv>` or `<?xml encoding?>`. */
function declaredIn(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARED_WITHIN));
  return /(?:<meta\s[^>]{0,200}charset|<\?xml\s[^>]{0,200}encoding)\s*=\s*["']?([\w.:-]+)/i
    .exec(start)?.[1];
}

function decoderFor(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset ?? "utf-8");
  } catch {
    return new TextDecoder();
  }
}
