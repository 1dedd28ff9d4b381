import type { Node } from "web-tree-sitter";
import { each, type LanguageRules, named, namespaces, parameters } from "../rules.ts";

/** The first child is the iterated value, which is not defined here. */
function iteratedKind(node: Node, name: Node): string | undefined {
  return name.startIndex < node.namedChild(0)!.endIndex ? undefined : "variable";
}

/** PHP: a variable is defined wherever something is assigned to it. */
export const php: LanguageRules = {
  identifiers: ["name"],
  definitions: {
    namespace_definition: namespaces("namespace"),
    class_declaration: named("class"),
    interface_declaration: named("interface"),
    trait_declaration: named("trait"),
    enum_declaration: named("enum"),
    enum_case: named("member"),
    function_definition: named("function"),
    method_declaration: named("method"),
    property_element: named("field"),
    const_element: {
      kind: (node, name) => node.namedChild(0)?.id === name.id ? "constant" : undefined,
      names: "*",
    },
    ...each("simple_parameter variadic_parameter", parameters("name")),
    property_promotion_parameter: named("field"),
    assignment_expression: { kind: "variable", names: "left" },
    static_variable_declaration: named("variable"),
    catch_clause: named("variable"),
    foreach_statement: { kind: iteratedKind, names: "*" },
  },
  patterns: { namespace_name: "last", ...each("variable_name list_literal pair by_ref", "*") },
  calls: {
    function_call_expression: "function",
    ...each("member_call_expression nullsafe_member_call_expression", "name"),
    scoped_call_expression: "name",
    object_creation_expression: "*",
  },
  members: ["qualified_name", "variable_name"],
  imports: ["namespace_use_declaration"],
  separator: "::",
  spelling: (name) => name.replace(/^\$/, ""),
};
