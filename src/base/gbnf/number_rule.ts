import type { SchemaObject } from "../json/schema_ref.ts";
import { integerRule, naturalRule } from "./integer_rule.ts";
import { numberOf, reportUnsupported, type SchemaLocation, type Writer } from "./writer.ts";
import { fraction } from "./digits.ts";
import type { Rules } from "./rules.ts";

/** The rule for the numbers that fit the schema; undefined if no number fits. */
export function numberRule(
  writer: Writer,
  schema: SchemaObject,
  { location, isInteger }: { location: SchemaLocation; isInteger: boolean },
): string | undefined {
  const isMultiple = isInteger && schema["multipleOf"] === 1;
  if (!isMultiple) reportUnsupported(writer, schema, { location, keywords: ["multipleOf"] });
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

/** The rule for every number, except those that JavaScript reads as infinite or rounds. */
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

/** The stricter of two bounds; `sign` is 1 for lower bounds. */
function tighter(
  inclusive: Bound | undefined,
  exclusive: Bound | undefined,
  sign: 1 | -1,
): Bound | undefined {
  if (inclusive === undefined || exclusive === undefined) return inclusive ?? exclusive;
  return (exclusive.value - inclusive.value) * sign >= 0 ? exclusive : inclusive;
}

/** The first integer within a bound. */
function wholeFrom({ value, excluded }: Bound, sign: 1 | -1): bigint {
  const whole = sign === 1 ? Math.ceil(value) : Math.floor(value);
  return BigInt(whole) + (excluded && whole === value ? BigInt(sign) : 0n);
}

/** The most digits after the point of a number with bounds. */
const MAX_FRACTION = 20;

/** A bound of a range of numbers. */
export interface Bound {
  /** The number. */
  value: number;
  /** True if the number itself is out of the range. */
  excluded: boolean;
}

/** The rule for the numbers of a range, without exponents; undefined if the range is empty. */
function decimalRule(
  rules: Rules,
  { low, high }: { low: Bound | undefined; high: Bound | undefined },
): string | undefined {
  const zero = { value: 0, excluded: false };
  const choices: string[] = [];
  if (high === undefined || high.value > 0 || high.value === 0 && !high.excluded) {
    const from = low === undefined || low.value < 0 ? zero : low;
    const body = positive(rules, { low: from, high });
    if (body !== undefined) choices.push(body);
  }
  if (low === undefined || low.value < 0) {
    const from = high === undefined || high.value >= 0
      ? { value: 0, excluded: true }
      : negated(high);
    const body = positive(rules, { low: from, high: low && negated(low) });
    if (body !== undefined) choices.push(rules.add("negative", `"-" ${body}`));
  }
  return choices.length === 0 ? undefined : rules.choice("number", choices);
}

function negated({ value, excluded }: Bound): Bound {
  return { value: -value, excluded };
}

function positive(
  rules: Rules,
  { low, high }: { low: Bound; high: Bound | undefined },
): string | undefined {
  const [lowWhole, lowDigits] = decimal(low.value);
  const [highWhole, highDigits] = high === undefined ? [undefined, ""] : decimal(high.value);
  const least = { low: lowDigits, above: low.excluded };
  const most = { high: highDigits, below: high?.excluded ?? false };
  const after = (bounds: typeof least | typeof most | (typeof least & typeof most)) => {
    const digits = fraction(rules, bounds, { left: MAX_FRACTION, least: 1 });
    const none = fraction(rules, bounds, { left: 0, least: 0 });
    const choices = [
      ...(digits === undefined ? [] : [`"." ${digits}`]),
      ...(none === undefined ? [] : ['""']),
    ];
    return choices.length === 0 ? undefined : rules.add("fraction", choices.join(" | "));
  };
  const one = (whole: bigint, rest: string | undefined) =>
    rest === undefined ? [] : [`"${whole}" ${rest}`];
  if (lowWhole === highWhole) {
    const only = one(lowWhole, after({ ...least, ...most }));
    return only[0] === undefined ? undefined : rules.add("number", only[0]);
  }
  const between = naturalRule(rules, {
    low: lowWhole + 1n,
    high: highWhole === undefined ? BigInt(Number.MAX_SAFE_INTEGER) : highWhole - 1n,
  });
  const choices = [
    ...one(lowWhole, after(least)),
    ...(between === undefined
      ? []
      : [`${between} ${rules.add("fraction", `("." [0-9]{1,${MAX_FRACTION}})?`)}`]),
    ...(highWhole === undefined || highWhole < lowWhole ? [] : one(highWhole, after(most))),
  ];
  return choices.length === 0 || (highWhole !== undefined && highWhole < lowWhole)
    ? undefined
    : rules.add("number", choices.join(" | "));
}

/** The absolute value of a number as its whole part and its decimals without zeros at the end. */
function decimal(value: number): [whole: bigint, digits: string] {
  const [mantissa, exponent] = String(Math.abs(value)).split("e") as [string, string?];
  const [whole, digits = ""] = mantissa.split(".") as [string, string?];
  const shift = Number(exponent ?? 0);
  const all = `${"0".repeat(Math.max(0, -shift))}${whole}${digits}${
    "0".repeat(Math.max(0, shift))
  }`;
  const point = Math.max(0, -shift) + whole.length + shift;
  return [BigInt(all.slice(0, point) || "0"), all.slice(point).replace(/0+$/, "")];
}
