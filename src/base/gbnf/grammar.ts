import { quote } from "../text/quote.ts";
import { pair, writeAnyValue } from "./json_value.ts";
import { Rules } from "./rules.ts";
import { writeSchema } from "./schema_rule.ts";
import { literal, NEVER } from "./terminal.ts";

/** A grammar, and the parts of the schemas that it lacks. */
export interface SchemaGrammar {
  /** In GBNF; its first rule is `root`. */
  text: string;
  /** The parts of the schemas that it cannot express, for people; it admits more for each. */
  problems: string[];
}

/**
 * The grammar of the calls `{"name": …, "arguments": {…}}` of those tools. It admits a string for each
 * call that the schemas admit. It admits other calls only where `problems` says so.
 *
 * @example
 * ```ts
 * const inputSchema = { type: "object", properties: {}, additionalProperties: false };
 * const { text, problems } = callGrammar([{ name: "Ping", inputSchema }]);
 * console.assert(text.startsWith("root ::= ") && problems.length === 0);
 * ```
 */
export function callGrammar(
  tools: readonly { name: string; inputSchema: Record<string, unknown> }[],
): SchemaGrammar {
  const rules = new Rules();
  const root = rules.reserve("root");
  writeAnyValue(rules);
  const reports: string[] = [];
  const calls = tools.flatMap(({ name, inputSchema }) => {
    const problems = new Set<string>();
    const schema = { allOf: [{ type: "object" }, inputSchema] };
    const place = { path: "arguments", name, root: inputSchema, problems };
    const args = writeSchema(rules, schema, place);
    const report = (what: string) => reports.push(`${quote(name)}: ${what}`);
    for (const problem of problems) report(`the grammar omits ${problem}`);
    if (args === undefined) report("no arguments match its schema");
    if (args === undefined) return [];
    const named = pair(literal('"name"'), literal(JSON.stringify(name)));
    const call = `"{" ws ${named} ws "," ws ${pair(literal('"arguments"'), args)} ws "}"`;
    return [rules.add(`${name}-call`, call)];
  });
  rules.define(root, calls.length === 0 ? NEVER : calls.join(" | "));
  return { text: rules.text(root), problems: reports };
}

/**
 * The grammar of the JSON values that fit a schema, and the parts of the schema that it cannot
 * express. It admits a string for each value that fits, and nothing if no value fits.
 *
 * @example
 * ```ts
 * const { text, problems } = valueGrammar({ type: "boolean" });
 * console.assert(text.startsWith("root ::= boolean\n") && problems.length === 0);
 * ```
 */
export function valueGrammar(schema: Record<string, unknown>): SchemaGrammar {
  const rules = new Rules();
  const root = rules.reserve("root");
  writeAnyValue(rules);
  const problems = new Set<string>();
  const place = { path: "value", name: "value", root: schema, problems };
  rules.define(root, writeSchema(rules, schema, place) ?? NEVER);
  return { text: rules.text(root), problems: [...problems] };
}
