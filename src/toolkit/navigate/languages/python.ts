import { type LanguageRules, named, parameters } from "../rules.ts";

/** Python: a name is defined wherever something is assigned to it. */
export const python: LanguageRules = {
  identifiers: ["identifier"],
  definitions: {
    class_definition: named("class"),
    function_definition: named("function"),
    assignment: { kind: "variable", names: "left" },
    named_expression: named("variable"),
    type_alias_statement: { kind: "type", names: "left" },
    parameters: parameters("*"),
    lambda_parameters: parameters("*"),
    for_statement: { kind: "variable", names: "left" },
    for_in_clause: { kind: "variable", names: "left" },
    as_pattern: { kind: "variable", names: "alias" },
  },
  patterns: {
    pattern_list: "*",
    tuple_pattern: "*",
    list_pattern: "*",
    list_splat_pattern: "*",
    dictionary_splat_pattern: "*",
    default_parameter: "name",
    typed_default_parameter: "name",
    typed_parameter: "*",
    as_pattern_target: "*",
  },
  calls: { call: "function" },
  members: ["attribute"],
  imports: ["import_statement", "import_from_statement", "future_import_statement"],
  separator: ".",
};
