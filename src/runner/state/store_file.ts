import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";

/**
 * Creates an empty file that only the user can read, unless it exists. SQLite gives its other files
 * the same mode. Throws `unavailable`.
 */
export function makePrivateFile(path: string): void {
  try {
    Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return;
    const advice = "correct its permissions, or choose another directory with --state-dir=DIR";
    const why = `${osErrorMessage(error)}; ${advice}`;
    throw new CallError("unavailable", `Cannot make ${quote(path, 4096)}: ${why}`);
  }
}

/** Whether the store or its directory, where SQLite creates files, cannot be written. */
export function isUnwritable(path: string): boolean {
  try {
    Deno.openSync(path, { append: true }).close();
    const trial = `${path}-${crypto.randomUUID()}`;
    Deno.openSync(trial, { write: true, createNew: true }).close();
    Deno.removeSync(trial);
    return false;
  } catch {
    return fileSize(path) > 0;
  }
}

/** The size of a file in bytes, or 0 if it is missing. */
export function fileSize(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}

/** A string that distinguishes the file at a path from a later one there; `""` without a file. */
export function fileIdentity(path: string): string {
  try {
    const { dev, ino } = Deno.lstatSync(path);
    return `${dev}:${ino}`;
  } catch {
    return "";
  }
}
