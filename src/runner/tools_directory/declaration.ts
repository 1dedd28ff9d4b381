/** The declaration of a tool in its module. This runs in the thread that has loaded the module. */

import { isObject } from "../../base/json/is_object.ts";
import { hint, nearest } from "../../base/text/nearest.ts";
import { quote } from "../../base/text/quote.ts";
import { categories, optionalities, sideEffects, type ToolDefinition } from "../registry/define.ts";
import { metadataOf, type ToolMetadata } from "../registry/registered_tool.ts";
import { isTime } from "./tool_record.ts";

/** An error in a field of a declaration. */
export interface FieldFault {
  /** The field, if the error is in one. */
  field?: string;
  /** The error. */
  message: string;
}

/** The kinds of permission that such a tool can have. */
const KINDS = ["read", "write", "net", "env", "sys"];

/** The valid names of tools. */
export const TOOL_NAME = /^(?!mcp__)[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** The rule of names, in words. */
export const NAME_RULE = "must begin with a letter and have at most 64 letters, digits or _.-";

/** The rule of examples, in words. */
const EXAMPLE_RULE = 'must be a list of examples with "description", "input" and "expect"';

/** The fields that only built-in tools can have, each with the reason. */
export const BUILT_IN_ONLY: Readonly<Record<string, string>> = {
  uses: "the services of the runner act with all rights of the call, not only with those declared",
  helper: "a helper is a program, and only command tools start programs",
  shortFile: "its code would run outside of the sandbox",
  offered: "a tool of yours is always listed",
  shell: "it starts programs, and only command tools start programs",
  changes: "its code would run outside of the sandbox; use two tools, one of which only reads",
};

/** The kinds of permission that only other tools can have, each with the reason. */
const OTHER_KINDS: Readonly<Record<string, string>> = {
  run: "a command tool starts programs; see docs/tools.md",
  mcp: "only built-in tools use MCP servers",
};

/** The check of a field: its name, whether a value is valid, and what it must be. */
type FieldRow = readonly [field: string, isValid: (value: unknown) => boolean, rule: string];

/** The fields that a tool must have. */
const REQUIRED: readonly FieldRow[] = [
  ["name", isName, NAME_RULE],
  ["title", isText, "must be a string"],
  ["description", isText, "must be a string"],
  ["category", isOneOf(categories), `must be one of ${categories.join(", ")}`],
  ["sideEffect", isOneOf(sideEffects), `must be one of ${sideEffects.join(", ")}`],
  ["optionality", isOneOf(optionalities), `must be one of ${optionalities.join(", ")}`],
  ["usageHint", isText, "must be a string"],
  ["inputSchema", isObjectSchema, 'must be a JSON Schema with "type": "object"'],
  ["examples", isListOf(isExample), EXAMPLE_RULE],
  ["permissions", isObject, 'must be an object with "kinds" and "needs"'],
  ["run", isFunction, "must be a function"],
];

/** The fields that a tool may have. */
const OPTIONAL: readonly FieldRow[] = [
  ["aliases", isListOf(isName), `must be a list of names, each of which ${NAME_RULE}`],
  ...["destructive", "idempotent", "openWorld", "bounded", "simple", "background"].map(
    (field): FieldRow => [field, (value) => typeof value === "boolean", "must be true or false"],
  ),
  ...["requires", "ignores"].map(
    (field): FieldRow => [field, isListOf(isText), "must be a list of strings"],
  ),
  ["outputSchema", isObjectSchema, 'must be a JSON Schema with "type": "object"'],
  ["maxRetries", isCount, "must be a whole number of 0 or more"],
  ["rateLimit", isRateLimit, 'must be an object with the numbers "calls" and "windowMs"'],
  [
    "timeoutMs",
    (value) => isFunction(value) || isTime(value),
    "must be a number of milliseconds above 0, or a function that returns one",
  ],
];

/** The names of all fields. */
const KNOWN = [...REQUIRED, ...OPTIONAL].map(([field]) => field).concat(Object.keys(BUILT_IN_ONLY));

/** The declaration of a tool as plain data, or its errors. */
export type Declaration =
  | { metadata: ToolMetadata; timeoutMs?: number | "computed" }
  | { faults: readonly FieldFault[] };

/** The declaration that a module has as its default export. */
export function declarationIn(module: Record<string, unknown>): Declaration {
  const faults = declarationFaults(module);
  if (faults.length > 0) return { faults };
  const { timeoutMs, ...definition } = module["default"] as ToolDefinition;
  const metadata = metadataOf(definition);
  if (timeoutMs === undefined) return { metadata };
  return { metadata, timeoutMs: typeof timeoutMs === "number" ? timeoutMs : "computed" };
}

function declarationFaults(module: Record<string, unknown>): FieldFault[] {
  const tool = module["default"];
  if (!isObject(tool)) {
    const what = tool === undefined ? "it has no default export" : "its default export is no tool";
    return [{ message: `${what}; write export default defineTool({ … })` }];
  }
  const wrong = ([field, isValid, rule]: FieldRow): FieldFault[] =>
    isValid(tool[field]) ? [] : [{ field, message: `the field "${field}" ${rule}` }];
  return [
    ...REQUIRED.flatMap((row) => {
      const [field, , rule] = row;
      if (tool[field] !== undefined) return wrong(row);
      return [{ message: `the field "${field}" is missing; it ${rule}` }];
    }),
    ...OPTIONAL.flatMap((row) => tool[row[0]] === undefined ? [] : wrong(row)),
    ...Object.keys(tool).filter((field) => !KNOWN.includes(field)).map((field) => ({
      field,
      message: `unknown field ${quote(field)}; ${hint(nearest(field, KNOWN), "docs/tools.md")}`,
    })),
    ...Object.entries(BUILT_IN_ONLY).filter(([field]) => tool[field] !== undefined)
      .map(([field, why]) => ({
        field,
        message: `only built-in tools can have the field "${field}": ${why}`,
      })),
    ...permissionFaults(tool["permissions"]),
    ...backgroundFaults(tool),
  ];
}

function permissionFaults(permissions: unknown): FieldFault[] {
  if (!isObject(permissions)) return [];
  const { kinds, needs } = permissions;
  const isList = Array.isArray(kinds);
  const unknown = isList ? kinds.filter((kind) => !KINDS.includes(kind)) : [];
  return [
    ...(isList ? [] : [{ field: "kinds", message: '"permissions.kinds" must be a list' }]),
    ...(typeof needs === "function"
      ? []
      : [{ field: "needs", message: '"permissions.needs" must be a function' }]),
    ...unknown.map((kind) => ({
      field: "kinds",
      message: Object.hasOwn(OTHER_KINDS, String(kind))
        ? `"permissions.kinds" cannot have ${quote(String(kind))}: ${OTHER_KINDS[String(kind)]}`
        : `"permissions.kinds" can have ${KINDS.join(", ")}, and not ${quote(String(kind))}`,
    })),
  ];
}

function backgroundFaults({ background, inputSchema }: Record<string, unknown>): FieldFault[] {
  const properties = isObject(inputSchema) ? inputSchema["properties"] : undefined;
  const property = isObject(properties) ? properties["run_in_background"] : undefined;
  if (background !== true || isObject(property) && property["type"] === "boolean") return [];
  const message =
    'the field "background" needs the property "run_in_background" in "inputSchema", ' +
    'of the type "boolean"';
  return [{ field: "background", message }];
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function isName(value: unknown): boolean {
  return typeof value === "string" && TOOL_NAME.test(value);
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

function isRateLimit(value: unknown): boolean {
  return isObject(value) && isCount(value["calls"]) && isTime(value["windowMs"]);
}

function isListOf(isValid: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(isValid);
}

function isOneOf(values: readonly string[]): (value: unknown) => boolean {
  return (value) => values.includes(value as string);
}

function isObjectSchema(value: unknown): boolean {
  return isObject(value) && value["type"] === "object";
}

function isExample(value: unknown): boolean {
  return isObject(value) && isText(value["description"]) && isObject(value["input"]) &&
    typeof value["expect"] === "string";
}
