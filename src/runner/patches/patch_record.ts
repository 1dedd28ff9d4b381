/** The record of a patch: everything that is needed to finish it, or to take it back. */

import type { FileChange } from "../../base/fs/change_set.ts";
import { isObject } from "../../base/json/is_object.ts";

const NEWLINE = 10;
const VERSION = 1;

type Bytes = Uint8Array<ArrayBuffer>;

/** The part of a change that the first line of a record has; its bytes follow that line. */
type RecordedFile = Omit<FileChange, "before" | "after"> & {
  /** The number of bytes; `null` for a missing file. */
  before: number | null;
  after: number | null;
};

/** The bytes of a record: a line of JSON, and then the bytes of all files. */
export function encodeRecord(changes: readonly FileChange[]): Bytes[] {
  const files = changes.map((change): RecordedFile => ({
    ...change,
    before: change.before?.length ?? null,
    after: change.after?.length ?? null,
  }));
  const head = new TextEncoder().encode(`${JSON.stringify({ version: VERSION, files })}\n`);
  const contents = changes.flatMap(({ before, after }) => [before, after]);
  return [head, ...contents.filter((bytes) => bytes !== null)];
}

/** The changes of a record. Throws for one that is not complete or not of this version. */
export function decodeRecord(bytes: Bytes): FileChange[] {
  const end = bytes.indexOf(NEWLINE);
  const head: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(0, Math.max(0, end))));
  if (!isObject(head) || head["version"] !== VERSION || !Array.isArray(head["files"])) {
    throw new Error("the record of a patch has another version");
  }
  let at = end + 1;
  const take = (length: unknown): Bytes | null => {
    if (length === null) return null;
    if (typeof length !== "number" || at + length > bytes.length) {
      throw new Error("the record of a patch is not complete");
    }
    at += length;
    return bytes.slice(at - length, at);
  };
  return head["files"].map((file: RecordedFile): FileChange => {
    if (typeof file.path !== "string" || !file.path.startsWith("/")) {
      throw new Error("the record of a patch has no paths");
    }
    const [before, after] = [take(file.before), take(file.after)];
    return { ...file, before, after };
  });
}
