/** The actions of the tools for whole files: to read, to write and to list. */

import { byteSize, plural, thousands } from "../../base/text/amounts.ts";
import { quotePath } from "../../base/text/quote.ts";
import { decodeUtf8, decodeUtf8Lossy } from "../../base/text/utf8.ts";
import { atomicCreate, atomicWrite } from "../../base/fs/atomic_write.ts";
import { lockFile } from "../../base/fs/file_lock.ts";
import { refuseOtherForm } from "../../base/fs/other_form.ts";
import { makeDirectories } from "../../base/fs/change_files.ts";
import { cannot, type FileTarget, systemError } from "../../base/fs/system_error.ts";
import type { ContentBlock } from "../../base/content.ts";
import { errorCode } from "../../base/error_code.ts";
import { CallError } from "../../base/errors.ts";
import type { CallFile } from "./call_file.ts";
import { failMissing, openSource } from "./read/byte_source.ts";
import { formatNotes } from "./replaced_format.ts";
import { fileKind, kindName } from "./read/file_kind.ts";
import { shownWide, wideEncoding } from "./read/wide_text.ts";

/** The most bytes of a text that {@link readText} returns. */
export const MAX_TEXT_BYTES = 256 * 1024;
const MAX_NAMES = 1000;
const NEWLINE = 10;

/**
 * The text of a file, unchanged, as the first block: at most 256 KiB, and then whole lines where
 * that is possible. A second block says what was left out and how to get it, or that some bytes are
 * not UTF-8. Throws a readable error for a missing and for a binary file.
 */
export async function readText(target: CallFile, signal: AbortSignal): Promise<ContentBlock[]> {
  using source = await openSource(target, signal);
  const head = await source.peek() ?? new Uint8Array();
  const wide = wideEncoding(head);
  if (wide !== undefined) {
    const advice =
      `a text in UTF-16 of more than ${byteSize(MAX_TEXT_BYTES)} is not given whole; ` +
      `use Read with file_path ${quotePath(target.path)}`;
    const { text, note } = shownWide(await source.readAll(MAX_TEXT_BYTES, advice), wide);
    return blocks(text, [note]);
  }
  const kind = fileKind(head);
  if (kind.is !== "text") {
    const name = kindName(kind);
    const advice = kind.is === "binary" ? "" : "; Read shows it";
    throw new Error(`${cannot(target)}: it is ${name}, not text${advice}`, {
      cause: { kind: name },
    });
  }
  // A byte more than the limit tells whether there is more.
  const bytes = await source.readUpTo(MAX_TEXT_BYTES + 1);
  const shown = bytes.length > MAX_TEXT_BYTES ? wholeLines(bytes) : bytes;
  const valid = decodeUtf8(shown);
  const text = valid ?? decodeUtf8Lossy(shown);
  const notes: string[] = [];
  if (shown.length < bytes.length) {
    const size = source.size > 0 ? ` of ${byteSize(source.size)}` : "";
    const next = `file_path ${quotePath(target.path)} and offset ${text.split("\n").length}`;
    notes.push(`Shown: the first ${byteSize(shown.length)}${size}. To continue: Read with ${next}`);
  }
  if (valid === undefined) {
    notes.push("Not all of it is valid UTF-8: wrong bytes are shown as \ufffd");
  }
  return blocks(text, notes);
}

/**
 * The result of {@link readText} for a file with these bytes; `undefined` if it has a note or fails.
 */
export function shownText(bytes: Uint8Array<ArrayBuffer>): ContentBlock[] | undefined {
  if (wideEncoding(bytes) !== undefined || fileKind(bytes).is !== "text") return undefined;
  const text = decodeUtf8(bytes);
  return text === undefined ? undefined : blocks(text, []);
}

function blocks(text: string, notes: readonly string[]): ContentBlock[] {
  return [text, ...notes.map((note) => `[${note}]`)].map((text) => ({ type: "text", text }));
}

/** The bytes up to the last newline, or in one long line up to the last whole character. */
function wholeLines(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const end = bytes.lastIndexOf(NEWLINE, MAX_TEXT_BYTES - 1) + 1;
  if (end > 0) return bytes.subarray(0, end);
  let cut = MAX_TEXT_BYTES;
  while (cut > MAX_TEXT_BYTES - 4 && (bytes[cut]! & 0xc0) === 0x80) cut--;
  return bytes.subarray(0, cut);
}

