import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { Question } from "../registry/services.ts";
import { applyKey, type Choice, firstChoice } from "./choice.ts";
import { type Key, Keys } from "./keys.ts";
import { type Screen, screenSize } from "../../base/terminal/screen.ts";
import type { TerminalInput } from "./terminal_input.ts";
import { choiceLines, Frame, type Line, questionLines } from "./view.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { wrap } from "../../base/terminal/wrap.ts";

/** A terminal, and how to use it. */
export interface TerminalOptions {
  /** The input of the user. */
  input: TerminalInput;
  /** The output to the user. */
  screen: Screen;
  /** True to use colours. */
  hasColor: boolean;
  /** Cancels the questions. */
  signal: AbortSignal;
}

/**
 * Asks one question after another, which the user answers with a few keys. A line about each answer
 * remains on the screen. Returns the answers by question. Throws if the user declines, the terminal
 * is closed or the signal is aborted. The mode of the terminal is always restored.
 */
export async function askOnTerminal(
  questions: readonly Question[],
  { input, screen, hasColor, signal }: TerminalOptions,
): Promise<Record<string, string>> {
  const keys = new Keys(input);
  const frame = new Frame(screen, hasColor);
  const answers: [question: string, answer: string][] = [];
  input.enterRaw();
  try {
    for (const [at, question] of questions.entries()) {
      const place = questions.length === 1 ? "" : `${at + 1}/${questions.length}`;
      await keys.discard(signal);
      const answer = await askOne(question, { keys, frame, place, signal });
      if (answer === undefined) throw declined(question);
      await frame.leave(answerLines(question, answer));
      answers.push([question.question, answer]);
    }
  } catch (error) {
    const question = questions[answers.length];
    if (question !== undefined) {
      await frame.leave(answerLines(question, "no answer")).catch(() => {});
    }
    throw error;
  } finally {
    input.leaveRaw();
  }
  return Object.fromEntries(answers);
}

/** Creates the error of a question that the user declined to answer. */
export function declined({ header }: Question): CallError {
  const what = `the question ${quote(header)}; no answer was read`;
  return new CallError("tool_failed", `The user declined to answer ${what}`, { declined: true });
}

/** Returns the answer, or `undefined` if the user declines. */
async function askOne(
  question: Question,
  { keys, frame, place, signal }: {
    keys: Keys;
    frame: Frame;
    place: string;
    signal: AbortSignal;
  },
): Promise<string | undefined> {
  let resized = Promise.withResolvers<undefined>();
  const onResize = () => {
    resized.resolve(undefined);
    resized = Promise.withResolvers();
  };
  Deno.addSignalListener("SIGWINCH", onResize);
  using cleanup = new DisposableStack();
  cleanup.defer(() => Deno.removeSignalListener("SIGWINCH", onResize));
  let choice: Choice = firstChoice;
  const isPrinted = await printIfLong(question, { frame, place });
  let pressed = nextKey(keys, signal);
  for (;;) {
    // The size may change while the lines are drawn.
    const { promise: sizeChange } = resized;
    const width = columnsToUse();
    const { lines, focus } = choiceLines(question, choice, width);
    const start = isPrinted ? [] : questionLines(question, { width, place });
    const { isWriting } = choice;
    await frame.draw([...start, ...lines], { focus: start.length + focus, isWriting });
    const key: Key | undefined = await Promise.race([pressed, sizeChange]);
    if (key === undefined) continue;
    if (key.name === "cancel" || (key.name === "escape" && !isWriting)) return undefined;
    const next = applyKey(choice, key, question);
    if ("answer" in next) return next.answer;
    choice = next;
    pressed = nextKey(keys, signal);
  }
}

/** Reads the next key. Its rejection may stay unhandled when the question ends before. */
function nextKey(keys: Keys, signal: AbortSignal): Promise<Key> {
  const key = keys.next(signal);
  key.catch(() => {});
  return key;
}

/** Prints a question that does not fit on the screen with its options, so that it can be scrolled. */
async function printIfLong(
  question: Question,
  { frame, place }: { frame: Frame; place: string },
): Promise<boolean> {
  const width = columnsToUse();
  const lines = questionLines(question, { width, place });
  const { length } = choiceLines(question, firstChoice, width).lines;
  if (lines.length + length < screenSize().rows) return false;
  await frame.leave(lines);
  return true;
}

/** Leaves the last column free: terminals differ in whether a full line moves the cursor. */
function columnsToUse(): number {
  return Math.max(1, screenSize().columns - 1);
}

function answerLines({ header }: Question, answer: string): Line[] {
  const text = `${escapeControls(header)}: ${escapeControls(answer)}`;
  return wrap(text, columnsToUse()).map((line) => ({ text: line }));
}
