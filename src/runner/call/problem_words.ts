/** The parts of the message about a wrong argument. */
import { plural } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import type { SchemaError } from "../registry/validator.ts";

/** The most values or names in one problem, and the most characters of each. */
const [MAX_LISTED, MAX_LISTED_LENGTH] = [48, 80];

/** A rule that the value breaks, in words. */
export function ruleInWords({ keyword, params, message }: SchemaError): string {
  const limit = Number(params["limit"]);
  switch (keyword) {
    case "minLength":
      return `must have at least ${plural(limit, "character")}`;
    case "maxLength":
      return `must have at most ${plural(limit, "character")}`;
    case "minItems":
      return `must have at least ${plural(limit, "item")}`;
    case "maxItems":
      return `must have at most ${plural(limit, "item")}`;
    case "uniqueItems":
      return "must have no item twice";
    case "pattern":
      if (params["pattern"] === "^/") return "must be an absolute path";
      if (params["pattern"] === "^[^/]") return 'must be a relative path (no leading "/")';
  }
  return message ?? `breaks the rule ${quote(keyword)}`;
}

/** Joins the first strings, and adds the number of all if it leaves any out. */
export function few(texts: readonly string[]): string {
  const listed = texts.slice(0, MAX_LISTED).map((text) => cut(text, MAX_LISTED_LENGTH)).join(", ");
  const left = texts.length - MAX_LISTED;
  return left > 0 ? `${listed} and ${left} more, ${texts.length} in all` : listed;
}

/** Cuts a string after `limit` characters. */
export function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/** Formats a value for a message. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return quote(value, 80);
  // A value that is missing has no JSON.
  return quote(JSON.stringify(value) ?? "nothing", 80).slice(1, -1).replaceAll('\\"', '"');
}
