import type { Node } from "web-tree-sitter";

/** What a node of a syntax tree defines. */
export interface DefinitionRule {
  /** What it is, for people; `undefined` when this node defines nothing after all. */
  kind: string | ((node: Node, name: Node) => string | undefined);
  /** The field that holds the names; `name` where nothing is said, `*` for all named children. */
  names?: string;
  /** What it belongs to, where that does not stand around it. */
  owner?: (node: Node, name: Node) => string | undefined;
  /** Whether it holds definitions without being one, such as Rust's `impl`. */
  isFrame?: boolean;
}

/** How a language names things: the types of nodes in its grammar. */
export interface LanguageRules {
  /** The leaves that are names. */
  identifiers: readonly string[];
  /** The nodes that define names. */
  definitions: Readonly<Record<string, DefinitionRule>>;
  /**
   * Nodes around a name that is defined, and where in them it stands: the fields, `*` for all
   * named children, `last` for the last of them.
   */
  patterns: Readonly<Record<string, string>>;
  /** The nodes that call something, and the field that says what. */
  calls: Readonly<Record<string, string>>;
  /** The nodes whose last part is the name that counts, such as `a.b`. */
  members: readonly string[];
  /** The nodes that import names. */
  imports: readonly string[];
  /** What stands between the parts of a whole name. */
  separator: "." | "::";
  /** What a text is looked for as, when a name in it is meant; the name itself where nothing is said. */
  spelling?: (name: string) => string;
}

/** A rule of {@link DefinitionRule} for a definition with a field `name`. */
export function named(kind: string): DefinitionRule {
  return { kind };
}

/** A rule for namespaces, whose name may have parts: the last is defined, those before own it. */
export function namespaces(kind: string): DefinitionRule {
  const owner = (node: Node, name: Node): string | undefined => {
    const whole = node.childForFieldName("name");
    const before = whole?.text.slice(0, name.startIndex - whole.startIndex) ?? "";
    return before.replace(/[^\p{L}\p{N}_]+$/u, "") || undefined;
  };
  return { kind, owner };
}

/** A rule for parameters, whose names stand in this field. */
export function parameters(names: string): DefinitionRule {
  return { kind: "parameter", names };
}
