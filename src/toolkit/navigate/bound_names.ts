import type { Node } from "web-tree-sitter";
import type { LanguageRules } from "./rules.ts";

/** What stands deeper in a pattern is not looked for: nobody writes it. */
const DEEPEST = 30;

/** The names that a pattern or declarator defines, in the order of the text. */
export function boundNames(
  node: Node,
  { rules, depth = 0 }: { rules: LanguageRules; depth?: number },
): Node[] {
  if (rules.identifiers.includes(node.type)) return [node];
  const fields = Object.hasOwn(rules.patterns, node.type) ? rules.patterns[node.type] : undefined;
  if (fields === undefined || depth > DEEPEST) return [];
  const inner = fields === "*"
    ? node.namedChildren
    : fields === "last"
    ? [node.lastNamedChild]
    : fields.split(" ").flatMap((field) => node.childrenForFieldName(field));
  return inner.flatMap((child) =>
    child === null ? [] : boundNames(child, { rules, depth: depth + 1 })
  );
}

/** The name that a leaf stands for: Ruby's `:area` means `area`. */
export function nameOf(leaf: Node): string {
  return leaf.text.replace(/^:(?=.)/, "");
}
