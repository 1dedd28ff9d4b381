import { isWithinBounds, ofLength, patternRule } from "./pattern_rule.ts";
import { parsePattern, type Pattern } from "./pattern_tree.ts";
import { MAX_TIMES, repeat } from "./repeat.ts";
import { boundsOf, type Place, type SchemaObject, tellOf, type Writer } from "./writer.ts";

/** The rule for the strings that fit the schema, or undefined where there is none. */
export function stringRule(
  writer: Writer,
  schema: SchemaObject,
  place: Place,
): string | undefined {
  const { rules } = writer;
  tellOf(writer, schema, { place, keywords: ["format"] });
  const length = boundsOf(writer, schema, {
    place,
    keywords: ["minLength", "maxLength"],
    most: MAX_TIMES,
  });
  if (length.min > length.max) return undefined;
  const pattern = patternOf(writer, schema, place);
  if (pattern === undefined) return quoted(writer, repeat(rules, anyCharacter(writer), length));
  const fitting = ofLength(pattern, length);
  if (fitting === "none") return undefined;
  if (fitting === undefined) {
    writer.tell(place, '"minLength" and "maxLength" beside this "pattern"');
  }
  return quoted(writer, patternRule(rules, fitting ?? pattern));
}

/** The rule for every string. */
export function anyString(writer: Pick<Writer, "rules">): string {
  return quoted(writer, `${anyCharacter(writer)}*`);
}

function quoted({ rules }: Pick<Writer, "rules">, body: string): string {
  return rules.add("string", body === '""' ? '"\\"\\""' : `"\\"" ${body} "\\""`);
}

/** One character of a string: as it is, or in any of its escapes; a pair of surrogates is one. */
function anyCharacter({ rules }: Pick<Writer, "rules">): string {
  const escape = rules.add(
    "escape",
    '["\\\\/bfnrt] | "u" ([0-9A-CEFa-cef] [0-9A-Fa-f]{3} | [Dd] [0-7] [0-9A-Fa-f]{2} | ' +
      '[Dd] [89ABab] [0-9A-Fa-f]{2} "\\\\u" [Dd] [C-Fc-f] [0-9A-Fa-f]{2})',
  );
  return rules.add("char", `[^"\\\\\\x00-\\x1F] | "\\\\" ${escape}`);
}

function patternOf(writer: Writer, schema: SchemaObject, place: Place): Pattern | undefined {
  const source = schema["pattern"];
  if (typeof source !== "string") return undefined;
  const pattern = parsePattern(source);
  if (pattern !== undefined && isWithinBounds(pattern)) return pattern;
  writer.tell(place, `"pattern" ${JSON.stringify(source)}`);
  return undefined;
}
