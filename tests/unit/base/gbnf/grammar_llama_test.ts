/** A grammar, as llama.cpp reads it, admits the same values as the schema, as ajv reads it. */
// tier: machine
import { expect } from "@std/expect";
import { Ajv2020 } from "ajv/dist/2020.js";
import { callGrammar } from "../../../../src/base/gbnf/grammar.ts";
import { hasLlama, readGrammar } from "../../../support/llama.ts";
import {
  definitions,
  Dice,
  randomNonsense,
  randomObject,
  randomSchema,
  randomValue,
} from "../../../support/random_schemas.ts";
import { callOf, grammarOf, testGrammars } from "./grammar_cases.ts";

const ignore = !hasLlama;

testGrammars(readGrammar, { ignore });

Deno.test({
  name:
    "grammar > the grammar of a random schema admits exactly the random values that fit the schema",
  ignore,
  fn: async () => {
    const dice = new Dice(20_260);
    const ajv = new Ajv2020({ strict: false, validateSchema: false });
    const counts = { reported: 0, fits: 0, fails: 0 };
    for (let round = 0; round < 500; round++) {
      const schema = round % 4 === 0
        ? randomObject(dice, { keys: ["a", "ab", "b", 'd"e', "f"], depth: 3 })
        : randomSchema(dice);
      const { text, problems, inputSchema } = grammarOf(schema, definitions);
      // The grammar may omit parts of an allOf and report that. Then it admits more values, never fewer.
      const isExact = problems.every((each) => each.includes("no arguments fit"));
      if (!isExact) counts.reported++;
      const admits = await readGrammar(text);
      const fits = ajv.compile(inputSchema);
      for (let each = 0; each < 24; each++) {
        const value = randomValue(dice, { schema, wrong: dice.of([6, 30, 1_000]) });
        const call = callOf(JSON.stringify(value, undefined, each % 3 === 0 ? 2 : 0));
        const expected = fits({ v: value });
        if (!expected && !isExact) continue;
        counts[expected ? "fits" : "fails"]++;
        expect({ schema, call, admitted: admits(call) }).toEqual({
          schema,
          call,
          admitted: expected,
        });
      }
    }
    expect(counts.reported).toBeLessThan(50);
    expect(counts.fits).toBeGreaterThan(3_000);
    expect(counts.fails).toBeGreaterThan(3_000);
  },
});

Deno.test({
  name: "grammar > an invalid schema still has a grammar, which llama.cpp reads",
  ignore,
  fn: async () => {
    const dice = new Dice(3);
    for (let round = 0; round < 3_000; round++) {
      const inputSchema = randomNonsense(dice);
      const admits = await readGrammar(callGrammar([{ name: "T", inputSchema }]).text);
      expect({ inputSchema, admitted: admits("{}") }).toEqual({ inputSchema, admitted: false });
    }
  },
});
