import type { Node } from "web-tree-sitter";
import type { LanguageRules } from "./rules.ts";

/** The deepest nesting of a pattern in which names are looked for. */
const MAX_PATTERN_DEPTH = 30;

/** The nodes of the names that a pattern or declarator defines, in the order of the text. */
export function boundNames(node: Node, rules: LanguageRules, depth = 0): Node[] {
  if (rules.identifiers.includes(node.type)) return [node];
  const fields = Object.hasOwn(rules.patterns, node.type) ? rules.patterns[node.type] : undefined;
  if (fields === undefined || depth > MAX_PATTERN_DEPTH) return [];
  const inner = fields === "*"
    ? node.namedChildren
    : fields === "last"
    ? [node.lastNamedChild]
    : fields.split(" ").flatMap((field) => node.childrenForFieldName(field));
  return inner.flatMap((child) => child === null ? [] : boundNames(child, rules, depth + 1));
}

/** The name of a leaf: Ruby's `:area` means `area`. */
export function leafName(leaf: Node): string {
  return leaf.text.replace(/^:(?=.)/, "");
}

/** The number of nodes around a name in which an import is looked for. */
const MAX_IMPORT_DEPTH = 8;

/** Nodes of names with type arguments. */
const GENERIC = ["generic_name", "generic_type", "template_type"];

/**
 * The kind of use of a name: `call`, `import`, `type` or else `use`. Returns `undefined` for a word
 * that is not a name, such as an argument of a shell command.
 */
export function referenceKind(leaf: Node, rules: LanguageRules): string | undefined {
  let node = leaf;
  let parent = leaf.parent;
  for (; parent && isWhole(parent, node, rules); parent = parent.parent) node = parent;
  const field = parent && Object.hasOwn(rules.calls, parent.type)
    ? rules.calls[parent.type]
    : undefined;
  if (parent && field !== undefined) {
    const called = field === "*" ? parent.namedChild(0) : parent.childForFieldName(field);
    if (called?.id === node.id) return "call";
  }
  if (leaf.type === "word") return undefined;
  for (let at = 0; parent && at < MAX_IMPORT_DEPTH; at++, parent = parent.parent) {
    if (rules.imports.includes(parent.type)) return "import";
  }
  return leaf.type === "type_identifier" ? "type" : "use";
}

/** Returns whether `node` is the used name in `parent`, a member or a generic type. */
function isWhole(parent: Node, node: Node, rules: LanguageRules): boolean {
  return rules.members.includes(parent.type) && parent.endIndex === node.endIndex ||
    GENERIC.includes(parent.type) && parent.namedChild(0)?.id === node.id;
}
