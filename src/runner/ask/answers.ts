import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { Question } from "../registry/services.ts";

const SHAPE = '{"answers":{question: answer}} with a text for each question';

/**
 * The answers in what a program has printed for `questions`. Throws `tool_failed` that says
 * what was expected.
 */
export function answersIn(
  text: string,
  { questions, program }: { questions: readonly Question[]; program: string },
): Record<string, string> {
  const fail = (why: string) => {
    const said = `Cannot use the answer of ${quote(program)}: expected ${SHAPE}, but ${why}`;
    return new CallError("tool_failed", said, { program });
  };
  const answers = given(text);
  if (answers === undefined) throw fail(`it printed ${text === "" ? "nothing" : quote(text)}`);
  const asked = questions.map(({ question }) => question);
  for (const question of Object.keys(answers)) {
    if (!asked.includes(question)) throw fail(`it answers ${quote(question)}, which was not asked`);
  }
  return Object.fromEntries(asked.map((question) => {
    const answer = Object.hasOwn(answers, question) ? answers[question] : undefined;
    if (typeof answer === "string" && answer.trim() !== "") return [question, answer];
    throw fail(
      `${quote(question)} has ${answer === undefined ? "no answer" : "no text as answer"}`,
    );
  }));
}

function given(text: string): Record<string, unknown> | undefined {
  try {
    const { answers } = JSON.parse(text);
    return typeof answers === "object" && !Array.isArray(answers)
      ? answers ?? undefined
      : undefined;
  } catch {
    return undefined;
  }
}
