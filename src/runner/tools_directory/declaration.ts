/** The declaration of a tool in its module. This runs in the thread that has loaded the module. */

import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import { categories, optionalities, sideEffects, type ToolDefinition } from "../registry/define.ts";
import { metadataOf, type ToolMetadata } from "../registry/registered_tool.ts";

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

/** The fields that need a tool of the program itself. */
const BUILT_IN_ONLY = ["uses", "helper", "background", "shortFile", "changes", "offered"];

/** The checks of the fields, each with what it must be. */
const FIELDS: readonly [field: string, isValid: (value: unknown) => boolean, rule: string][] = [
  ["name", (value) => typeof value === "string" && TOOL_NAME.test(value), NAME_RULE],
  ["title", isText, "must be a text"],
  ["description", isText, "must be a text"],
  ["category", isOneOf(categories), `must be one of ${categories.join(", ")}`],
  ["sideEffect", isOneOf(sideEffects), `must be one of ${sideEffects.join(", ")}`],
  ["optionality", isOneOf(optionalities), `must be one of ${optionalities.join(", ")}`],
  ["usageHint", isText, "must be a text"],
  ["inputSchema", isObjectSchema, 'must be a JSON Schema with "type": "object"'],
  ["examples", (value) => Array.isArray(value) && value.every(isExample), EXAMPLE_RULE],
  ["permissions", isObject, 'must be an object with "kinds" and "needs"'],
  ["run", (value) => typeof value === "function", "must be a function"],
];

/** The declaration of a tool as plain data, or its errors. */
export type Declaration =
  | { metadata: ToolMetadata; timeoutMs?: number }
  | { faults: readonly FieldFault[] };

/** The declaration that a module has as its default export. */
export function declarationIn(module: Record<string, unknown>): Declaration {
  const faults = declarationFaults(module);
  if (faults.length > 0) return { faults };
  const { timeoutMs, ...definition } = module["default"] as ToolDefinition;
  const metadata = metadataOf(definition);
  return { metadata, ...(typeof timeoutMs === "number" && { timeoutMs }) };
}

function declarationFaults(module: Record<string, unknown>): FieldFault[] {
  const tool = module["default"];
  if (!isObject(tool)) {
    return [{ message: "it has no default export; write export default defineTool({ … })" }];
  }
  const faults = FIELDS.filter(([field, isValid]) => !isValid(tool[field]))
    .map(([field, , rule]) => ({
      field,
      message: tool[field] === undefined
        ? `the field "${field}" is missing; it ${rule}`
        : `the field "${field}" ${rule}`,
    }));
  return [...faults, ...permissionFaults(tool["permissions"]), ...otherFaults(tool)];
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
      message: kind === "run"
        ? `"permissions.kinds" cannot have "run": a command tool starts programs; see docs/tools.md`
        : `"permissions.kinds" can have ${KINDS.join(", ")}, and not ${quote(String(kind))}`,
    })),
  ];
}

function otherFaults(tool: Record<string, unknown>): FieldFault[] {
  const { timeoutMs, aliases = [] } = tool;
  const isNamed = Array.isArray(aliases) &&
    aliases.every((each) => typeof each === "string" && TOOL_NAME.test(each));
  return [
    ...BUILT_IN_ONLY.filter((field) => tool[field] !== undefined).map((field) => ({
      field,
      message: `the field "${field}" is only for the tools of the program itself`,
    })),
    ...(timeoutMs === undefined || typeof timeoutMs === "number" && timeoutMs > 0 ? [] : [{
      field: "timeoutMs",
      message: 'the field "timeoutMs" must be a number of milliseconds',
    }]),
    ...(isNamed ? [] : [{ field: "aliases", message: `each of "aliases" ${NAME_RULE}` }]),
  ];
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
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
