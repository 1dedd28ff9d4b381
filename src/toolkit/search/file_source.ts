import type { SystemFile } from "../../base/fs/system_file.ts";

/** A synchronous source of bytes. */
export interface SyncSource {
  /** Reads up to `into.length` bytes; 0 at the end. */
  read(into: Uint8Array<ArrayBuffer>): number;
}

/** The text of a file in the form in which ripgrep searches it. */
export interface FileSource extends SyncSource {
  /** True if the file began with a byte order mark, which is not part of the text. */
  hadMark: boolean;
}

/**
 * Reads an open file. UTF-16 with a byte order mark becomes UTF-8, the mark of UTF-8 is removed, and
 * all other bytes stay unchanged.
 */
export function fileSource(file: SystemFile): FileSource {
  const head = new Uint8Array(3);
  const length = readFully(file, head);
  if (head[0] === 0xFF && head[1] === 0xFE) {
    return transcoded(file, "utf-16le", head.subarray(2, length));
  }
  if (head[0] === 0xFE && head[1] === 0xFF) {
    return transcoded(file, "utf-16be", head.subarray(2, length));
  }
  if (head[0] === 0xEF && head[1] === 0xBB && head[2] === 0xBF) {
    return { hadMark: true, read: (into) => file.readSync(into) ?? 0 };
  }
  let rest = head.subarray(0, length);
  return {
    hadMark: false,
    // The bytes read for the mark are returned first, in a separate read, as in ripgrep.
    read: (into) => {
      if (rest.length === 0) return file.readSync(into) ?? 0;
      const count = Math.min(rest.length, into.length);
      into.set(rest.subarray(0, count));
      rest = rest.subarray(count);
      return count;
    },
  };
}

function readFully(file: SystemFile, into: Uint8Array<ArrayBuffer>): number {
  let length = 0;
  for (let count: number | null = 1; count && length < into.length;) {
    count = file.readSync(into.subarray(length));
    length += count ?? 0;
  }
  return length;
}

function transcoded(file: SystemFile, encoding: string, head: Uint8Array): FileSource {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const encoder = new TextEncoder();
  const raw = new Uint8Array(16 * 1024);
  let ready = encoder.encode(decoder.decode(head, { stream: true }));
  let ended = false;
  return {
    hadMark: true,
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
