import { CallError } from "../call_error.ts";
import type { Question } from "../registry/services.ts";
import { askPlainly } from "./plain.ts";
import { AskingProgram } from "./program.ts";
import type { Screen } from "./screen.ts";
import { askOnTerminal } from "./terminal.ts";
import { TerminalInput } from "./terminal_input.ts";

/** How a person can be asked. */
export interface AskerOptions {
  /** The absolute path of the program of `--ask=exec:PROGRAM`. */
  program?: string;
  /** Where the person is shown the questions, if it is a terminal. */
  screen: Screen;
  /** The caller's environment: the program's, and what it says of the terminal. */
  env: Record<string, string>;
}

/** Asks a person. */
export interface Asker {
  /**
   * Returns the answers by question: a label, labels joined by `", "`, or the person's own
   * words. Throws `unavailable` at once when nobody can be asked, `tool_failed` when the
   * person declines, and the signal's reason when it is aborted.
   */
  ask(questions: readonly Question[], signal: AbortSignal): Promise<Record<string, string>>;
  /** Ends what was made ready. */
  close(): Promise<void>;
}

/**
 * Makes ready to ask a person: by the program if one is named, else on the terminal. To be
 * called before the walls, which shut the terminal and the start of programs. An
 * asker that nobody can answer says so when it is used.
 */
export function openAsker({ program, screen, env }: AskerOptions): Asker {
  if (program !== undefined) return programAsker(program, env);
  const input = screen.isTerminal() ? terminal() : undefined;
  if (input === undefined) {
    const why = screen.isTerminal()
      ? "stderr is a terminal, but not the one that controls this process"
      : "stderr is no terminal";
    return { ask: () => Promise.reject(nobody(why)), close };
  }
  const hasColor = (env["NO_COLOR"] ?? "") === "";
  return {
    ask: (questions, signal) =>
      oneByOne(() =>
        isPlain(env)
          ? askPlainly(questions, { input, screen, signal })
          : askOnTerminal(questions, { input, screen, hasColor, signal })
      ),
    close,
  };
}

/** A program is good for one question after another: the next one is made ready with the walls it finds. */
function programAsker(path: string, env: Record<string, string>): Asker {
  let ready: AskingProgram | undefined = new AskingProgram(path, env);
  return {
    async ask(questions, signal) {
      const program = ready ?? new AskingProgram(path, env);
      ready = undefined;
      return await program.ask(questions, signal);
    },
    close: async () => await ready?.close(),
  };
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

function close(): Promise<void> {
  return Promise.resolve();
}
