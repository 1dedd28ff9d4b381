/** The matcher of grammars, compared with ajv. */
import { expect } from "@std/expect";
import { Ajv2020 } from "ajv/dist/2020.js";
import { GrammarMatcher, nextCharacters } from "../../../../src/toolkit/gbnf_matcher/matcher.ts";
import { readGbnf } from "../../../../src/toolkit/gbnf_matcher/read_gbnf.ts";
import { toCodePoints } from "../../../../src/toolkit/gbnf_matcher/tokens.ts";
import { valueGrammar } from "../../../../src/base/gbnf/grammar.ts";
import { Dice, randomValue } from "../../../support/random_schemas.ts";
import { randomCase, reading } from "./reading.ts";

Deno.test("matcher > the next characters after a string are found, and whether the string may end", () => {
  const list = 'root ::= "[" (item ("," item)*)? "]"\nitem ::= [0-9]+ | root';
  const cases: [grammar: string, text: string, next: string | undefined, isComplete: boolean][] = [
    ['root ::= "yes" | "no"', "", "ny", false],
    ['root ::= "yes" | "no"', "y", "e", false],
    ['root ::= "yes" | "no"', "no", "", true],
    ['root ::= "yes" | "no"', "nos", undefined, false],
    ['root ::= "ab" "c"? | "a" [x-z]', "a", "bxyz", false],
    ['root ::= "ab" "c"? | "a" [x-z]', "ab", "c", true],
    [list, "[", "0123456789[]", false],
    [list, "[12", ",0123456789]", false],
    [list, "[12,[]", ",]", false],
    [list, "[12,[]]", "", true],
    ['root ::= "a"{2,3}', "a", "a", false],
    ['root ::= "a"{2,3}', "aa", "a", true],
    ['root ::= "a"{2,3}', "aaa", "", true],
    ['root ::= "a"{2}', "aa", "", true],
    ['root ::= "a"{2,} "b"', "aaaaa", "ab", false],
    ['root ::= "a"{0,0} "b"', "", "b", false],
    ['root ::= ("a"? "b"?){0,3} "c"', "abab", "abc", false],
    ['root ::= ("a"?)* "c"', "aaaa", "ac", false],
    ['root ::= ("a"?){2,4}', "aaaa", "", true],
    ['root ::= (("a" | "b") "c")+', "acbc", "ab", true],
    ['root ::= ""', "", "", true],
    ['root ::= | "a"', "", "a", true],
    ['root ::= "é" "😀" [α-γ]', "é", "😀", false],
    ['root ::= "é" "😀" [α-γ]', "é😀", "αβγ", false],
    [
      'root ::= "\\x41" "\\u00e9" "\\U0001F600" "\\n\\t\\r\\"\\\\\\[\\]\\-"',
      'Aé😀\n\t\r"\\[]-',
      "",
      true,
    ],
    ["root ::= [a\\-\\]^-]", "", "-]^a", false],
    // Comments, and a rule over several lines.
    ['# x\nroot ::= # y\n  "a" |\n "b" ( \n "c" # z\n)\r\n\r\nother ::= "d"', "b", "c", false],
    ["root ::= a_1 A-2\na_1 ::= [0]\nA-2 ::= [1]", "0", "1", false],
    // A branch that matches no string adds no next character.
    ['root ::= "a" never | "ab"\nnever ::= [^\\x00-\\U0010FFFF]', "a", "b", false],
    ['root ::= "a" endless | "b"\nendless ::= "c" endless', "", "b", false],
    ['root ::= "a" ([^\\x00-\\U0010FFFF])* "b"', "a", "b", false],
  ];
  for (const [grammar, text, next, isComplete] of cases) {
    const { read, state } = reading(grammar)(text);
    const fits = read === toCodePoints(text).length;
    const characters = fits && state !== undefined
      ? nextCharacters(state).flatMap(([from, to]) =>
        Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at))
      ).join("")
      : undefined;
    expect({ grammar, text, next: characters, isComplete: fits && state?.isComplete === true })
      .toEqual({ grammar, text, next, isComplete });
  }
});

Deno.test("matcher > an invalid grammar is an error with the reason", () => {
  const cases: [grammar: string, message: string][] = [
    ['other ::= "a"', 'no rule "root"'],
    ["root ::= other", 'The grammar has no rule "other", which the rule "root" uses'],
    ['root ::= "a"\nroot ::= "b"', 'the rule "root" twice'],
    ['root ::= "a', "line 1, column 12: expected a character, not its end"],
    ["root ::= [a", "expected a character, not its end"],
    ["root ::= []", "expected a character of the class"],
    ["root ::= [z-a]", "the end of a range that is not before its start"],
    ['root ::= "\\q"', "expected an escape"],
    ['root ::= "\\u12"', "expected 4 hexadecimal digits"],
    ['root ::= ("a"', 'expected ")", not its end'],
    ['root ::= "a")', 'expected a part of the rule, or its end, not ")"'],
    ['root ::= "a"\n  "b"', 'line 2, column 3: expected a rule\'s name, not "\\"b\\""'],
    ['root ::= "a"{3,2}', "a second number that is not below the first"],
    ['root ::= "a"{x}', 'not "{x}"'],
    ["root ::= *", 'not "*"'],
    ['root "a"', 'expected "::="'],
    ["root ::= <think>", "names a token in line 1"],
    ["root ::= " + "(".repeat(300), "more than 200 parentheses"],
    ['root ::= root "a" | "a"', 'left-recursive: the rule "root" begins with itself'],
    ['root ::= a\na ::= "x"? b\nb ::= [y]* a', '"a" → "b" → "a"'],
    ['root ::= (root "a")?', "left-recursive"],
    ['root ::= "" root', "left-recursive"],
  ];
  for (const [grammar, message] of cases) {
    expect(() => readGbnf(grammar), grammar).toThrow(message);
  }
});

