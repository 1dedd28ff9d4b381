import type { Node } from "web-tree-sitter";
import { type DefinitionRule, each, type LanguageRules, named } from "../rules.ts";

/** In a pattern a capitalised name is a constant or a variant, which is not defined here. */
function bound(kind: string, names: string): DefinitionRule {
  return { kind: (_: Node, { text }: Node) => /^\p{Lu}/u.test(text) ? undefined : kind, names };
}

/** Rust. */
export const rust: LanguageRules = {
  identifiers: [
    ...["identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"],
  ],
  definitions: {
    ...each("function_item function_signature_item", named("function")),
    struct_item: named("struct"),
    union_item: named("union"),
    enum_item: named("enum"),
    enum_variant: named("variant"),
    trait_item: named("trait"),
    impl_item: { kind: "impl", names: "type", isFrame: true },
    mod_item: named("module"),
    const_item: named("constant"),
    static_item: named("variable"),
    ...each("type_item associated_type", named("type")),
    macro_definition: named("macro"),
    field_declaration: named("field"),
    ...each("type_parameter const_parameter", named("type parameter")),
    ...each("let_declaration let_condition for_expression match_arm", bound("variable", "pattern")),
    parameter: bound("parameter", "pattern"),
    closure_parameters: bound("parameter", "*"),
  },
  patterns: {
    ...each("match_pattern tuple_pattern slice_pattern reference_pattern ref_pattern", "*"),
    ...each("mut_pattern or_pattern captured_pattern tuple_struct_pattern struct_pattern", "*"),
    field_pattern: "name pattern",
    parameter: "pattern",
    generic_type: "type",
  },
  calls: {
    ...each("call_expression generic_function", "function"),
    macro_invocation: "macro",
    struct_expression: "name",
  },
  members: ["field_expression", "scoped_identifier", "scoped_type_identifier"],
  imports: ["use_declaration"],
  separator: "::",
};
