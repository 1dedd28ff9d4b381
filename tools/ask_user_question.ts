import { answersText, questionProblems } from "../src/toolkit/prompt/questions.ts";
import { questionSchema } from "../src/runner/registry/question_schema.ts";
import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";

export default defineTool({
  name: "AskUserQuestion",
  title: "Ask the user",
  description:
    "Asks the user one to four questions and waits for the answers. Each question has two to four options. With multiSelect, the answer is the selected labels, joined by commas. The user can always type another answer, so do not add an option such as Other. Returns each question with its answer. If the user declines or cannot be asked, the call fails and says so.",
  category: "agent",
  sideEffect: "blocking",
  optionality: "conditional",
  usageHint: "When the work depends on a decision that only the user can make",
  uses: ["ask"],
  inputSchema: {
    type: "object",
    properties: {
      questions: {
        type: "array",
        description: "The questions, with distinct texts.",
        minItems: 1,
        maxItems: 4,
        items: questionSchema,
      },
      answers: {
        type: "object",
        description: "Answers that already exist, by question. Only the others are asked.",
        additionalProperties: { type: "string", minLength: 1 },
      },
      annotations: {
        type: "object",
        description: "Notes of the user, by question.",
        additionalProperties: {
          type: "object",
          properties: {
            notes: { type: "string", description: "The notes." },
            preview: {
              type: "string",
              description: "Ignored: the preview of the chosen option.",
            },
          },
          additionalProperties: false,
        },
      },
      metadata: {
        type: "object",
        description: "Ignored: data for statistics.",
      },
    },
    required: ["questions"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "A question that is answered already",
      input: {
        questions: [{
          question: "Which library should format dates?",
          header: "Library",
          options: [
            { label: "date-fns", description: "Small functions, one import each" },
            { label: "Temporal", description: "Part of the language, no package" },
          ],
        }],
        answers: { "Which library should format dates?": "Temporal" },
        annotations: { "Which library should format dates?": { notes: "No new package" } },
      },
      expect: "Answer (given with the call): Temporal",
    },
    {
      description: "Nobody can be asked",
      input: {
        questions: [{
          question: "Which parts should be tested?",
          header: "Tests",
          options: [
            { label: "Parser", description: "The reading of the input" },
            { label: "Writer", description: "The writing of the output" },
          ],
          multiSelect: true,
        }],
      },
      expect: "--ask=exec:PROGRAM",
      isError: true,
    },
  ],
  ignores: ["metadata"],
  rules: ({ questions, answers = {} }) => questionProblems(questions, answers),
  permissions: {
    kinds: [],
    needs: () => [],
  },
  timeoutMs: 3_600_000,
  async run({ questions, answers: given = {}, annotations = {} }, ctx) {
    const open = questions.filter(({ question }) => !Object.hasOwn(given, question));
    const answers = open.length === 0 ? {} : await ctx.ask(open);
    const text = answersText(questions, { given, answers, annotations });
    return withDataIfWanted(
      ctx,
      text,
      () => ({ questions, answers: { ...answers, ...given }, annotations }),
    );
  },
});
