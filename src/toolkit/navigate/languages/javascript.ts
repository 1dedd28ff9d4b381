import type { Node } from "web-tree-sitter";
import { each, type LanguageRules, named, parameters } from "../rules.ts";

const FUNCTIONS = ["arrow_function", "function_expression", "generator_function"];

/** The kind of a name by the value assigned to it. */
function kindByValue(value: Node | null, otherwise: string | undefined): string | undefined {
  if (value?.type === "class") return "class";
  return value !== null && FUNCTIONS.includes(value.type) ? "function" : otherwise;
}

function variableKind(node: Node): string | undefined {
  const word = node.parent?.child(0)?.type;
  return kindByValue(node.childForFieldName("value"), word === "const" ? "constant" : "variable");
}

function fieldKind(node: Node): string {
  const kind = kindByValue(node.childForFieldName("value"), undefined);
  return kind === "function" ? "method" : "field";
}

/** JavaScript with JSX, TypeScript and TSX: what only one of them has does not occur in another. */
export const javascript: LanguageRules = {
  identifiers: [
    ...["identifier", "property_identifier", "private_property_identifier", "type_identifier"],
    ...["shorthand_property_identifier", "shorthand_property_identifier_pattern"],
    "statement_identifier",
  ],
  definitions: {
    ...each("function_declaration generator_function_declaration", named("function")),
    ...each("function_expression generator_function", named("function")),
    function_signature: named("declaration"),
    ...each("class_declaration class abstract_class_declaration", named("class")),
    method_definition: {
      kind: (_, { text }) => text === "constructor" ? "constructor" : "method",
    },
    ...each("method_signature abstract_method_signature", named("method")),
    field_definition: { kind: fieldKind, names: "property" },
    public_field_definition: { kind: fieldKind },
    property_signature: named("property"),
    interface_declaration: named("interface"),
    type_alias_declaration: named("type"),
    type_parameter: named("type parameter"),
    enum_declaration: named("enum"),
    ...each("enum_body enum_assignment", named("member")),
    internal_module: named("namespace"),
    module: named("module"),
    variable_declarator: { kind: variableKind },
    formal_parameters: parameters("*"),
    ...each("arrow_function catch_clause", parameters("parameter")),
    for_in_statement: {
      kind: (node) => node.childForFieldName("kind") === null ? undefined : "variable",
      names: "left",
    },
    pair: { kind: (node) => kindByValue(node.childForFieldName("value"), undefined), names: "key" },
    // exports.area = function () {}; Shape.prototype.area = () => {};
    assignment_expression: {
      kind: (node, name) =>
        name.parent?.type === "member_expression"
          ? kindByValue(node.childForFieldName("right"), undefined)
          : undefined,
      names: "left",
    },
  },
  patterns: {
    ...each("object_pattern array_pattern rest_pattern", "*"),
    pair_pattern: "value",
    ...each("assignment_pattern object_assignment_pattern", "left"),
    ...each("required_parameter optional_parameter", "pattern"),
    member_expression: "property",
  },
  calls: {
    call_expression: "function",
    new_expression: "constructor",
    ...each("jsx_opening_element jsx_self_closing_element", "name"),
    decorator: "*",
  },
  members: ["member_expression", "nested_type_identifier", "nested_identifier"],
  imports: ["import_statement"],
  separator: ".",
};
