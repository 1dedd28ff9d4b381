/** The matcher of grammars for tests, and random schemas for it. */
import { GrammarMatcher, type GrammarState } from "../../../../src/toolkit/gbnf_matcher/matcher.ts";
import { readGbnf } from "../../../../src/toolkit/gbnf_matcher/read_gbnf.ts";
import { toCodePoints } from "../../../../src/toolkit/gbnf_matcher/tokens.ts";
import {
  definitions,
  type Dice,
  randomObject,
  randomSchema,
} from "../../../support/random_schemas.ts";

/** Returns how many characters of a string are read, and the state after them. */
export function reading(grammar: string) {
  const matcher = new GrammarMatcher(readGbnf(grammar));
  return (text: string): { read: number; state: GrammarState | undefined } => {
    let state = matcher.start();
    let read = 0;
    for (const point of toCodePoints(text)) {
      const after = state && matcher.next(state, point);
      if (after === undefined) return { read, state };
      state = after;
      read++;
    }
    return { read, state };
  };
}

/** Returns whether a grammar admits a complete string. */
export function admitting(grammar: string) {
  const read = reading(grammar);
  return (text: string) => {
    const { read: count, state } = read(text);
    return count === toCodePoints(text).length && state?.isComplete === true;
  };
}

/** The same schemas and values as the tests of the grammar itself. */
export function randomCase(dice: Dice, round: number) {
  const schema = round % 4 === 0
    ? randomObject(dice, { keys: ["a", "ab", "b", 'd"e', "f"], depth: 3 })
    : randomSchema(dice);
  return { allOf: [schema], $defs: definitions };
}
