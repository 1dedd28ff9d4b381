import { readRegular } from "../../base/fs/regular_file.ts";
import { byteSize } from "../../base/text/amounts.ts";

const MARKS: readonly [encoding: string, ...bytes: number[]][] = [
  ["utf-16le", 0xff, 0xfe],
  ["utf-16be", 0xfe, 0xff],
];

/** A file's text, or why it is not looked at. */
export type SourceText = { text: string } | { fault: string };

/**
 * Reads a regular file of at most `limit` bytes: UTF-8, or UTF-16 with a byte order mark,
 * which is not part of the text. Throws what the system throws.
 */
export function readSource(path: string, limit: number): SourceText {
  const { isFile, size } = Deno.statSync(path);
  if (!isFile) return { fault: "it is not a regular file" };
  if (size > limit) return { fault: `${byteSize(size)}, and ${byteSize(limit)} is the most` };
  const bytes = readRegular(path);
  const [encoding] = MARKS.find(([, ...mark]) => mark.every((byte, at) => bytes[at] === byte)) ??
    ["utf-8"];
  if (encoding === "utf-8" && bytes.includes(0)) return { fault: "it is binary" };
  return { text: new TextDecoder(encoding).decode(bytes) };
}
