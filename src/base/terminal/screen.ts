import { CallError } from "../errors.ts";
import { terminalText } from "./terminal_text.ts";

/** The part of an output stream that is used to show texts to the user. */
export interface Screen {
  /** Writes some of `data`, and resolves to the number of bytes. */
  write(data: Uint8Array): Promise<number>;
  /** Returns true for a terminal. */
  isTerminal(): boolean;
}

/** The size of a terminal that does not report one. */
const DEFAULT_SIZE = { columns: 80, rows: 24 };

/** Writes all of `text`, made safe for a terminal. Throws `unavailable` if the terminal is closed. */
export async function show(screen: Screen, text: string): Promise<void> {
  await drawRaw(screen, screen.isTerminal() ? terminalText(text) : text);
}

/** As {@link show}, for a frame that moves the cursor. Its texts must be safe already. */
export async function drawRaw(screen: Screen, text: string): Promise<void> {
  const data = new TextEncoder().encode(text);
  for (let at = 0; at < data.length;) {
    at += await screen.write(data.subarray(at)).catch(throwTerminalClosed);
  }
}

/** Throws `unavailable`: after any failure of a terminal, nobody can answer there. */
export function throwTerminalClosed(): never {
  throw new CallError(
    "unavailable",
    "The terminal was closed before an answer; run the call again in one that stays open",
  );
}

/** Returns the current size of the terminal. */
export function screenSize(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    // A terminal without a size reports 0.
    return { columns: columns || DEFAULT_SIZE.columns, rows: rows || DEFAULT_SIZE.rows };
  } catch {
    return DEFAULT_SIZE;
  }
}
