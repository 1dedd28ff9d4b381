import type { SchemaObject } from "../json/schema_ref.ts";
import { fraction, integerRule, naturalRule } from "./digits.ts";
import { numberOf, reportUnsupported, type Rules, type Writer } from "./rules.ts";

/** The most digits after the point of a number with bounds. */
const MAX_FRACTION = 20;

/** A bound of a range of numbers. */
interface Bound {
  value: number;
  /** True if the number itself is out of the range. */
  excluded: boolean;
}

/** The rule for the numbers that fit the schema; undefined if no number fits. */
export function numberRule(
  writer: Writer,
  schema: SchemaObject,
  isInteger: boolean,
): string | undefined {
  const isMultiple = isInteger && schema["multipleOf"] === 1;
  if (!isMultiple) reportUnsupported(writer, schema, ["multipleOf"]);
  const low = stricter(schema, { inclusive: "minimum", exclusive: "exclusiveMinimum", sign: 1 });
  const high = stricter(schema, { inclusive: "maximum", exclusive: "exclusiveMaximum", sign: -1 });
  if (!isInteger) return decimalRule(writer.rules, { low, high });
  return integerRule(writer.rules, {
    low: low && wholeFrom(low, 1),
    high: high && wholeFrom(high, -1),
  });
}

/** The stricter of two bounds; `sign` is 1 for lower bounds. */
function stricter(
  schema: SchemaObject,
  { inclusive, exclusive, sign }: { inclusive: string; exclusive: string; sign: 1 | -1 },
): Bound | undefined {
  const [value, other] = [numberOf(schema, inclusive), numberOf(schema, exclusive)];
  const excluded = other !== undefined && (value === undefined || (other - value) * sign >= 0);
  if (excluded) return { value: other, excluded };
  return value === undefined ? undefined : { value, excluded };
}

/** The first integer within a bound. */
function wholeFrom({ value, excluded }: Bound, sign: 1 | -1): bigint {
  const whole = sign === 1 ? Math.ceil(value) : Math.floor(value);
  return BigInt(whole) + (excluded && whole === value ? BigInt(sign) : 0n);
}

/** The rule for the numbers of a range, without exponents if it has bounds; undefined if it is empty. */
function decimalRule(
  rules: Rules,
  { low, high }: { low: Bound | undefined; high: Bound | undefined },
): string | undefined {
  if (low === undefined && high === undefined) return "number";
  const choices: string[] = [];
  if (high === undefined || high.value > 0 || high.value === 0 && !high.excluded) {
    const from = low === undefined || low.value < 0 ? { value: 0, excluded: false } : low;
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
  const from = (whole: bigint, bounds: Parameters<typeof fraction>[1]) => {
    const digits = fraction(rules, bounds, { left: MAX_FRACTION, least: 1 });
    const none = fraction(rules, bounds, { left: 0, least: 0 });
    const choices = [
      ...(digits === undefined ? [] : [`"." ${digits}`]),
      ...(none === undefined ? [] : ['""']),
    ];
    if (choices.length === 0) return [];
    return [`"${whole}" ${rules.add("fraction", choices.join(" | "))}`];
  };
  if (lowWhole === highWhole) {
    const [only] = from(lowWhole, { ...least, ...most });
    return only === undefined ? undefined : rules.add("number", only);
  }
  const between = naturalRule(rules, {
    low: lowWhole + 1n,
    high: highWhole === undefined ? undefined : highWhole - 1n,
  });
  const isEmpty = highWhole !== undefined && highWhole < lowWhole;
  const choices = [
    ...from(lowWhole, least),
    ...(between === undefined
      ? []
      : [`${between} ${rules.add("fraction", `("." [0-9]{1,${MAX_FRACTION}})?`)}`]),
    ...(highWhole === undefined || isEmpty ? [] : from(highWhole, most)),
  ];
  return choices.length === 0 || isEmpty ? undefined : rules.add("number", choices.join(" | "));
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
