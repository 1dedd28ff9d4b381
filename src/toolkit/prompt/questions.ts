import { type ArgumentProblem, problemIf } from "../../base/argument_problem.ts";
import { pointerOf } from "../../base/json/json_pointer.ts";
import { quote } from "../../base/text/quote.ts";
import type { Question } from "../../runner/registry/services.ts";

/**
 * The problems of answers that could not be assigned: two questions have the same text, two labels of
 * one question are equal, or an answer in `given` belongs to no question.
 */
export function questionProblems(
  questions: readonly Question[],
  given: Readonly<Record<string, string>>,
): ArgumentProblem[] {
  const texts = questions.map(({ question }) => question);
  const fix = "it does not match a question; use the exact text of a question";
  return [
    ...twins(texts, { what: "question", pathOf: (at) => `/questions/${at}/question` }),
    ...questions.flatMap(({ options }, index) =>
      twins(options.map(({ label }) => label), {
        what: "label",
        pathOf: (at) => `/questions/${index}/options/${at}/label`,
      })
    ),
    ...Object.keys(given).filter((question) => !texts.includes(question)).map((stray) => ({
      path: `/answers${pointerOf([stray])}`,
      message: `Cannot take the answer to ${quote(stray)}: ${fix}`,
    })),
  ];
}

function twins(
  texts: readonly string[],
  { what, pathOf }: { what: string; pathOf(at: number): string },
): ArgumentProblem[] {
  return texts.flatMap((text, at) =>
    problemIf(
      texts.indexOf(text) < at,
      pathOf(at),
      `Cannot ask with the ${what} ${quote(text)} twice: each question needs its own text`,
    )
  );
}

/**
 * Each question with its answer and the answer's source, as text for a model. Each answer stands
 * under the text of its question: `given` in the call, or among the `answers` that the user was asked
 * for. `annotations` are the user's notes on the answers in the call.
 */
export function answersText(
  questions: readonly Question[],
  { given, answers, annotations }: {
    given: Readonly<Record<string, string>>;
    answers: Readonly<Record<string, string>>;
    annotations: Readonly<Record<string, { notes?: string } | undefined>>;
  },
): string {
  return questions.map((question) => {
    const text = question.question;
    const isGiven = Object.hasOwn(given, text);
    const answer = (isGiven ? given : answers)[text]!;
    const note = isGiven ? "given with the call" : isOwn(answer, question) ? "as free text" : "";
    const label = note === "" ? "Answer" : `Answer (${note})`;
    const notes = Object.hasOwn(annotations, text) ? annotations[text]?.notes ?? "" : "";
    return `Question: ${text}\n${label}: ${answer}${notes === "" ? "" : `\nNotes: ${notes}`}`;
  }).join("\n\n");
}

/**
 * Returns whether an answer is the user's own text. It is unknown for several choices, as a label
 * may contain the text that joins them.
 */
function isOwn(answer: string, { options, multiSelect }: Question): boolean {
  return !multiSelect && options.every(({ label }) => label !== answer);
}
