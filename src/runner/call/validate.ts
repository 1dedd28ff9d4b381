import type { RegisteredTool } from "../registry/registered_tool.ts";
import type { SchemaError } from "../registry/validator.ts";
import type { ArgumentProblem } from "../../base/argument_problem.ts";
import { isObject } from "../../base/json/is_object.ts";
import { parsePointer, pointerOf, valueAt } from "../../base/json/json_pointer.ts";
import { nearest } from "../../base/text/nearest.ts";
import { quote } from "../../base/text/quote.ts";
import { argumentErrors, EXACT } from "./argument_errors.ts";
import type { Repair } from "./call.ts";
import { invalidArguments } from "./invalid_arguments.ts";
import { repairArguments } from "./repair.ts";
import { cut, few, formatValue, ruleInWords } from "./problem_words.ts";

/** The most unknown names for which a missing one is looked for. */
const MAX_UNKNOWN = 100;

/** The most names that an unknown name is compared with. */
const MAX_COMPARED = 1_000;

/** The most characters of a description in one problem. */
const MAX_DESCRIPTION = 1_000;

/**
 * Repairs arguments that the tool's validator has just refused, in place and where that is
 * lossless, unless `strict`. Adds each repair to `repairs`. Rejects with `invalid_arguments`, with the
 * path and the expected value of every remaining problem, and with the broken `rules` of other
 * arguments.
 */
export async function repairOrReject(
  tool: RegisteredTool,
  args: Record<string, unknown>,
  { strict, repairs, rules }: {
    strict: boolean;
    repairs: Repair[];
    rules?(): Promise<readonly ArgumentProblem[]>;
  },
): Promise<void> {
  if (!strict) {
    repairs.push(...repairArguments(tool.metadata.inputSchema, args));
    if (argumentErrors(tool, args).length === 0) return;
  }
  // A shell can be restarted without a command.
  if (tool.metadata.shell === true && args["restart"] === true && args["command"] === undefined) {
    args["command"] = " ";
  }
  const all = argumentErrors(tool, args);
  if (all.length === 0) return;
  const meant = matchMissing(all, tool, args);
  // A missing argument under another name is one problem.
  const found = new Set(meant.values());
  const problems = all.filter((error) => !found.has(error))
    .map((error) => problemOf(error, tool, args, meant.get(error)));
  // A rule may rely on the types of the schema.
  const broken = await rules?.().catch(() => []) ?? [];
  const wrong = all.map((error) => problemOf(error, tool, args, undefined).path);
  const others = broken.filter(({ path }) => !wrong.some((each) => isWithin(path, each)));
  throw invalidArguments(tool.metadata.name, [...problems, ...others]);
}

/** Whether a value is at a path or inside it. A problem of all arguments is about none of them. */
function isWithin(path: string, outer: string): boolean {
  return path === outer || outer !== "/" && path.startsWith(`${outer}/`);
}

/**
 * Finds unknown arguments that were probably meant as a missing one: its name is the most similar
 * one, or it is the only one missing and would accept the value. Returns the error for the missing
 * argument by the error for the unknown one.
 */
function matchMissing(
  errors: readonly SchemaError[],
  tool: RegisteredTool,
  args: Record<string, unknown>,
): Map<SchemaError, SchemaError> {
  const found = new Map<SchemaError, SchemaError>();
  const missing = errors.filter(({ keyword }) => keyword === "required");
  if (missing.length === 0) return found;
  const unknown = errors.filter(({ keyword }) => keyword === "additionalProperties");
  for (const error of unknown.slice(0, MAX_UNKNOWN)) {
    const isBeside = ({ instancePath }: SchemaError) => instancePath === error.instancePath;
    const open = missing.filter(isBeside);
    const near = similarArgument(error, tool, args);
    const only = open.length === 1 && unknown.filter(isBeside).length === 1 &&
      accepts(tool, missingPath(open[0]!), valueAt(args, unknownPath(error)));
    const match = open.find(({ params }) => params["missingProperty"] === near) ??
      (near === undefined && only ? open[0] : undefined);
    if (match !== undefined && ![...found.values()].includes(match)) found.set(error, match);
  }
  return found;
}

