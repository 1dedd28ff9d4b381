import { expect } from "@std/expect";
import { call } from "../executable.ts";

/** A call, and its data. */
async function logit(args: Record<string, unknown>) {
  const { text, isError, exit, structuredContent } = await call("logit", args);
  return { text, isError, exit, data: structuredContent! };
}

const person = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", minimum: 0, maximum: 130 } },
  required: ["name", "age"],
  additionalProperties: false,
};

Deno.test("logit > without permissions it says what may come next of a value", async () => {
  const { data, text } = await logit({ schema: person, text: '{"name":"Ada","age":13' });
  expect(data).toEqual({
    can_complete: true,
    is_complete: false,
    next: [{ from: "\n", to: "\n" }, { from: " ", to: " " }, { from: "0", to: "0" }, {
      from: "}",
      to: "}",
    }],
    next_ranges: 4,
    forced: "",
    forced_goes_on: false,
    left_out: [],
  });
  expect(text).toBe('The text can be completed\nNext: "\\n", " ", "0", "}"');
});

Deno.test("logit > a table of texts: what is said of them", async () => {
  const endless = 'root ::= "a" root';
  const cases: [args: Record<string, unknown>, lines: string[]][] = [
    [{ schema: person, text: '{"name":"A","age":131' }, [
      'The text cannot be completed: character 21 is "1", after "{\\"name\\":\\"A\\",\\"age\\":13"',
      'Possible there: "\\n", " ", "0", "}"',
    ]],
    [{ schema: { const: true }, text: "tru" }, [
      "The text can be completed",
      'Next: "e"',
      'It must go on with "e"',
    ]],
    [{ schema: { const: true }, text: "true" }, [
      "The text is complete, and nothing may come after it",
    ]],
    [{ schema: { const: true }, text: "truely" }, [
      'The text cannot be completed: character 5 is "l", after "true"',
      "The text had to end there",
    ]],
    [{ schema: { type: "integer" }, text: "12" }, [
      "The text is complete, and may go on",
      'Next: "0" to "9"',
    ]],
    [{ schema: { type: "string", format: "date" }, text: '"' }, [
      "The text can be completed",
      "Next: any character but U+0000 to U+001F",
      '[The grammar leaves out, of value: "format": more is admitted than the schema does]',
    ]],
    [{ schema: { enum: [] }, text: "1" }, ["The text cannot be completed: no text at all fits"]],
    [{ schema: { enum: [] } }, ["The text cannot be completed: no text at all fits"]],
    [{ grammar: endless, text: "aaa" }, ["The text cannot be completed: no text at all fits"]],
    [{ grammar: 'root ::= "x" [é-ü] "😀"', text: "x😀" }, [
      'The text cannot be completed: character 2 is U+1F600, after "x"',
      'Possible there: "é" to "ü"',
    ]],
    [{ grammar: 'root ::= "a"{5000}', text: "a" }, [
      "The text can be completed",
      'Next: "a"',
      `It must go on with "${"a".repeat(2_000)}", and more after these 2,000 characters`,
    ]],
  ];
  for (const [args, lines] of cases) {
    const { text, isError } = await logit(args);
    expect({ args, text, isError }).toEqual({ args, text: lines.join("\n"), isError: false });
  }
});

Deno.test("logit > tokens: pieces of several characters, of part of what comes, and past the end of a rule", async () => {
  const tokens = {
    7: '"',
    8: '"name',
    9: '"name":"',
    10: '"age"',
    11: "{",
    2: "</s>",
    12: "",
    13: ' "na',
  };
  const { data, text } = await logit({ schema: person, text: "{", tokens, end_tokens: [2] });
  expect(data["allowed"]).toEqual([7, 8, 9, 13]);
  expect(data["logit_bias"]).toEqual({ 2: -100, 10: -100, 11: -100, 12: -100 });
  expect(text).toContain('Of 8 tokens that may come next, 4 are: 7 "\\"", 8 "\\"name"');
  const end = await logit({ schema: { const: 1 }, text: "1", tokens, end_tokens: [2] });
  expect([end.data["allowed"], end.data["is_complete"]]).toEqual([[2], true]);
  expect(end.text).toContain("1 is: 2 (the end)");
  const lost = await logit({ schema: { const: 1 }, text: "2", tokens, end_tokens: [2] });
  expect([lost.data["allowed"], lost.data["logit_bias"]]).toEqual([[], undefined]);
});

Deno.test("logit > a logit_bias forbids up to 300 tokens, else chooses up to 300, else is not there", async () => {
  const words = (count: number, first: string) =>
    Array.from({ length: count }, (_, at) => `${first}${at}`);
  const cases: [yes: number, no: number, bias: [entries: number, value: number] | undefined][] = [
    [2, 300, [300, -100]],
    [400, 300, [300, -100]],
    [2, 301, [2, 100]],
    [300, 301, [300, 100]],
    [301, 301, undefined],
  ];
  for (const [yes, no, bias] of cases) {
    const tokens = [...words(yes, "y"), ...words(no, "n")];
    const { data, text } = await logit({ grammar: 'root ::= "y" [0-9]+', tokens });
    expect((data["allowed"] as number[]).length).toBe(yes);
    const values = data["logit_bias"] && Object.values(data["logit_bias"]);
    expect({ yes, no, values }).toEqual({ yes, no, values: bias && Array(bias[0]).fill(bias[1]) });
    if (bias === undefined) {
      expect(text).toContain(
        "[No logit_bias: 301 are forbidden and 301 allowed, and APIs take 300]",
      );
    } else if (bias[1] > 0) {
      expect(text).toContain("301 are forbidden, more than the 300 that APIs take");
    }
  }
});

Deno.test("logit > a vocabulary of a hundred thousand pieces is asked in a moment", async () => {
  const tokens = Array.from({ length: 100_000 }, (_, at) => at.toString(36));
  const { data } = await logit({
    schema: { type: "string", pattern: "^[a-f]+$" },
    text: '"',
    tokens,
  });
  const expected = tokens.flatMap((piece, id) => /^[a-f]+$/.test(piece) ? [id] : []);
  expect(expected.length).toBe(258);
  expect(data["allowed"]).toEqual(expected);
});

Deno.test("logit > a table of what cannot be asked, each with what is wrong", async () => {
  const parts = Array.from({ length: 30_000 }, (_, at) => `"a${at}"`).join("|");
  const cases: [args: Record<string, unknown>, message: string][] = [
    [{}, "give either schema or grammar"],
    [{ schema: {}, grammar: 'root ::= "a"' }, "give either schema or grammar"],
    [{ grammar: 'root ::= root "a"' }, "left-recursive"],
    [{ grammar: 'root ::= "a' }, "Cannot read the grammar in line 1, column 12"],
    [{ grammar: `root ::= ${parts}` }, "more than 20000 ways"],
    [{ schema: {}, tokens: { "1.5": "a" } }, 'Cannot take "1.5" for a token\'s id'],
    [{ schema: {}, tokens: ["a".repeat(1_001)] }, "it has 1001 characters, and 1000 are the most"],
  ];
  for (const [args, message] of cases) {
    const { text, isError } = await logit(args);
    expect({ message, isError, text: text.includes(message) ? message : text })
      .toEqual({ message, isError: true, text: message });
  }
});
