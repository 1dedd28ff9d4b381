import { problemIf } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";

export default defineTool({
  name: "logit",
  title: "Constrain decoding",
  description:
    "Constrained decoding. Given a JSON Schema or GBNF grammar and a partial text, returns whether the text can be completed, where it became invalid, and which characters may or must come next. With tokens, returns which tokens may come next, and the logit_bias that allows only those. Between JSON tokens it accepts one space, or a line break and up to 60 spaces. Object properties come in the schema's order.",
  category: "utility",
  sideEffect: "none",
  idempotent: true,
  optionality: "optional",
  usageHint:
    "To restrict a model to a schema token by token, or to find where its text became invalid",
  inputSchema: {
    type: "object",
    properties: {
      schema: {
        type: "object",
        description: "The JSON Schema of the value. Give schema or grammar.",
      },
      grammar: {
        type: "string",
        description: "A GBNF grammar whose rule root matches the whole text; not left-recursive.",
        minLength: 1,
        maxLength: 500_000,
      },
      text: {
        type: "string",
        description: "The text so far.",
        maxLength: 200_000,
        default: "",
      },
      tokens: {
        description:
          "The vocabulary: token texts in the order of their ids from 0, or by id. Empty for tokens without text.",
        anyOf: [
          { type: "array", items: { type: "string" } },
          { type: "object", additionalProperties: { type: "string" } },
        ],
      },
      end_tokens: {
        type: "array",
        description: "Ids of the tokens that end the text. Allowed where it is complete.",
        items: { type: "integer", minimum: 0, maximum: 9_999_999_999 },
        maxItems: 100,
        default: [],
      },
    },
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      can_complete: {
        type: "boolean",
        description: "Whether the text is the start of one that fits",
      },
      is_complete: { type: "boolean", description: "Whether the text may end here" },
      left_at: {
        type: "integer",
        description: "How many characters (code points) fit, where not all do",
      },
      next: {
        type: "array",
        description: "The characters that may come next, or could where the text went wrong",
        items: {
          type: "object",
          properties: {
            from: { type: "string", description: "The first of a range" },
            to: { type: "string", description: "The last of it" },
          },
          required: ["from", "to"],
          additionalProperties: false,
        },
      },
      next_ranges: { type: "integer", description: "How many ranges there are; next has 1,000" },
      forced: {
        type: "string",
        description: "The text that must come next, while only one way is left",
      },
      forced_goes_on: { type: "boolean", description: "Whether more than that is forced" },
      allowed: {
        type: "array",
        description: "The ids of the tokens that may come next",
        items: { type: "integer" },
      },
      logit_bias: {
        type: "object",
        description: "-100 for every forbidden id, or 100 for every allowed one where more than " +
          "300 are forbidden; not there where more than 300 are allowed too",
        additionalProperties: { type: "integer" },
      },
      left_out: {
        type: "array",
        description: "The parts of the schema that the grammar does not express",
        items: { type: "string" },
      },
    },
    required: [
      ...["can_complete", "is_complete", "next", "next_ranges", "forced", "forced_goes_on"],
      "left_out",
    ],
    additionalProperties: false,
  },
  examples: [
    {
      description: "The start of an object",
      input: {
        schema: {
          type: "object",
          properties: { unit: { enum: ["metre", "mile"] } },
          required: ["unit"],
          additionalProperties: false,
        },
        text: '{"unit":"m',
        tokens: ["e", "etre", "ile", "ilk", '"}'],
      },
      expect: 'Of 5 tokens 3 may come next: 0 "e", 1 "etre", 2 "ile"',
    },
    {
      description: "A text that has left its grammar",
      input: { grammar: 'root ::= "yes" | "no"', text: "nay" },
      expect: 'character 2 is "a", after "n"\nPossible there: "o"',
    },
    {
      description: "A grammar that begins with itself",
      input: { grammar: 'root ::= root "a" | "a"' },
      expect: 'The grammar is left-recursive: the rule "root" begins with itself',
      isError: true,
    },
  ],
  rules: ({ schema, grammar }) =>
    problemIf(
      (schema === undefined) === (grammar === undefined),
      "/schema",
      "give either schema or grammar",
    ),
  permissions: {
    kinds: [],
    needs: () => [],
  },
  async run({ schema, grammar, text, tokens, end_tokens }, { signal }) {
    const { nextTokens } = await import("../src/toolkit/gbnf_matcher/next_tokens.ts");
    return await nextTokens({ schema, grammar, text, tokens, endTokens: end_tokens }, { signal });
  },
});