Deno.test("matcher > a string with too many ways to read it is an error", () => {
  const parts = Array.from({ length: 21_000 }, (_, at) => `"a${at}"`).join(" | ");
  expect(() => reading(`root ::= ${parts}`)("a")).toThrow("more than 20000 ways");
});

Deno.test("matcher > a long string with many nested brackets is read", () => {
  const matcher = new GrammarMatcher(readGbnf('root ::= "(" root ")" | [a-z]{0,1000000}'));
  const text = "(".repeat(20_000) + "x".repeat(50_000) + ")".repeat(20_000);
  let state = matcher.start()!;
  for (const point of toCodePoints(text)) {
    state = matcher.next(state, point)!;
    matcher.tidy(state);
  }
  expect([state.isComplete, nextCharacters(state)]).toEqual([true, []]);
});

Deno.test("matcher > every prefix of a value that fits is admitted, and a value that does not fit is refused", () => {
  const dice = new Dice(4_711);
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  const counts = { schemas: 0, starts: 0, fits: 0, fails: 0, changed: 0 };
  for (let round = 0; round < 180; round++) {
    const schema = randomCase(dice, round);
    const { text: grammar, problems } = valueGrammar(schema);
    const read = reading(grammar);
    const fits = ajv.compile(schema);
    counts.schemas++;
    for (let each = 0; each < 16; each++) {
      const value = randomValue(dice, { schema: schema.allOf[0], wrong: dice.of([6, 30, 1_000]) });
      const text = JSON.stringify(value, undefined, each % 3 === 0 ? 2 : 0);
      const { read: count, state } = read(text);
      const length = toCodePoints(text).length;
      const admitted = count === length && state?.isComplete === true;
      if (fits(value)) {
        // The grammar admits each prefix.
        expect({ schema, text, count, admitted }).toEqual({
          schema,
          text,
          count: length,
          admitted: true,
        });
        counts.fits++;
        counts.starts += length;
      } else if (problems.length === 0) {
        expect({ schema, text, admitted }).toEqual({ schema, text, admitted: false });
        counts.fails++;
      }
      if (problems.length > 0 || length === 0) continue;
      // One character is added, removed or replaced.
      const points = toCodePoints(text);
      const at = dice.below(points.length);
      points.splice(
        at,
        dice.below(2),
        ...(dice.once(2) ? [dice.of(toCodePoints('"]},:0a\\ -e.1'))] : []),
      );
      const other = String.fromCodePoint(...points);
      const { read: otherCount, state: otherState } = read(other);
      const takes = otherCount === points.length && otherState?.isComplete === true;
      if (takes) {
        expect({ schema, other, fits: fits(JSON.parse(other)) }).toMatchObject({ fits: true });
      }
      counts.changed++;
    }
  }
  expect(counts.starts).toBeGreaterThan(15_000);
  expect(counts.fits).toBeGreaterThan(1_000);
  expect(counts.fails).toBeGreaterThan(1_000);
  expect(counts.changed).toBeGreaterThan(2_000);
});

Deno.test("matcher > a random choice of next characters leads to a value that fits", () => {
  const dice = new Dice(99);
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  let ended = 0;
  for (let round = 0; round < 250; round++) {
    const schema = randomCase(dice, round);
    const { text: grammar, problems } = valueGrammar(schema);
    const matcher = new GrammarMatcher(readGbnf(grammar));
    let state = matcher.start();
    const points: number[] = [];
    while (state !== undefined && points.length < 400) {
      if (state.isComplete && (nextCharacters(state).length === 0 || dice.once(3))) break;
      const [from, to] = dice.of(nextCharacters(state));
      points.push(from + dice.below(to - from + 1));
      state = matcher.next(state, points.at(-1)!);
      // Each next character leads to a state.
      expect(state).toBeDefined();
    }
    if (state === undefined || !state.isComplete) continue;
    const text = String.fromCodePoint(...points);
    ended++;
    const value = JSON.parse(text);
    if (problems.length === 0) {
      expect({ schema, text, fits: ajv.compile(schema)(value) }).toEqual({
        schema,
        text,
        fits: true,
      });
    }
  }
  expect(ended).toBeGreaterThan(120);
});
