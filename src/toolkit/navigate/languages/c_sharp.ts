import { lookupTable } from "../../../base/lookup_table.ts";
import { each, type LanguageRules, named, namespaces, parameters } from "../rules.ts";

const VARIABLES = lookupTable<string>({
  field_declaration: "field",
  event_field_declaration: "event",
});

/** C#. */
export const cSharp: LanguageRules = {
  identifiers: ["identifier"],
  definitions: {
    ...each("namespace_declaration file_scoped_namespace_declaration", namespaces("namespace")),
    class_declaration: named("class"),
    struct_declaration: named("struct"),
    record_declaration: named("record"),
    interface_declaration: named("interface"),
    enum_declaration: named("enum"),
    enum_member_declaration: named("member"),
    delegate_declaration: named("delegate"),
    method_declaration: named("method"),
    constructor_declaration: named("constructor"),
    destructor_declaration: named("destructor"),
    local_function_statement: named("function"),
    property_declaration: named("property"),
    event_declaration: named("event"),
    variable_declarator: {
      kind: (node) => VARIABLES[node.parent?.parent?.type ?? ""] ?? "variable",
    },
    parameter: {
      kind: (node) => node.parent?.parent?.type === "record_declaration" ? "property" : "parameter",
    },
    lambda_expression: parameters("parameters"),
    implicit_parameter: parameters("*"),
    foreach_statement: { kind: "variable", names: "left" },
    ...each("catch_declaration declaration_expression declaration_pattern", named("variable")),
    type_parameter: named("type parameter"),
  },
  patterns: { qualified_name: "name", tuple_pattern: "*" },
  calls: { invocation_expression: "function", object_creation_expression: "type" },
  members: ["member_access_expression", "qualified_name"],
  imports: ["using_directive"],
  separator: ".",
};
