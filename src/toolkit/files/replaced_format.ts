import { tryRead } from "../../base/fs/system_file.ts";
import { decodeUtf8, markedEncoding } from "../../base/text/utf8.ts";
import { lineEnds } from "./edit/edit_plan.ts";
import type { CallFile } from "./call_file.ts";
import { wideEncoding, wideName } from "./read/wide_text.ts";

/** The most bytes of the old file that are looked at. */
const MAX_BYTES = 1024 * 1024;

/**
 * Notes on what the new content changes in the format of a file: its encoding, its byte order mark
 * and its line endings. None for a file of more than 1 MiB, and for one that the call may not read.
 */
export function formatNotes(file: CallFile, content: string): string[] {
  const before = file.mayRead(file.path) ? tryRead(file.path, MAX_BYTES) : undefined;
  if (before === undefined || before.length === 0) return [];
  const wide = wideEncoding(before);
  if (wide !== undefined) return [`[The file was ${wideName(wide)}; it is UTF-8 now]`];
  if (before.includes(0)) return [];
  const notes: string[] = [];
  if (decodeUtf8(before) === undefined) notes.push("[The file was not UTF-8; it is now]");
  if (markedEncoding(before) === "utf-8" && !content.startsWith("\ufeff")) {
    notes.push("[The file had a byte order mark; it has none now]");
  }
  const [was, is] = [lineEnds(before), lineEnds(new TextEncoder().encode(content))];
  if (was === "CRLF" && is === "LF") {
    notes.push("[The file had CRLF line endings; it has LF now]");
  }
  return notes;
}