/**
 * Makes `content` the whole of a file, in UTF-8, making its directories when they are missing, and
 * says what it did: `Created "/x" (12 lines)`, and what the new content changes in the format of the
 * file. Throws a readable error, and then the file is as it was.
 */
export async function writeText(
  target: CallFile,
  { content, signal }: { content: string; signal: AbortSignal },
): Promise<string> {
  const bytes = new TextEncoder().encode(content);
  using locked = await lockFile(target, { signal, read: false });
  if (!locked) makeParents(target);
  const notes = locked ? formatNotes(target, content) : [];
  atomicWrite(target, { bytes, like: locked?.info });
  return [report(locked ? "Overwrote" : "Created", target, content), ...notes].join("\n");
}

/**
 * Creates the directories above a new file. Throws a readable error, also if the file or one of the
 * directories exists under a name in another Unicode form, because two names would look alike.
 */
function makeParents(target: FileTarget): void {
  refuseOtherForm(target);
  try {
    makeDirectories(target.path.slice(0, target.path.lastIndexOf("/")) || "/");
  } catch (error) {
    throw systemError(error, target);
  }
}

/** The report of a write, with the number of lines; a last one without a newline counts. */
function report(verb: string, { given }: FileTarget, text: string): string {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return `${verb} ${quotePath(given)} (${plural(count, "line")})`;
}

/**
 * Makes a missing file with `content`, in UTF-8, and the directories above it, and says so. Throws
 * `invalid_arguments` when the file exists already, and a readable error of the system.
 */
export function createText(target: FileTarget, content: string): string {
  makeParents(target);
  let isNew = false;
  try {
    isNew = atomicCreate(target, new TextEncoder().encode(content));
  } catch (error) {
    if (errorCode(error) !== "EISDIR") throw systemError(error, target);
  }
  if (isNew) return report("Created", target, content);
  const why = "old_string is empty, which creates a missing file, and this one exists";
  const advice = "give the text to replace, or use Write to replace the whole file";
  throw new CallError("invalid_arguments", `${cannot(target)}: ${why}; ${advice}`);
}

/**
 * The names in one directory, one a line, sorted by the codes of their characters. A directory ends
 * in `/`, a symlink in `@`, and a name with control characters is quoted. Lists at most 1,000
 * names, then the number of the rest, and the number of those that the call may not read. Throws a
 * readable error; for a missing directory it names similar ones.
 */
export async function listDirectory(directory: CallFile): Promise<string> {
  const entries = readDirectory(directory) ?? await failMissing(directory);
  const prefix = directory.path === "/" ? "/" : `${directory.path}/`;
  const allowed = entries.filter((entry) => directory.mayRead(prefix + entry.name));
  allowed.sort((a, b) => a.name < b.name ? -1 : 1);
  const lines = allowed.slice(0, MAX_NAMES).map(lineOf);
  if (entries.length === 0) lines.push("[The directory is empty]");
  if (allowed.length > MAX_NAMES) {
    lines.push(
      `[${thousands(allowed.length - MAX_NAMES)} more of ${plural(allowed.length, "name")}; ` +
        "Glob finds those that match a pattern]",
    );
  }
  const hidden = entries.length - allowed.length;
  if (hidden > 0) lines.push(`[${plural(hidden, "name")} not shown: may not be read]`);
  return lines.join("\n");
}

function readDirectory(target: FileTarget): Deno.DirEntry[] | undefined {
  try {
    return [...Deno.readDirSync(target.path)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (errorCode(error) !== "ENOTDIR") throw systemError(error, target);
    throw new Error(`${cannot(target)}: it is not a directory; read it with fs.read or file`, {
      cause: { systemError: "ENOTDIR" },
    });
  }
}

function lineOf(entry: Deno.DirEntry): string {
  // deno-lint-ignore no-control-regex
  const name = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(entry.name)
    ? quotePath(entry.name)
    : entry.name;
  return name + (entry.isSymlink ? "@" : entry.isDirectory ? "/" : "");
}
