import { isObject } from "../../../base/json/is_object.ts";
import { quote } from "../../../base/text/quote.ts";

/** The keyword by which a schema requires a copy of an argument in a header field. */
const KEY = "x-mcp-header";
/** A `token` of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The types of arguments that a header field can carry. */
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** Keywords whose values are data, and `properties`, whose schemas are visited separately. */
const SKIPPED = ["properties", "enum", "const", "default", "examples"];

/**
 * Returns a message if a tool's schema uses `x-mcp-header` wrongly, otherwise `undefined`. A client
 * of revision 2026-07-28 must ignore such a tool over HTTP.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools, "x-mcp-header"
 */
export function headerFault(schema: Record<string, unknown>): string | undefined {
  const seen = new Set<string>();
  const visit = (value: unknown, isArgument: boolean): string | undefined => {
    if (Array.isArray(value)) return first(value, (each) => visit(each, false));
    if (!isObject(value)) return undefined;
    const isReached = isArgument || value === schema;
    const properties = isObject(value["properties"]) ? Object.values(value["properties"]) : [];
    const others = Object.entries(value).filter(([key]) => !SKIPPED.includes(key));
    return (Object.hasOwn(value, KEY) ? faultOf(value, isArgument, seen) : undefined) ??
      first(properties, (each) => visit(each, isReached)) ??
      first(others, ([, each]) => visit(each, false));
  };
  return visit(schema, false);
}

function faultOf(
  { [KEY]: header, type }: Record<string, unknown>,
  isArgument: boolean,
  seen: Set<string>,
): string | undefined {
  const what = typeof header === "string" ? `${KEY} ${quote(header)}` : KEY;
  if (!isArgument) return `${what} is not at an argument, or a property of one`;
  if (typeof header !== "string" || !TOKEN.test(header)) return `${what} is no name of a header`;
  if (!TYPES.includes(type)) return `${what} is not at a string, an integer or a boolean`;
  if (seen.has(header.toLowerCase())) return `${what} is there twice`;
  seen.add(header.toLowerCase());
  return undefined;
}

/** Returns the first fault of the items, and examines no further ones. */
function first<T>(items: T[], faultIn: (item: T) => string | undefined): string | undefined {
  return items.values().map(faultIn).find((fault) => fault !== undefined);
}
