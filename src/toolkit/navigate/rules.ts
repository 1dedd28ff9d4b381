import type { Node } from "web-tree-sitter";

/** The definition that a node of a syntax tree makes. */
export interface DefinitionRule {
  /** Its kind, for people; `undefined` if the node defines nothing. */
  kind: string | ((node: Node, name: Node) => string | undefined);
  /** The field with the names; default: `name`; `*` for all named children. */
  names?: string;
  /** Its owner, if the owner is not around it in the tree. */
  owner?: (node: Node, name: Node) => string | undefined;
  /** True if it contains definitions but is not one itself, such as Rust's `impl`. */
  isFrame?: boolean;
}

/** The types of nodes in a language's grammar that define or use names. */
export interface LanguageRules {
  /** The leaves that can be names. */
  identifiers: readonly string[];
  /** The nodes that define names. */
  definitions: Readonly<Record<string, DefinitionRule>>;
  /**
   * Nodes around a defined name, with its position in them: the fields, `*` for all named children,
   * `last` for the last of them.
   */
  patterns: Readonly<Record<string, string>>;
  /** The nodes that are calls, with the field of the called name. */
  calls: Readonly<Record<string, string>>;
  /** The nodes whose last part is the used name, such as `a.b`. */
  members: readonly string[];
  /** The nodes that import names. */
  imports: readonly string[];
  /** The separator in qualified names. */
  separator: "." | "::";
  /** The spelling of a name in a text; default: the name. */
  spelling?: (name: string) => string;
}

/** The same rule or field for several types of nodes, which are separated by blanks. */
export function each<T>(types: string, value: T): Record<string, T> {
  return Object.fromEntries(types.split(" ").map((type) => [type, value]));
}

/** A rule for definitions with a field `name`. */
export function named(kind: string): DefinitionRule {
  return { kind };
}

/** A rule for namespaces with a qualified name: the last part is defined, the others are its owner. */
export function namespaces(kind: string): DefinitionRule {
  const owner = (node: Node, name: Node): string | undefined => {
    const whole = node.childForFieldName("name");
    const before = whole?.text.slice(0, name.startIndex - whole.startIndex) ?? "";
    return before.replace(/[^\p{L}\p{N}_]+$/u, "") || undefined;
  };
  return { kind, owner };
}

/** A rule for parameters with their names in this field. */
export function parameters(names: string): DefinitionRule {
  return { kind: "parameter", names };
}
