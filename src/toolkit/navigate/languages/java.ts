import { lookupTable } from "../../../base/lookup_table.ts";
import { each, type LanguageRules, named, parameters } from "../rules.ts";

const VARIABLES = lookupTable<string>({
  field_declaration: "field",
  constant_declaration: "constant",
  spread_parameter: "parameter",
});

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
    ...each("method_declaration annotation_type_element_declaration", named("method")),
    ...each("constructor_declaration compact_constructor_declaration", named("constructor")),
    variable_declarator: { kind: (node) => VARIABLES[node.parent?.type ?? ""] ?? "variable" },
    formal_parameter: {
      kind: (node) => node.parent?.parent?.type === "record_declaration" ? "field" : "parameter",
    },
    catch_formal_parameter: parameters("name"),
    inferred_parameters: parameters("*"),
    lambda_expression: parameters("parameters"),
    ...each("enhanced_for_statement resource instanceof_expression", named("variable")),
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
