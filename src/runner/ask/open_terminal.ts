import { TerminalInput } from "./terminal_input.ts";

/** The terminal of this process. It is opened once: see {@link TerminalInput}. */
let opened: TerminalInput | undefined;

/** Opens the terminal that controls this process, if there is one. */
export function openTerminal(): TerminalInput | undefined {
  try {
    return opened ??= new TerminalInput(Deno.openSync("/dev/tty"));
  } catch {
    return undefined;
  }
}
