import { quote } from "../../base/text/quote.ts";
import type { Question } from "../../runner/registry/services.ts";

/**
 * Throws when questions could not be answered apart: two of the same text, two labels alike
 * in one question, or an answer among `given` that belongs to none of them.
 */
export function checkQuestions(
  questions: readonly Question[],
  given: Readonly<Record<string, string>>,
): void {
  const texts = questions.map(({ question }) => question);
  refuseTwins(texts, "question");
  for (const { options } of questions) refuseTwins(options.map(({ label }) => label), "label");
  const stray = Object.keys(given).find((question) => !texts.includes(question));
  if (stray === undefined) return;
  throw new Error(
    `Cannot take the answer to ${
      quote(stray)
    }: it is none of the questions; name a question's text`,
  );
}

function refuseTwins(texts: readonly string[], what: string): void {
  const twin = texts.find((text, at) => texts.indexOf(text) < at);
  if (twin === undefined) return;
  throw new Error(`Cannot ask with the ${what} ${quote(twin)} twice: give each another text`);
}
