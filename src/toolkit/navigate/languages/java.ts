import type { Node } from "web-tree-sitter";
import { type LanguageRules, named, parameters } from "../rules.ts";

const VARIABLES: Readonly<Record<string, string>> = {
  field_declaration: "field",
  constant_declaration: "constant",
  spread_parameter: "parameter",
};

function variableKind(node: Node): string {
  return VARIABLES[node.parent?.type ?? ""] ?? "variable";
}

/** Java. */
export const java: LanguageRules = {
  identifiers: ["identifier", "type_identifier"],
  definitions: {
    class_declaration: named("class"),
    interface_declaration: named("interface"),
    annotation_type_declaration: named("annotation"),
    enum_declaration: named("enum"),
    record_declaration: named("record"),
    enum_constant: named("member"),
    method_declaration: named("method"),
    annotation_type_element_declaration: named("method"),
    constructor_declaration: named("constructor"),
    compact_constructor_declaration: named("constructor"),
    variable_declarator: { kind: variableKind },
    formal_parameter: {
      kind: (node) => node.parent?.parent?.type === "record_declaration" ? "field" : "parameter",
    },
    catch_formal_parameter: parameters("name"),
    inferred_parameters: parameters("*"),
    lambda_expression: parameters("parameters"),
    enhanced_for_statement: named("variable"),
    resource: named("variable"),
    instanceof_expression: named("variable"),
    type_pattern: {
      kind: (_, { type }) => type === "identifier" ? "variable" : undefined,
      names: "*",
    },
    type_parameter: {
      kind: (node, name) => node.namedChild(0)?.id === name.id ? "type parameter" : undefined,
      names: "*",
    },
  },
  patterns: {},
  calls: { method_invocation: "name", object_creation_expression: "type" },
  members: ["scoped_identifier", "scoped_type_identifier", "field_access"],
  imports: ["import_declaration"],
  separator: ".",
};
