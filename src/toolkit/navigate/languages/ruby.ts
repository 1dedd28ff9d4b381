import type { Node } from "web-tree-sitter";
import { type LanguageRules, named, parameters } from "../rules.ts";

const ATTRIBUTES = ["attr_accessor", "attr_reader", "attr_writer"];

const KINDS: Readonly<Record<string, string>> = {
  constant: "constant",
  instance_variable: "instance variable",
  class_variable: "class variable",
};

function assignedKind(_: Node, { type }: Node): string {
  return KINDS[type] ?? "variable";
}

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
    singleton_method: named("method"),
    alias: named("method"),
    assignment: { kind: assignedKind, names: "left" },
    operator_assignment: { kind: assignedKind, names: "left" },
    for: { kind: "variable", names: "pattern" },
    exception_variable: { kind: "variable", names: "*" },
    method_parameters: parameters("*"),
    block_parameters: parameters("*"),
    lambda_parameters: parameters("*"),
    call: {
      kind: (node) =>
        ATTRIBUTES.includes(node.childForFieldName("method")?.text ?? "") ? "attribute" : undefined,
      names: "arguments",
    },
  },
  patterns: {
    left_assignment_list: "*",
    destructured_left_assignment: "*",
    rest_assignment: "*",
    destructured_parameter: "*",
    optional_parameter: "name",
    keyword_parameter: "name",
    splat_parameter: "name",
    hash_splat_parameter: "name",
    block_parameter: "name",
    scope_resolution: "name",
    argument_list: "*",
    setter: "name",
  },
  calls: { call: "method" },
  members: ["scope_resolution"],
  imports: [],
  separator: "::",
};
