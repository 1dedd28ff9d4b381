import {
  ALL_CODE_POINTS,
  type CodePoints,
  complement,
  only,
  union,
} from "../../base/gbnf/code_points.ts";
import { boundsIn, Scanner } from "../../base/gbnf/scanner.ts";
import { quote } from "../../base/text/quote.ts";
import { checkRules, type Grammar, type GrammarNode } from "./grammar.ts";

/** The deepest nesting of parentheses. */
const MAX_DEPTH = 200;

/** The escapes of one letter, and the code points that they are. */
const ESCAPES = new Map<string, number>([
  ...[["t", 9], ["r", 13], ["n", 10], ["\\", 0x5c], ['"', 0x22]] as const,
  ...[["[", 0x5b], ["]", 0x5d], ["-", 0x2d]] as const,
]);

/** Sticky patterns, matched at the reader's position. */
const NAME = /[A-Za-z0-9_-]+/y;
const TIMES = /\{[ \t]*\d{1,9}[ \t]*(?:,[ \t]*(?:\d{1,9})?[ \t]*)?\}/y;
const LINES = /(?:[ \t\r\n]|#[^\r\n]*)+/y;
const BLANKS = /(?:[ \t]|#[^\r\n]*)+/y;

/** The digits after the letters of the longer escapes. */
const HEX = new Map([["x", 2], ["u", 4], ["U", 8]]);

/**
 * Reads a grammar in GBNF. Throws with the line and column of a syntax error, for a missing rule,
 * and for left recursion, which a reader from left to right cannot finish.
 */
export function readGbnf(text: string): Grammar {
  const rules = new GbnfReader(text).rules();
  checkRules(rules);
  return rules;
}

class GbnfReader extends Scanner {
  #depth = 0;
  #ids = 0;

  rules(): Map<string, GrammarNode> {
    const rules = new Map<string, GrammarNode>();
    this.#space(true);
    while (!this.isDone) {
      const name = this.match(NAME) ?? this.#fail("a rule's name");
      if (rules.has(name)) throw new Error(`The grammar has the rule ${quote(name)} twice`);
      this.#space(false);
      if (!this.take("::=")) this.#fail('"::="');
      this.#space(true);
      rules.set(name, this.#choice(false));
      if (!this.isDone && this.match(/\r\n|[\r\n]/y) === undefined) {
        this.#fail("a part of the rule, or its end");
      }
      this.#space(true);
    }
    return rules;
  }

  #choice(isNested: boolean): GrammarNode {
    const choices = [this.#sequence(isNested)];
    while (this.take("|")) {
      this.#space(true);
      choices.push(this.#sequence(isNested));
    }
    return choices.length === 1 ? choices[0]! : this.#parts("choice", choices);
  }

  #sequence(isNested: boolean): GrammarNode {
    const items: GrammarNode[] = [];
    for (let item = this.#item(); item !== undefined; item = this.#item()) {
      this.#space(isNested);
      for (let times = this.#times(); times !== undefined; times = this.#times()) {
        item = { ...this.#part(), kind: "repeat", parts: [item], ...times };
        this.#space(isNested);
      }
      items.push(item);
    }
    return items.length === 1 ? items[0]! : this.#parts("sequence", items);
  }

  #item(): GrammarNode | undefined {
    const name = this.match(NAME);
    if (name !== undefined) return { ...this.#part(), kind: "rule", name, parts: [] };
    if (this.take('"')) return this.#literal();
    if (this.take("[")) return this.#set(this.#class());
    if (this.take(".")) return this.#set(ALL_CODE_POINTS);
    if (this.take("<") || this.take("!<")) {
      throw new Error(`The grammar names a token ${this.#where()}: tokens are not supported here`);
    }
    return this.take("(") ? this.#group() : undefined;
  }

  #group(): GrammarNode {
    if (++this.#depth > MAX_DEPTH) {
      throw new Error(`The grammar has more than ${MAX_DEPTH} parentheses in one another`);
    }
    this.#space(true);
    const inner = this.#choice(true);
    if (!this.take(")")) this.#fail('")"');
    this.#depth--;
    return inner;
  }

  #literal(): GrammarNode {
    const items: GrammarNode[] = [];
    while (!this.take('"')) items.push(this.#set(only(this.#character())));
    return this.#parts("sequence", items);
  }

  #class(): CodePoints {
    const isNot = this.take("^");
    const ranges: [number, number][] = [];
    while (!this.take("]")) {
      const from = this.#character();
      const to = this.match(/-(?!\])/y) === undefined ? from : this.#character();
      if (to < from) this.#fail("the end of a range that is not before its start");
      ranges.push([from, to]);
    }
    if (ranges.length === 0) this.#fail("a character of the class");
    return isNot ? complement(union(ranges)) : union(ranges);
  }

  #character(): number {
    if (!this.take("\\")) {
      const point = this.text.codePointAt(this.at) ?? this.#fail("a character");
      this.at += point > 0xffff ? 2 : 1;
      return point;
    }
    const letter = this.match(/[\s\S]/y) ?? "";
    const digits = HEX.get(letter);
    if (digits === undefined) return ESCAPES.get(letter) ?? this.#fail("an escape");
    const hex = this.match(new RegExp(`[0-9A-Fa-f]{${digits}}`, "y"));
    return parseInt(hex ?? this.#fail(`${digits} hexadecimal digits`), 16);
  }

  #times(): { min: number; max: number } | undefined {
    const quantifier = this.match(/[*+?]/y) ?? this.match(TIMES);
    if (quantifier === undefined) return undefined;
    const { min, max } = boundsIn(quantifier);
    return max < min ? this.#fail("a second number that is not below the first") : { min, max };
  }

  #set(set: CodePoints): GrammarNode {
    return { ...this.#part(), kind: "set", set, parts: [] };
  }

  #parts(kind: "sequence" | "choice", parts: GrammarNode[]): GrammarNode {
    return { ...this.#part(), kind, parts };
  }

  #part() {
    return { id: ++this.#ids, isEmpty: false, isPossible: false };
  }

  #space(newline: boolean): void {
    this.match(newline ? LINES : BLANKS);
  }

  #where(): string {
    const lines = this.text.slice(0, this.at).split("\n");
    return `in line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
  }

  #fail(expected: string): never {
    const rest = this.text.slice(this.at, this.at + 40);
    const found = rest === "" ? "its end" : quote(rest, 20);
    throw new Error(`Cannot read the grammar ${this.#where()}: expected ${expected}, not ${found}`);
  }
}
