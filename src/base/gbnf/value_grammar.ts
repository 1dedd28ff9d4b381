import { ANY_VALUE, writeAnyValue } from "./any_value.ts";
import { Rules } from "./rules.ts";
import { SchemaWriter } from "./schema_rule.ts";
import { NEVER } from "./terminal.ts";
import type { Place } from "./writer.ts";

/**
 * The grammar of the JSON values that fit a schema, and what of the schema it does not express;
 * of each value it has a text. It admits nothing where nothing fits.
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
  const place = { path: "value", depth: 0, open: new Set<string>() };
  rules.define(root, writeWhole(writer, { schema, place }) ?? NEVER);
  return { text: rules.text(root), problems: [...writer.problems] };
}

/** The rule for a whole schema, or undefined when nothing fits it; what lies too deep is told of. */
export function writeWhole(
  writer: SchemaWriter,
  { schema, place }: { schema: Record<string, unknown>; place: Place },
): string | undefined {
  try {
    return writer.write(schema, place);
  } catch (error) {
    // A name or a schema within a schema takes some of the stack.
    if (!(error instanceof RangeError)) throw error;
    writer.tell(place, "what lies so deep");
    return ANY_VALUE;
  }
}
