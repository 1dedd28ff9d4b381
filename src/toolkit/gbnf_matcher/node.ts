import type { CodePoints } from "../../base/gbnf/code_points.ts";

/** The fields of every part of a grammar. */
interface Part {
  /** Tells it apart from the others of its grammar. */
  readonly id: number;
  /** True if the empty text fits it. */
  isEmpty: boolean;
  /** True if some text fits it. */
  isPossible: boolean;
}

/** A part of a grammar: a character, a sequence, a choice, a repetition, or the name of a rule. */
export type GrammarNode =
  & Part
  & (
    | { kind: "set"; set: CodePoints }
    | { kind: "sequence"; items: GrammarNode[] }
    | { kind: "choice"; choices: GrammarNode[] }
    | { kind: "repeat"; item: GrammarNode; min: number; max: number }
    | { kind: "rule"; name: string }
  );

/** A grammar: the bodies of its rules by name, of which `root` is the whole text. */
export type Grammar = ReadonlyMap<string, GrammarNode>;
