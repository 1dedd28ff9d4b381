import { type Bound, decimalRule } from "./decimal_rule.ts";
import { integerRule, naturalRule } from "./integer_rule.ts";
import { numberOf, type Place, type SchemaObject, tellOf, type Writer } from "./writer.ts";

/** The rule for the numbers that fit the schema, or undefined where there is none. */
export function numberRule(
  writer: Writer,
  schema: SchemaObject,
  { place, isInteger }: { place: Place; isInteger: boolean },
): string | undefined {
  const isMultiple = isInteger && schema["multipleOf"] === 1;
  if (!isMultiple) tellOf(writer, schema, { place, keywords: ["multipleOf"] });
  const low = tighter(bound(schema, "minimum"), bound(schema, "exclusiveMinimum"), 1);
  const high = tighter(bound(schema, "maximum"), bound(schema, "exclusiveMaximum"), -1);
  const { rules } = writer;
  if (isInteger) {
    return integerRule(rules, {
      low: low && wholeFrom(low, 1),
      high: high && wholeFrom(high, -1),
    });
  }
  return low === undefined && high === undefined
    ? anyNumber(writer)
    : decimalRule(rules, { low, high });
}

/** The rule for every number but those that JavaScript would read as infinite, or change. */
export function anyNumber({ rules }: Pick<Writer, "rules">): string {
  const part = rules.add("fraction", '("." [0-9]{1,25})?');
  const exponent = rules.add(
    "exponent",
    '[eE] ("-" ([0-9]{1,2} | [12] [0-9]{2}) | "+"? ([0-9]{1,2} | [12] [0-9]{2} | "30" [0-7]))',
  );
  const whole = naturalRule(rules, { low: 10n, high: BigInt(Number.MAX_SAFE_INTEGER) });
  return rules.add(
    "number",
    `"-"? ("0" ${part} | [1-9] ${part} ${exponent}? | ${whole} | [1-9] [0-9]{1,14} "." [0-9]{1,25})`,
  );
}

function bound(schema: SchemaObject, keyword: string): Bound | undefined {
  const value = numberOf(schema, keyword);
  return value === undefined ? undefined : { value, excluded: keyword.startsWith("exclusive") };
}

/** The bound that leaves less, of those that are there; `sign` is 1 for lower ones. */
function tighter(
  inclusive: Bound | undefined,
  exclusive: Bound | undefined,
  sign: 1 | -1,
): Bound | undefined {
  if (inclusive === undefined || exclusive === undefined) return inclusive ?? exclusive;
  return (exclusive.value - inclusive.value) * sign >= 0 ? exclusive : inclusive;
}

/** The first integer inside of a bound. */
function wholeFrom({ value, excluded }: Bound, sign: 1 | -1): bigint {
  const whole = sign === 1 ? Math.ceil(value) : Math.floor(value);
  return BigInt(whole) + (excluded && whole === value ? BigInt(sign) : 0n);
}
