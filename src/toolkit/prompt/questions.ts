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

/** The answers to questions by their source, each under the text of its question. */
export interface AnswerSources {
  /** The answers that were in the call. */
  given: Readonly<Record<string, string>>;
  /** The answers that the user was asked for. */
  answers: Readonly<Record<string, string>>;
  /** The answers that the user added to those in the call. */
  annotations: Readonly<Record<string, { notes?: string } | undefined>>;
}

/** Each question with its answer, and where that is from, as a model reads it. */
export function answersText(
  questions: readonly Question[],
  { given, answers, annotations }: AnswerSources,
): string {
  return questions.map((question) => {
    const text = question.question;
    const isGiven = Object.hasOwn(given, text);
    const answer = (isGiven ? given : answers)[text]!;
    const note = isGiven ? "given with the call" : isOwn(answer, question) ? "in own words" : "";
    const label = note === "" ? "Answer" : `Answer (${note})`;
    const notes = Object.hasOwn(annotations, text) ? annotations[text]?.notes ?? "" : "";
    return `Question: ${text}\n${label}: ${answer}${notes === "" ? "" : `\nNotes: ${notes}`}`;
  }).join("\n\n");
}

/**
 * Whether an answer is the user's own text. With several choices that is unknown, because a label
 * may contain the text that joins them.
 */
function isOwn(answer: string, { options, multiSelect }: Question): boolean {
  return !multiSelect && options.every(({ label }) => label !== answer);
}
