import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../support/executable.ts";

const options = [
  { label: "One", description: "The first" },
  { label: "Two", description: "The second" },
];
const question = (text: string) => ({ question: text, header: "Number", options });

Deno.test("ask user question > ambiguous questions and unknown answers are refused", async (t) => {
  const cases: [name: string, args: Record<string, unknown>, says: string][] = [
    ["twin questions", { questions: [question("A?"), question("A?")] }, 'question "A?" twice'],
    [
      "twin labels",
      { questions: [{ ...question("A?"), options: [options[0], options[0]] }] },
      'label "One" twice',
    ],
    ["a stray answer", { questions: [question("A?")], answers: { "B?": "One" } }, '"B?"'],
    ["an empty answer", { questions: [question("A?")], answers: { "A?": "" } }, "/answers"],
    ["no question", { questions: [] }, "/questions"],
    ["five questions", { questions: [..."ABCDE"].map(question) }, "/questions"],
    ["one option", { questions: [{ ...question("A?"), options: [options[0]] }] }, "/options"],
    [
      "five options",
      {
        questions: [{
          ...question("A?"),
          options: [..."12345"].map((n) => ({ ...options[0], label: n })),
        }],
      },
      "/options",
    ],
    ["a long header", { questions: [{ ...question("A?"), header: "x".repeat(13) }] }, "/header"],
    [
      "an answer to __proto__",
      JSON.parse('{"questions":[],"answers":{"__proto__":"x"}}'),
      "/questions",
    ],
  ];
  for (const [name, args, says] of cases) {
    await t.step(name, async () => {
      const result = await call("AskUserQuestion", args);
      expect(result.exit).toBe(5);
      expect(result.text).toContain(says);
    });
  }
});

Deno.test("ask user question > only questions without an answer are asked, and the answers keep the order of the questions", async () => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/ask`;
  Deno.writeTextFileSync(
    path,
    `#!/bin/sh\ncat > "$0.asked"\necho '{"answers":{"A?":"Two","__proto__":"One, Two"}}'\n`,
    { mode: 0o755 },
  );
  const asked = [question("A?"), question("B?"), { ...question("__proto__"), multiSelect: true }];
  const result = await call("AskUserQuestion", { questions: asked, answers: { "B?": "my own" } }, {
    flags: [`--ask=exec:${path}`],
  });
  expect(result.text).toBe(
    "Question: A?\nAnswer: Two\n\n" +
      "Question: B?\nAnswer (given with the call): my own\n\n" +
      "Question: __proto__\nAnswer: One, Two",
  );
  const { questions } = JSON.parse(Deno.readTextFileSync(`${path}.asked`));
  expect(questions).toEqual([{ ...asked[0], multiSelect: false }, asked[2]]);
});
