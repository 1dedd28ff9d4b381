/** How far into a page its own word on its character set is looked for, in bytes. */
const DECLARED_WITHIN = 1024;

const BYTE_ORDER_MARKS: readonly [charset: string, bytes: readonly number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * The text of a page: by its byte order mark, else by the charset of its Content-Type, else
 * by what the page itself declares, else as UTF-8. A charset that is not known counts as none.
 */
export function decodeText(bytes: Uint8Array<ArrayBuffer>, contentType: string): string {
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  const charset = marked?.[0] ?? /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1];
  return decoderFor(charset ?? declaredIn(bytes)).decode(bytes);
}

/** What `<meta charset>`, `<meta http-equiv>` or `<?xml encoding?>` says. */
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
