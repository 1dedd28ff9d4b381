import { type LanguageRules, named } from "../rules.ts";

/** Bash: a variable is defined wherever something is assigned to it. */
export const bash: LanguageRules = {
  identifiers: ["variable_name", "word"],
  definitions: {
    function_definition: named("function"),
    variable_assignment: named("variable"),
    for_statement: { kind: "variable", names: "variable" },
    declaration_command: {
      kind: (_, { type }) => type === "variable_name" ? "variable" : undefined,
      names: "*",
    },
  },
  patterns: {},
  calls: { command: "name" },
  members: ["command_name"],
  imports: [],
  separator: ".",
  spelling: (name) => name.replace(/^\$/, ""),
};
