import { quote } from "../text/quote.ts";
import { ANY_VALUE, space, writeAnyValue } from "./json_value.ts";
import { Rules } from "./rules.ts";
import { SchemaWriter } from "./schema_rule.ts";
import { literal, NEVER } from "./terminal.ts";
import type { SchemaLocation } from "./writer.ts";

/** A tool, as far as a grammar needs to know it. */
export interface GrammarTool {
  /** The name to call it by. */
  name: string;
  /** The JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>;
}

/** A grammar, and the parts of the schemas that it lacks. */
export interface CallGrammar {
  /** In GBNF; its first rule is `root`. */
  text: string;
  /** The parts of the schemas that it cannot express, for people; it admits more for each. */
  problems: string[];
}

/**
 * The grammar of the calls `{"name": …, "arguments": {…}}` of those tools. It admits a text for each
 * call that the schemas admit. It admits other calls only where `problems` says so.
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
    const location = { path: "arguments", depth: 0, open: new Set<string>() };
    const args = writeWhole(writer, {
      schema: { allOf: [{ type: "object" }, inputSchema] },
      location,
    });
    const report = (what: string) => problems.push(`${quote(name)}: ${what}`);
    for (const problem of writer.problems) report(`the grammar leaves out, of ${problem}`);
    if (args === undefined) report("no arguments fit its schema");
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

/**
 * The grammar of the JSON values that fit a schema, and the parts of the schema that it cannot
 * express. It admits a text for each value that fits, and nothing if no value fits.
 *
 * @example
 * ```ts
 * const { text, problems } = valueGrammar({ type: "boolean" });
 * console.assert(text.startsWith("root ::= boolean\n") && problems.length === 0);
 * ```
 */
export function valueGrammar(
  schema: Record<string, unknown>,
): { text: string; problems: string[] } {
  const rules = new Rules();
  const root = rules.reserve("root");
  writeAnyValue(rules);
  const writer = new SchemaWriter(rules, { name: "value", root: schema });
  const location = { path: "value", depth: 0, open: new Set<string>() };
  rules.define(root, writeWhole(writer, { schema, location }) ?? NEVER);
  return { text: rules.text(root), problems: [...writer.problems] };
}

/** The rule for a whole schema; undefined if nothing fits. Reports a schema that is nested too deep. */
function writeWhole(
  writer: SchemaWriter,
  { schema, location }: { schema: Record<string, unknown>; location: SchemaLocation },
): string | undefined {
  try {
    return writer.write(schema, location);
  } catch (error) {
    // Every level of nesting takes some of the stack.
    if (!(error instanceof RangeError)) throw error;
    writer.report(location, "what lies so deep");
    return ANY_VALUE;
  }
}
