import { lookupTable } from "../../base/lookup_table.ts";
import { drawRaw, type Screen, screenSize } from "../../base/terminal/screen.ts";
import { wrap } from "../../base/terminal/wrap.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { Keys } from "./keys.ts";
import { openTerminal } from "./open_terminal.ts";

/** The answer of a person who was asked for a permission. */
export type PermissionAnswer = "once" | "always" | "no";

const ANSWERS = lookupTable<PermissionAnswer>({ y: "once", a: "always", n: "no" });

/**
 * Asks on the terminal for a permission, which takes one key. Any way to decline means no. Returns
 * undefined if this process has no terminal to ask on. Throws `unavailable` if the terminal closes.
 */
export async function askPermission(
  { what, directory }: {
    /** The permission and its reason, in one sentence. */
    what: string;
    /** The directory that an answer may be kept for. */
    directory: string;
  },
  screen: Screen,
): Promise<PermissionAnswer | undefined> {
  const input = screen.isTerminal() ? openTerminal() : undefined;
  if (input === undefined) return undefined;
  const keys = new Keys(input);
  const { signal } = new AbortController();
  const question = `${what}\n[y] once  [a] always in ${directory}  [n] no `;
  const lines = wrap(escapeControls(question), Math.max(1, screenSize().columns - 1));
  input.enterRaw();
  try {
    await keys.discard(signal);
    await drawRaw(screen, `${lines.join("\r\n")} `);
    let answer: PermissionAnswer | undefined;
    while (answer === undefined) {
      const key = await keys.next(signal);
      answer = key.name !== "text" ? "no" : ANSWERS[key.text.toLowerCase()];
    }
    await drawRaw(screen, `${answer}\r\n`);
    return answer;
  } finally {
    input.leaveRaw();
  }
}
