import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { Question } from "../registry/services.ts";
import { type Choice, firstChoice, press } from "./choice.ts";
import { Frame } from "./frame.ts";
import { type Key, Keys } from "./keys.ts";
import { type Screen, screenSize } from "../../base/terminal/screen.ts";
import type { TerminalInput } from "./terminal_input.ts";
import { choiceLines, type Line, questionLines } from "./view.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { wrap } from "../../base/terminal/wrap.ts";

/** A terminal and who waits for its answer. */
export interface TerminalOptions {
  /** What is typed. */
  input: TerminalInput;
  /** What is seen. */
  screen: Screen;
  /** Whether colours may be used. */
  hasColor: boolean;
  /** Ends the asking. */
  signal: AbortSignal;
}

/**
 * Asks one question after another, to be answered with a few keys, and leaves a line
 * for each. Returns the answers by question. Throws when the person declines, the
 * terminal is gone or the signal is aborted; the terminal is then as it was.
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
      await frame.leave(outcome(question, answer));
      answers.push([question.question, answer]);
    }
  } catch (error) {
    const question = questions[answers.length];
    if (question !== undefined) await frame.leave(outcome(question, "no answer")).catch(() => {});
    throw error;
  } finally {
    input.leaveRaw();
  }
  return Object.fromEntries(answers);
}

/** That the person would rather not answer. */
export function declined({ header }: Question): CallError {
  const message = `The person declined to answer the question ${
    quote(header)
  }; no answer was taken`;
  return new CallError("tool_failed", message, { declined: true });
}

interface Asking {
  keys: Keys;
  frame: Frame;
  place: string;
  signal: AbortSignal;
}

/** The answer, or nothing when the person declines. */
async function askOne(
  question: Question,
  { keys, frame, place, signal }: Asking,
): Promise<string | undefined> {
  using resized = new Resized();
  let choice: Choice = firstChoice;
  const above = await leaveLong(question, { frame, place });
  let pressed = keyOf(keys, signal);
  for (;;) {
    const width = columnsToUse();
    const { lines, focus } = choiceLines(question, choice, width);
    const start = above ? [] : questionLines(question, { width, place });
    const { isWriting } = choice;
    await frame.draw([...start, ...lines], { focus: start.length + focus, isWriting });
    const key: Key | undefined = await Promise.race([pressed, resized.next()]);
    if (key === undefined) continue;
    if (key.name === "cancel" || (key.name === "escape" && !isWriting)) return undefined;
    const next = press(choice, key, question);
    if ("answer" in next) return next.answer;
    choice = next;
    pressed = keyOf(keys, signal);
  }
}

/** The next key; a failure is for who waits for it, and nobody may by then. */
function keyOf(keys: Keys, signal: AbortSignal): Promise<Key> {
  const key = keys.next(signal);
  key.catch(() => {});
  return key;
}

/** Writes a question that does not fit above its options for good: the terminal can scroll back to it. */
async function leaveLong(
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

/** The last column stays free: a terminal that has filled it may or may not have gone on. */
function columnsToUse(): number {
  return Math.max(1, screenSize().columns - 1);
}

function outcome({ header }: Question, answer: string): Line[] {
  const text = `${escapeControls(header)}: ${escapeControls(answer)}`;
  return wrap(text, columnsToUse()).map((line) => ({ text: line }));
}

/** Tells when the terminal gets another size. */
class Resized {
  #changed = Promise.withResolvers<undefined>();
  #listener = () => this.#changed.resolve(undefined);

  constructor() {
    Deno.addSignalListener("SIGWINCH", this.#listener);
  }

  async next(): Promise<undefined> {
    const changed = this.#changed;
    await changed.promise;
    if (this.#changed === changed) this.#changed = Promise.withResolvers();
  }

  [Symbol.dispose](): void {
    Deno.removeSignalListener("SIGWINCH", this.#listener);
  }
}
