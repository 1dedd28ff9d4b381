import { each, type LanguageRules, named, parameters } from "../rules.ts";

/** Python: a name is defined wherever something is assigned to it. */
export const python: LanguageRules = {
  identifiers: ["identifier"],
  definitions: {
    class_definition: named("class"),
    function_definition: named("function"),
    ...each("assignment for_statement for_in_clause", { kind: "variable", names: "left" }),
    named_expression: named("variable"),
    type_alias_statement: { kind: "type", names: "left" },
    ...each("parameters lambda_parameters", parameters("*")),
    as_pattern: { kind: "variable", names: "alias" },
  },
  patterns: {
    ...each("pattern_list tuple_pattern list_pattern list_splat_pattern", "*"),
    ...each("dictionary_splat_pattern typed_parameter as_pattern_target", "*"),
    ...each("default_parameter typed_default_parameter", "name"),
  },
  calls: { call: "function" },
  members: ["attribute"],
  imports: ["import_statement", "import_from_statement", "future_import_statement"],
  separator: ".",
};
