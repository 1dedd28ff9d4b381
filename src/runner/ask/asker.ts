import { CallError } from "../../base/errors.ts";
import type { Question } from "../registry/services.ts";
import { askPlainly } from "./plain.ts";
import { askByProgram } from "./program.ts";
import type { Screen } from "../../base/terminal/screen.ts";
import { askOnTerminal } from "./terminal.ts";
import { TerminalInput } from "./terminal_input.ts";

/**
 * Asks the person who called, and returns the answers by question. Throws `unavailable`
 * when that cannot be.
 */
export type AskClient = (questions: readonly Question[]) => Promise<Record<string, string>>;

/** How a person can be asked. */
export interface AskerOptions {
  /** Asks through whoever called, if that can be. */
  client?: AskClient;
  /** The absolute path of the program of `--ask=exec:PROGRAM`. */
  program?: string;
  /** Where the person is shown the questions, if it is a terminal. */
  screen: Screen;
  /** The caller's environment: the program's, and what it says of the terminal. */
  env: Record<string, string>;
  /** Ends the asking. */
  signal: AbortSignal;
}

/**
 * Asks a person: by the program if one is named, else through the caller or on the
 * terminal. Returns the answers by question: a label, labels joined by `", "`, or the
 * person's own words. Throws `unavailable` at once when nobody can be asked, `tool_failed`
 * when the person declines, and the signal's reason when it is aborted.
 */
export async function askPerson(
  questions: readonly Question[],
  { client, program, screen, env, signal }: AskerOptions,
): Promise<Record<string, string>> {
  if (program !== undefined) return await askByProgram(questions, { program, env, signal });
  if (client !== undefined) return await client(questions);
  if (!screen.isTerminal()) throw nobody("stderr is no terminal");
  const input = terminal();
  if (input === undefined) {
    throw nobody("stderr is a terminal, but not the one that controls this process");
  }
  const hasColor = (env["NO_COLOR"] ?? "") === "";
  return await oneByOne(() =>
    isPlain(env)
      ? askPlainly(questions, { input, screen, signal })
      : askOnTerminal(questions, { input, screen, hasColor, signal })
  );
}

/** The terminal of this process, which is opened once: see {@link TerminalInput}. */
let opened: TerminalInput | undefined;

function terminal(): TerminalInput | undefined {
  try {
    return opened ??= new TerminalInput(Deno.openSync("/dev/tty"));
  } catch {
    return undefined;
  }
}

/** Whether the terminal cannot move its cursor. */
function isPlain({ TERM = "" }: Record<string, string>): boolean {
  return TERM === "" || TERM === "dumb";
}

/** What is asked on the terminal at the moment. */
let asking: Promise<unknown> = Promise.resolve();

/** Calls of one process share the terminal. */
function oneByOne<T>(ask: () => Promise<T>): Promise<T> {
  const answer = asking.then(ask);
  asking = answer.catch(() => {});
  return answer;
}

function nobody(why: string): CallError {
  return new CallError(
    "unavailable",
    `Cannot ask a person: ${why}, and no program that asks is named; run toolcall with stderr on ` +
      "a terminal, or name a program with --ask=exec:PROGRAM",
  );
}