/** Whether the schema of the argument at `path` names the type of the value. */
function accepts(tool: RegisteredTool, path: string, value: unknown): boolean {
  const { type } = schemaAt(tool, path);
  return (Array.isArray(value) ? "array" : typeof value) === type;
}

function missingPath({ instancePath, params }: SchemaError): string {
  return instancePath + pointerOf([String(params["missingProperty"])]);
}

function unknownPath({ instancePath, params }: SchemaError): string[] {
  return [...parsePointer(instancePath), String(params["additionalProperty"])];
}

/** The argument that is not given and has the name most similar to an unknown one. */
function similarArgument(
  { instancePath, params }: SchemaError,
  tool: RegisteredTool,
  args: Record<string, unknown>,
): string | undefined {
  const known = Object.keys(propertiesOf(schemaAt(tool, instancePath)));
  const given = valueAt(args, parsePointer(instancePath)) as Record<string, unknown>;
  const open = known.slice(0, MAX_COMPARED).filter((name) => !Object.hasOwn(given, name));
  return nearest(String(params["additionalProperty"]), open);
}

/** The problem of an error. `meant` is the error for the missing argument that was meant. */
function problemOf(
  error: SchemaError,
  tool: RegisteredTool,
  args: Record<string, unknown>,
  meant: SchemaError | undefined,
): ArgumentProblem {
  const { instancePath, keyword, params } = error;
  if (keyword === EXACT) {
    const path = quote(instancePath).slice(1, -1);
    return { path, message: `${error.message}${expected(tool, instancePath)}` };
  }
  if (keyword === "required") {
    const path = missingPath(error);
    return { path, message: `required${expected(tool, path)}` };
  }
  if (keyword === "additionalProperties") {
    const path = quote(pointerOf(unknownPath(error))).slice(1, -1);
    const near = meant?.params["missingProperty"] ?? similarArgument(error, tool, args);
    const known = Object.keys(propertiesOf(schemaAt(tool, instancePath)));
    const hint = near === undefined
      ? `available: ${few(known) || "none"}`
      : `did you mean ${quote(String(near))}?`;
    const rest = meant === undefined ? "" : ` It is required${expected(tool, missingPath(meant))}`;
    const name = quote(String(params["additionalProperty"]));
    return { path, message: `unknown argument ${name}; ${hint}${rest}` };
  }
  const got = formatValue(valueAt(args, parsePointer(instancePath)));
  const rule = keyword === "enum"
    ? `must be one of ${few((params["allowedValues"] as unknown[]).map((v) => JSON.stringify(v)))}`
    : ruleInWords(error);
  return {
    path: instancePath || "/",
    message: `${rule}, got ${got}${expected(tool, instancePath)}`,
  };
}

/**
 * Describes the value at `path` by its type, required keys and description in the schema: " (string:
 * The path)". Returns "" if the schema has none of them.
 */
function expected(tool: RegisteredTool, path: string): string {
  const schema = schemaAt(tool, path);
  const { description, required } = schema;
  const type = Array.isArray(schema["type"]) ? schema["type"].join(" or ") : schema["type"];
  const keys = Array.isArray(required) && required.length > 0 && type === "object"
    ? ` with ${few(required.map(String))}`
    : "";
  const said = typeof description === "string" ? cut(description, MAX_DESCRIPTION) : undefined;
  const parts = [type === undefined ? type : `${type}${keys}`, said];
  const text = parts.filter((part) => part !== undefined).join(": ");
  return text === "" ? "" : ` (${text})`;
}

type Schema = Record<string, unknown>;

/** Returns the schema of the value at `path`, or `{}` if properties and items do not lead there. */
function schemaAt({ metadata }: RegisteredTool, path: string): Schema {
  let schema: Schema = metadata.inputSchema;
  for (const key of parsePointer(path)) {
    const properties = propertiesOf(schema);
    const inner = Object.hasOwn(properties, key) ? properties[key] : schema["items"];
    schema = isObject(inner) ? inner : {};
  }
  return schema;
}

function propertiesOf({ properties }: Schema): Record<string, Schema> {
  return isObject(properties) ? properties as Record<string, Schema> : {};
}
