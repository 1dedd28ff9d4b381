/** The results for strings and tokens, and the errors for invalid arguments. */
import { expect } from "@std/expect";
import { nextTokens } from "../../../../src/toolkit/gbnf_matcher/next_tokens.ts";

const person = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", minimum: 0, maximum: 130 } },
  required: ["name", "age"],
  additionalProperties: false,
};

/** The result, as text and as data. */
async function say(args: Record<string, unknown>) {
  const { content, structuredContent } = await nextTokens(
    { text: "", endTokens: [], ...args },
    new AbortController(),
  );
  return { text: content as string, data: structuredContent };
}

Deno.test("say next > each string has its description", async () => {
  const endless = 'root ::= "a" root';
  const cases: [args: Record<string, unknown>, lines: string[]][] = [
    [{ schema: person, text: '{"name":"A","age":131' }, [
      'The text cannot be completed: character 21 is "1", after "{\\"name\\":\\"A\\",\\"age\\":13"',
      'Possible there: "\\n", " ", "0", "}"',
    ]],
    [{ schema: { const: true }, text: "tru" }, [
      "The text can be completed",
      'Next: "e"',
      'It must continue with "e"',
    ]],
    [{ schema: { const: true }, text: "true" }, [
      "The text is complete, and nothing may follow",
    ]],
    [{ schema: { const: true }, text: "truely" }, [
      'The text cannot be completed: character 5 is "l", after "true"',
      "The text had to end there",
    ]],
    [{ schema: { type: "integer" }, text: "12" }, [
      "The text is complete, and may continue",
      'Next: "0" to "9"',
    ]],
    [{ schema: { type: "string", format: "date" }, text: '"' }, [
      "The text can be completed",
      "Next: any character but U+0000 to U+001F",
      '[The grammar is wider than the schema; it omits value: "format"]',
    ]],
    [{ schema: { enum: [] }, text: "1" }, [
      "The text cannot be completed: the grammar matches no text",
    ]],
    [{ schema: { enum: [] } }, ["The text cannot be completed: the grammar matches no text"]],
    [{ grammar: endless, text: "aaa" }, [
      "The text cannot be completed: the grammar matches no text",
    ]],
    [{ grammar: 'root ::= "x" [é-ü] "😀"', text: "x😀" }, [
      'The text cannot be completed: character 2 is U+1F600, after "x"',
      'Possible there: "é" to "ü"',
    ]],
    [{ grammar: 'root ::= "a"{5000}', text: "a" }, [
      "The text can be completed",
      'Next: "a"',
      `It must continue with "${"a".repeat(2_000)}", and more after these 2,000 characters`,
    ]],
  ];
  for (const [args, lines] of cases) {
    const { text } = await say(args);
    expect({ args, text }).toEqual({ args, text: lines.join("\n") });
  }
});

Deno.test("say next > a token may have several characters and may cross the end of a rule", async () => {
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
  const { data, text } = await say({ schema: person, text: "{", tokens, endTokens: [2] });
  expect(data["allowed"]).toEqual([7, 8, 9, 13]);
  expect(data["logit_bias"]).toEqual({ 2: -100, 10: -100, 11: -100, 12: -100 });
  expect(text).toContain('Of 8 tokens 4 may come next: 7 "\\"", 8 "\\"name"');
  const end = await say({ schema: { const: 1 }, text: "1", tokens, endTokens: [2] });
  expect([end.data["allowed"], end.data["is_complete"]]).toEqual([[2], true]);
  expect(end.text).toContain("1 may come next: 2 (the end)");
  const lost = await say({ schema: { const: 1 }, text: "2", tokens, endTokens: [2] });
  expect([lost.data["allowed"], lost.data["logit_bias"]]).toEqual([[], undefined]);
});

Deno.test("say next > a logit_bias forbids up to 300 tokens, else allows up to 300, else is missing", async () => {
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
    const { data, text } = await say({ grammar: 'root ::= "y" [0-9]+', tokens });
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

Deno.test("say next > an invalid argument is an error with the reason", async () => {
  const parts = Array.from({ length: 30_000 }, (_, at) => `"a${at}"`).join("|");
  const cases: [args: Record<string, unknown>, message: string][] = [
    [{ grammar: 'root ::= root "a"' }, "left-recursive"],
    [{ grammar: 'root ::= "a' }, "Cannot read the grammar in line 1, column 12"],
    [{ grammar: `root ::= ${parts}` }, "more than 20000 ways"],
    [{ schema: {}, tokens: { "1.5": "a" } }, 'Cannot take "1.5" for a token\'s id'],
    [{ schema: {}, tokens: ["a".repeat(1_001)] }, "it has 1001 characters, and 1000 are the most"],
  ];
  for (const [args, message] of cases) {
    await expect(say(args)).rejects.toThrow(message);
  }
});

Deno.test("say next > a canceled call ends", async () => {
  const stop = new AbortController();
  const asked = nextTokens({
    grammar: "root ::= [a-z]{0,1000000}",
    text: "a".repeat(200_000),
    endTokens: [],
  }, stop);
  stop.abort(new Error("enough"));
  await expect(asked).rejects.toThrow("enough");
});
