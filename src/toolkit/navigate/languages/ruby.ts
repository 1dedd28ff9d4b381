import { lookupTable } from "../../../base/lookup_table.ts";
import type { Node } from "web-tree-sitter";
import { each, type LanguageRules, named, parameters } from "../rules.ts";

const ATTRIBUTES = ["attr_accessor", "attr_reader", "attr_writer"];

const KINDS = lookupTable<string>({
  constant: "constant",
  instance_variable: "instance variable",
  class_variable: "class variable",
});

/** Ruby: a name is defined wherever something is assigned to it. */
export const ruby: LanguageRules = {
  identifiers: [
    ...["identifier", "constant", "instance_variable", "class_variable", "global_variable"],
    ...["simple_symbol", "hash_key_symbol", "operator"],
  ],
  definitions: {
    class: named("class"),
    module: named("module"),
    method: named("function"),
    ...each("singleton_method alias", named("method")),
    ...each("assignment operator_assignment", {
      kind: (_: Node, { type }: Node) => KINDS[type] ?? "variable",
      names: "left",
    }),
    for: { kind: "variable", names: "pattern" },
    exception_variable: { kind: "variable", names: "*" },
    ...each("method_parameters block_parameters lambda_parameters", parameters("*")),
    call: {
      kind: (node) =>
        ATTRIBUTES.includes(node.childForFieldName("method")?.text ?? "") ? "attribute" : undefined,
      names: "arguments",
    },
  },
  patterns: {
    ...each("left_assignment_list destructured_left_assignment rest_assignment", "*"),
    ...each("destructured_parameter argument_list", "*"),
    ...each("optional_parameter keyword_parameter splat_parameter hash_splat_parameter", "name"),
    ...each("block_parameter scope_resolution setter", "name"),
  },
  calls: { call: "method" },
  members: ["scope_resolution"],
  imports: [],
  separator: "::",
};
