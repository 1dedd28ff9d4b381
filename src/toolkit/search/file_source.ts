import type { SystemFile } from "../../base/fs/system_file.ts";
import { markedEncoding } from "../../base/text/utf8.ts";
import { BLOCK_SIZE, type SyncSource } from "./line_buffer.ts";

/**
 * Reads an open file in the form in which ripgrep searches it: UTF-16 with a byte order mark becomes
 * UTF-8, the mark of UTF-8 is removed, and all other bytes stay unchanged. `hadMark` is true if the
 * file began with a byte order mark.
 */
export function fileSource(file: SystemFile): SyncSource & { hadMark: boolean } {
  const rest = { read: (into: Uint8Array<ArrayBuffer>) => file.readSync(into) ?? 0 };
  const head = readUpTo(rest, 3);
  const encoding = markedEncoding(head);
  if (encoding === undefined) return { hadMark: false, ...chained(head, rest) };
  if (encoding === "utf-8") return { hadMark: true, ...rest };
  return { hadMark: true, ...transcoded(file, encoding, head.subarray(2)) };
}

/** The first `limit` bytes of a source. */
export function readUpTo(source: SyncSource, limit: number): Uint8Array {
  let bytes = new Uint8Array(Math.min(limit, BLOCK_SIZE));
  let length = 0;
  for (let count = 1; count > 0 && length < limit;) {
    if (length === bytes.length) {
      const larger = new Uint8Array(Math.min(limit, bytes.length * 2));
      larger.set(bytes);
      bytes = larger;
    }
    count = source.read(bytes.subarray(length));
    length += count;
  }
  return bytes.subarray(0, length);
}

/** The bytes that were read already, and then, in separate reads as in ripgrep, those of `rest`. */
export function chained(head: Uint8Array, rest: SyncSource): SyncSource {
  let left = head;
  return {
    read: (into) => {
      if (left.length === 0) return rest.read(into);
      const count = Math.min(left.length, into.length);
      into.set(left.subarray(0, count));
      left = left.subarray(count);
      return count;
    },
  };
}

function transcoded(file: SystemFile, encoding: string, head: Uint8Array): SyncSource {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const encoder = new TextEncoder();
  const raw = new Uint8Array(16 * 1024);
  let ready = encoder.encode(decoder.decode(head, { stream: true }));
  let ended = false;
  return {
    read: (into) => {
      while (ready.length === 0 && !ended) {
        const count = file.readSync(raw);
        ended = count === null;
        ready = encoder.encode(decoder.decode(raw.subarray(0, count ?? 0), { stream: !ended }));
      }
      const count = Math.min(ready.length, into.length);
      into.set(ready.subarray(0, count));
      ready = ready.subarray(count);
      return count;
    },
  };
}
