/** The matcher of grammars, compared with llama.cpp's reader of grammars. */
// tier: machine
import { expect } from "@std/expect";
import { valueGrammar } from "../../../../src/base/gbnf/grammar.ts";
import { hasLlama, readGrammar } from "../../../support/llama.ts";
import { Dice, randomValue } from "../../../support/random_schemas.ts";
import { admitting, randomCase } from "./reading.ts";

Deno.test({
  name: "matcher > it admits the same random strings as llama.cpp's own reader",
  ignore: !hasLlama,
  fn: async () => {
    const dice = new Dice(31_337);
    const counts = { admitted: 0, refused: 0 };
    for (let round = 0; round < 100; round++) {
      const schema = randomCase(dice, round);
      const { text: grammar } = valueGrammar(schema);
      const [own, llama] = [admitting(grammar), await readGrammar(grammar)];
      for (let each = 0; each < 20; each++) {
        const value = randomValue(dice, { schema: schema.allOf[0], wrong: dice.of([4, 1_000]) });
        let text = JSON.stringify(value, undefined, dice.of([0, 0, 2]));
        if (dice.once(3)) text = text.slice(0, dice.below(text.length + 1));
        const admitted = own(text);
        counts[admitted ? "admitted" : "refused"]++;
        expect({ grammar, text, admitted }).toEqual({ grammar, text, admitted: llama(text) });
      }
    }
    for (let round = 0; round < 250; round++) {
      const grammar = randomGrammar(dice);
      const [own, llama] = [admitting(grammar), await readGrammar(grammar)];
      for (let each = 0; each < 12; each++) {
        const text = Array.from({ length: dice.below(7) }, () => dice.of(["a", "b", "c", "é"]))
          .join("");
        const admitted = own(text);
        counts[admitted ? "admitted" : "refused"]++;
        expect({ grammar, text, admitted }).toEqual({ grammar, text, admitted: llama(text) });
      }
    }
    expect(counts.admitted).toBeGreaterThan(1_000);
    expect(counts.refused).toBeGreaterThan(1_000);
  },
});

/** A small grammar without left recursion and without a repetition of the empty string. */
function randomGrammar(dice: Dice): string {
  const terminal = () => dice.of(['"a"', '"b"', '"ab"', "[a-c]", "[^a]", '"é"', ".", '"bc"']);
  const part = (depth: number): string => {
    const kind = dice.below(depth > 0 ? 7 : 2);
    if (kind < 2) return terminal();
    if (kind === 2) {
      return `${terminal()}${dice.of(["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{1,}"])}`;
    }
    if (kind === 3) return `(${part(depth - 1)} | ${part(depth - 1)})`;
    if (kind === 4) return `(${terminal()} ${part(depth - 1)})${dice.of(["*", "+", "?", "{1,2}"])}`;
    if (kind === 5) return `${terminal()} ${dice.of(["one", "two"])}`;
    return `${part(depth - 1)} ${part(depth - 1)}`;
  };
  return `root ::= ${part(3)} | ${part(2)}\none ::= ${part(2)}\ntwo ::= ${part(2)} | ""\n`;
}
