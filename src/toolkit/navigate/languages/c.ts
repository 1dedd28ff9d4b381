import type { Node } from "web-tree-sitter";
import { each, type LanguageRules, named, namespaces, parameters } from "../rules.ts";

/** Nodes that are names as a whole. */
const NAMES = ["qualified_identifier", "destructor_name"];

/** The kind of a declaration: `int f(void);` declares a function that is defined elsewhere. */
function declared(kind: string): (node: Node, name: Node) => string {
  return (_, name) => {
    let node = name;
    while (node.parent !== null && NAMES.includes(node.parent.type)) node = node.parent;
    return node.parent?.type === "function_declarator" ? "declaration" : kind;
  };
}

/** `Shape` of `Shape::area`. */
function scope(_: Node, name: Node): string | undefined {
  const scopes: string[] = [];
  for (let node = name.parent; node !== null && NAMES.includes(node.type); node = node.parent) {
    if (node.type === "qualified_identifier") {
      scopes.unshift(node.childForFieldName("scope")?.text ?? "");
    }
  }
  return scopes.length === 0 ? undefined : scopes.join("::");
}

function functionKind(node: Node, name: Node): string {
  if (name.parent?.type === "destructor_name") return "destructor";
  return scope(node, name) === undefined ? "function" : "method";
}

/** `typedef struct { int x; } point;` names the structure. */
function typeKind(node: Node): string {
  const type = node.childForFieldName("type");
  if (type === null || type.childForFieldName("body") === null) return "type";
  return type.childForFieldName("name") === null ? type.type.replace("_specifier", "") : "type";
}

function hasBody(kind: string): (node: Node) => string | undefined {
  return (node) => node.childForFieldName("body") === null ? undefined : kind;
}

/** C and C++: what only C++ has does not occur in the other. */
export const c: LanguageRules = {
  identifiers: [
    ...["identifier", "type_identifier", "field_identifier", "namespace_identifier"],
    ...["statement_identifier", "operator_name"],
  ],
  definitions: {
    function_definition: { kind: functionKind, names: "declarator", owner: scope },
    declaration: { kind: declared("variable"), names: "declarator", owner: scope },
    field_declaration: { kind: declared("field"), names: "declarator" },
    type_definition: { kind: typeKind, names: "declarator" },
    struct_specifier: { kind: hasBody("struct") },
    union_specifier: { kind: hasBody("union") },
    class_specifier: { kind: hasBody("class") },
    enum_specifier: { kind: hasBody("enum") },
    enumerator: named("member"),
    ...each("preproc_def preproc_function_def", named("macro")),
    ...each("parameter_declaration optional_parameter_declaration", parameters("declarator")),
    namespace_definition: namespaces("namespace"),
    namespace_alias_definition: named("namespace"),
    alias_declaration: named("type"),
    concept_definition: named("concept"),
    for_range_loop: { kind: "variable", names: "declarator" },
    type_parameter_declaration: { kind: "type parameter", names: "*" },
  },
  patterns: {
    ...each(
      "init_declarator pointer_declarator array_declarator function_declarator",
      "declarator",
    ),
    ...each("parenthesized_declarator attributed_declarator reference_declarator", "*"),
    ...each("structured_binding_declarator variadic_declarator destructor_name", "*"),
    ...each("qualified_identifier template_function template_type", "name"),
    nested_namespace_specifier: "last",
  },
  calls: { call_expression: "function", new_expression: "type", template_function: "name" },
  members: ["field_expression", "qualified_identifier"],
  imports: ["using_declaration"],
  separator: "::",
};
