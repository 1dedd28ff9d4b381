import { CallError } from "../errors.ts";

/** Where a person is shown something: the part of a stream to a terminal that is used here. */
export interface Screen {
  /** Writes some of `data` and tells how many bytes. */
  write(data: Uint8Array): Promise<number>;
  /** Whether a person looks at it. */
  isTerminal(): boolean;
}

/** The size that is taken where the terminal does not tell one. */
const USUAL = { columns: 80, rows: 24 };

/** Writes all of `text`. Throws `unavailable` when the terminal is gone. */
export async function show(screen: Screen, text: string): Promise<void> {
  const data = new TextEncoder().encode(text);
  for (let at = 0; at < data.length;) {
    at += await screen.write(data.subarray(at)).catch(throwGone);
  }
}

/** Every failure of a terminal means that nobody can answer there any more. */
export function throwGone(): never {
  throw new CallError(
    "unavailable",
    "The terminal was closed before an answer; run the call again in one that stays open",
  );
}

/** The columns and rows of the terminal as it is now. */
export function screenSize(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    // A terminal that nobody has given a size says 0.
    return { columns: columns || USUAL.columns, rows: rows || USUAL.rows };
  } catch {
    return USUAL;
  }
}
