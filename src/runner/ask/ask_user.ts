import { CallError } from "../../base/errors.ts";
import type { Question } from "../registry/services.ts";
import { askPlainly } from "./ask_plainly.ts";
import { askByProgram } from "./ask_by_program.ts";
import type { Screen } from "../../base/terminal/screen.ts";
import { askOnTerminal } from "./ask_on_terminal.ts";
import { openTerminal } from "./open_terminal.ts";

/**
 * Asks the user through the caller, and returns the answers by question. Throws `unavailable` if the
 * caller cannot ask.
 */
export type AskClient = (questions: readonly Question[]) => Promise<Record<string, string>>;

/**
 * Asks the user: by the program if one is named, otherwise through the caller or on the terminal.
 * Returns the answers by question: a label, labels joined by `", "`, or the user's own words. Throws
 * `unavailable` at once if there is no way to ask, `tool_failed` if the user declines, and the
 * signal's reason if it is aborted.
 */
export async function askUser(
  questions: readonly Question[],
  { client, program, screen, env, signal }: {
    client?: AskClient;
    /** The absolute path of the program of `--ask=exec:PROGRAM`. */
    program?: string;
    screen: Screen;
    /** The caller's environment: for the program, and for the properties of the terminal. */
    env: Record<string, string>;
    signal: AbortSignal;
  },
): Promise<Record<string, string>> {
  if (program !== undefined) return await askByProgram(questions, { program, env, signal });
  if (client !== undefined) return await client(questions);
  if (!screen.isTerminal()) throw cannotAsk("stderr is not a terminal");
  const input = openTerminal();
  if (input === undefined) {
    throw cannotAsk("stderr is a terminal, but not the controlling terminal of this process");
  }
  const hasColor = (env["NO_COLOR"] ?? "") === "";
  // A plain terminal cannot move its cursor.
  const isPlain = ["", "dumb"].includes(env["TERM"] ?? "");
  return await runInTurn(() =>
    isPlain
      ? askPlainly(questions, { input, screen, signal })
      : askOnTerminal(questions, { input, screen, hasColor, signal })
  );
}

/** The question that is on the terminal now. */
let current: Promise<unknown> = Promise.resolve();

/** Runs one question after the other: calls of one process share the terminal. */
function runInTurn<T>(ask: () => Promise<T>): Promise<T> {
  const answer = current.then(ask);
  current = answer.catch(() => {});
  return answer;
}

function cannotAsk(why: string): CallError {
  return new CallError(
    "unavailable",
    `Cannot ask the user: ${why}, and no program was given; run toolcall with stderr on a ` +
      `terminal, or use --ask=exec:PROGRAM`,
  );
}
