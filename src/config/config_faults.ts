import { quote } from "../quote.ts";
import { nearest } from "../registry/nearest.ts";
import type { SchemaError, Validator } from "../registry/validator.ts";
import schema from "../../toolcall.schema.json" with { type: "json" };
import check from "./_generated/toolcall.validate.js";

/** One thing that is wrong with a configuration. */
export interface ConfigFault {
  /** JSON pointer to it (RFC 6901). */
  path: string;
  /** What is wrong, and what would be right. */
  message: string;
  /** The known key that an unknown one was probably meant to be. */
  near?: string;
}

const validate = check as unknown as Validator;

/** Everything in a configuration that its JSON Schema, `toolcall.schema.json`, does not allow. */
export function configFaults(value: unknown): ConfigFault[] {
  if (validate(value)) return [];
  const faults = validate.errors!.filter(({ keyword }) => !SUMMARIES.includes(keyword))
    .map((error) => faultOf(error, value));
  // Alternatives that do not fit are said once each.
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()];
}

/** Keywords whose errors only sum up others. */
const SUMMARIES = ["anyOf", "oneOf", "if", "propertyNames"];

function faultOf(error: SchemaError, value: unknown): ConfigFault {
  const { instancePath, keyword, params, schemaPath, message } = error;
  if (keyword === "additionalProperties") {
    const key = String(params["additionalProperty"]);
    const { properties = {} } = at(schema, parentOf(schemaPath).slice(1)) as {
      properties?: object;
    };
    const known = Object.keys(properties);
    const near = nearest(key, known);
    const hint = near === undefined ? "" : `; the nearest is ${quote(near)}`;
    return {
      path: `${instancePath}/${pointerToken(key)}`,
      message: `is not known${hint}; known are ${known.join(", ")}`,
      ...(near !== undefined && { near }),
    };
  }
  const rule = keyword === "enum"
    ? `must be one of ${
      (params["allowedValues"] as unknown[]).map((each) => JSON.stringify(each)).join(", ")
    }`
    : message ?? `breaks the rule ${quote(keyword)}`;
  // What is said of a server may be a secret.
  if (instancePath.startsWith("/mcpServers")) return { path: instancePath, message: rule };
  const got = quote(JSON.stringify(at(value, instancePath)), 80).slice(1, -1).replaceAll(
    '\\"',
    '"',
  );
  return { path: instancePath || "/", message: `${rule}, but is ${got}` };
}

/** What a JSON pointer leads to. */
function at(value: unknown, pointer: string): unknown {
  return pointer.split("/").slice(1).reduce(
    (found, token) =>
      (found as Record<string, unknown>)[token.replaceAll("~1", "/").replaceAll("~0", "~")],
    value,
  );
}

function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf("/"));
}

function pointerToken(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
