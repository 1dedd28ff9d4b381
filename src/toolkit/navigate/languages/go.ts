import { lookupTable } from "../../../base/lookup_table.ts";
import type { Node } from "web-tree-sitter";
import { each, type LanguageRules, named, parameters } from "../rules.ts";

const TYPES = lookupTable<string>({
  struct_type: "struct",
  interface_type: "interface",
});

/** The type in `(s *Shape)` or `(s Stack[T])`. */
function receiver(node: Node): string | undefined {
  return node.childForFieldName("receiver")?.descendantsOfType("type_identifier")[0]?.text;
}

/** Go. */
export const go: LanguageRules = {
  identifiers: [
    ...["identifier", "type_identifier", "field_identifier", "package_identifier", "label_name"],
  ],
  definitions: {
    function_declaration: named("function"),
    method_declaration: { kind: "method", owner: receiver },
    method_elem: named("method"),
    type_spec: { kind: (node) => TYPES[node.childForFieldName("type")?.type ?? ""] ?? "type" },
    type_alias: named("type"),
    field_declaration: named("field"),
    const_spec: named("constant"),
    var_spec: named("variable"),
    short_var_declaration: { kind: "variable", names: "left" },
    range_clause: {
      kind: (node) => node.children.some((child) => child?.type === ":=") ? "variable" : undefined,
      names: "left",
    },
    ...each("parameter_declaration variadic_parameter_declaration", parameters("name")),
    type_parameter_declaration: named("type parameter"),
  },
  patterns: { expression_list: "*" },
  calls: { call_expression: "function", composite_literal: "type" },
  members: ["selector_expression", "qualified_type"],
  imports: ["import_spec"],
  separator: ".",
};
