import { CallError } from "../../base/errors.ts";

/** The most input that is read, in bytes. */
export const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/** The text of the input in UTF-8, with an optional byte order mark. Throws `malformed_call` for what is too long or not UTF-8. */
export function decodeInput(bytes: Uint8Array): string {
  if (bytes.length > MAX_INPUT_BYTES) {
    throw malformed(`the input is larger than ${MAX_INPUT_BYTES} bytes`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) ||
      (bytes[0] === 0xfe && bytes[1] === 0xff);
    throw malformed(
      utf16 ? "the input is UTF-16, not UTF-8" : "the input is not UTF-8",
    );
  }
}

/** A failure of the input itself, with data for programs. */
export function malformed(why: string, details: Record<string, unknown> = {}): CallError {
  return new CallError(
    "malformed_call",
    `Cannot read the tool call: ${why}; expected one JSON object such as ` +
      `{"name":"fs.read","arguments":{"path":"README.md"}}`,
    details,
  );
}
