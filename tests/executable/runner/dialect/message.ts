/** Helpers that the tests of the dialects share. */
import { oneLine, toolcall } from "../../../support/executable.ts";

/** Runs the executable with a value on stdin. Returns its exit code and its output. */
export async function answer(
  value: unknown,
  { flags, cwd }: { flags: string[]; cwd: string },
): Promise<{ exit: number; printed: unknown }> {
  const run = await toolcall(flags, { stdin: JSON.stringify(value), cwd });
  return { exit: run.code, printed: oneLine(run) };
}

/** A PNG of one pixel, in base64. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Writes the files that the calls of the tests read: a text file and an image. */
export function fill(directory: string): void {
  Deno.writeTextFileSync(`${directory}/a.txt`, "first\n");
  Deno.writeFileSync(
    `${directory}/pixel.png`,
    Uint8Array.from(atob(PIXEL), (c) => c.charCodeAt(0)),
  );
}

/** The size of {@link PIXEL} in bytes. */
export const PIXEL_BYTES = atob(PIXEL).length;
