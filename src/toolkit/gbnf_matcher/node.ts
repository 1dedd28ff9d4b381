import type { CodePoints } from "../../base/gbnf/code_points.ts";

/** What every part of a grammar has. */
interface Part {
  /** Tells it apart from the others of its grammar. */
  readonly id: number;
  /** Whether the empty text fits it. */
  isEmpty: boolean;
  /** Whether any text fits it. */
  isPossible: boolean;
}

/** A part of a grammar: one character, others after one another, one of others, or a rule. */
export type Node =
  & Part
  & (
    | { kind: "set"; set: CodePoints }
    | { kind: "sequence"; items: Node[] }
    | { kind: "choice"; choices: Node[] }
    | { kind: "repeat"; item: Node; min: number; max: number }
    | { kind: "rule"; name: string }
  );

/** A grammar: the bodies of its rules by name, of which `root` is the whole text. */
export type Grammar = ReadonlyMap<string, Node>;
