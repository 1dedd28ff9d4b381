import { markedEncoding } from "../../../base/text/utf8.ts";

/** The part of a page in which its declaration of a charset is looked for, in bytes. */
const DECLARED_WITHIN = 1024;

/**
 * Decodes a page by its byte order mark, else by the charset of its Content-Type, else by the charset
 * that the page declares, else as UTF-8. An unknown charset means UTF-8.
 */
export function decodeText(bytes: Uint8Array<ArrayBuffer>, contentType: string): string {
  const charset = markedEncoding(bytes) ?? /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1];
  return decoderFor(charset ?? declaredIn(bytes)).decode(bytes);
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
