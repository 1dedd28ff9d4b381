import { expect } from "@std/expect";
import { call } from "../../support/executable.ts";

/** The result of a call, with its data. */
async function logit(args: Record<string, unknown>) {
  const { text, isError, structuredContent } = await call("logit", args);
  return { text, isError, data: structuredContent! };
}

const person = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", minimum: 0, maximum: 130 } },
  required: ["name", "age"],
  additionalProperties: false,
};

Deno.test("logit > a call without permissions returns the characters that may come next", async () => {
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

Deno.test("logit > the allowed tokens of a vocabulary of a hundred thousand are returned", async () => {
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

Deno.test("logit > a call needs either a schema or a grammar, and an invalid grammar is reported", async () => {
  const cases: [args: Record<string, unknown>, message: string][] = [
    [{}, "give either schema or grammar"],
    [{ schema: {}, grammar: 'root ::= "a"' }, "give either schema or grammar"],
    [{ grammar: 'root ::= "a' }, "Cannot read the grammar in line 1, column 12"],
  ];
  for (const [args, message] of cases) {
    const { text, isError } = await logit(args);
    expect({ message, isError, text: text.includes(message) ? message : text })
      .toEqual({ message, isError: true, text: message });
  }
});

Deno.test("logit > a schema that is nested too deep is refused", async () => {
  const nested = (levels: number) => {
    let schema: unknown = {};
    for (let level = 0; level < levels; level++) schema = { items: schema };
    return { schema };
  };
  expect((await logit(nested(900))).isError).toBe(false);
  for (const levels of [1_200, 1_900]) {
    expect(await logit(nested(levels))).toMatchObject({
      text: 'Cannot call "logit": its arguments are nested more than 1000 levels deep',
      isError: true,
    });
  }
});
