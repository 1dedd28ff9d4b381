import { quote } from "../text/quote.ts";
import { space, writeAnyValue } from "./any_value.ts";
import { Rules } from "./rules.ts";
import { SchemaWriter } from "./schema_rule.ts";
import { literal, NEVER } from "./terminal.ts";
import { writeWhole } from "./value_grammar.ts";

/** A tool, as far as a grammar needs to know it. */
export interface GrammarTool {
  /** The name to call it by. */
  name: string;
  /** The JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>;
}

/** A grammar, and what is missing from it. */
export interface CallGrammar {
  /** In GBNF; its first rule is `root`. */
  text: string;
  /** What of the schemas it does not express, for people; it admits more for each of these. */
  problems: string[];
}

/**
 * The grammar of the calls `{"name": …, "arguments": {…}}` of those tools: of each call that the
 * schemas admit it has a text, and of no other but where `problems` says so.
 *
 * @example
 * ```ts
 * const inputSchema = { type: "object", properties: {}, additionalProperties: false };
 * const { text, problems } = callGrammar([{ name: "Ping", inputSchema }]);
 * console.assert(text.startsWith("root ::= ") && problems.length === 0);
 * ```
 */
export function callGrammar(tools: readonly GrammarTool[]): CallGrammar {
  const rules = new Rules();
  const root = rules.reserve("root");
  writeAnyValue(rules);
  const ws = space({ rules });
  const problems: string[] = [];
  const calls = tools.flatMap(({ name, inputSchema }) => {
    const writer = new SchemaWriter(rules, { name, root: inputSchema });
    const place = { path: "arguments", depth: 0, open: new Set<string>() };
    const args = writeWhole(writer, {
      schema: { allOf: [{ type: "object" }, inputSchema] },
      place,
    });
    const tell = (what: string) => problems.push(`${quote(name)}: ${what}`);
    for (const problem of writer.problems) tell(`the grammar leaves out, of ${problem}`);
    if (args === undefined) tell("no arguments fit its schema");
    if (args === undefined) return [];
    const [key, value] = [literal('"name"'), literal(JSON.stringify(name))];
    const head = `"{" ${ws} ${key} ${ws} ":" ${ws} ${value} ${ws} "," ${ws} `;
    return [
      rules.add(
        `${name}-call`,
        `${head}${literal('"arguments"')} ${ws} ":" ${ws} ${args} ${ws} "}"`,
      ),
    ];
  });
  rules.define(root, calls.length === 0 ? NEVER : calls.join(" | "));
  return { text: rules.text(root), problems };
}
