/** The checks of a tool's declaration, for tools of every source. */

import { isTime } from "../../base/duration.ts";
import { isObject } from "../../base/json/is_object.ts";
import { hint, nearest } from "../../base/text/nearest.ts";
import { quote } from "../../base/text/quote.ts";
import { categories, optionalities, sideEffects } from "./define.ts";

/** An error in a field of a declaration. */
export interface FieldFault {
  /** The field, if the error is in one. */
  field?: string;
  /** The error. */
  message: string;
}

/** The rule of examples, in words. */
const EXAMPLE_RULE = 'must be a list of examples with "description", "input" and "expect"';

/** The check of a field: its name, whether a value is valid, and what it must be. */
export type FieldRow = readonly [field: string, isValid: (value: unknown) => boolean, rule: string];

/** The declarations that a source of tools accepts. */
export interface DeclarationRules {
  /** The valid names, and the rule in words. */
  name: readonly [isName: (value: unknown) => boolean, rule: string];
  /** Whether a tool may have no description, so that it is not listed. */
  mayBeHidden: boolean;
  /** The kinds of permission that a tool can have. */
  kinds: readonly string[];
  /** The reasons against other kinds. */
  otherKinds: Readonly<Record<string, string>>;
  /** The checks of fields that not every source has. */
  fields: readonly FieldRow[];
  /** The reasons against fields that only other sources have. */
  refused: Readonly<Record<string, string>>;
  /** The page of the documentation. */
  page: string;
}

/** The fields that every tool must have, besides its name and description. */
const REQUIRED: readonly FieldRow[] = [
  ["title", isText, "must be a string"],
  ["category", isOneOf(categories), `must be one of ${categories.join(", ")}`],
  ["sideEffect", isOneOf(sideEffects), `must be one of ${sideEffects.join(", ")}`],
  ["optionality", isOneOf(optionalities), `must be one of ${optionalities.join(", ")}`],
  ["usageHint", (value) => typeof value === "string", "must be a string"],
  ["inputSchema", isObjectSchema, 'must be a JSON Schema with "type": "object"'],
  ["examples", isListOf(isExample), EXAMPLE_RULE],
  ["permissions", isObject, 'must be an object with "kinds" and "needs"'],
  ["run", isFunction, "must be a function"],
];

/** The fields that every tool may have, besides its aliases. */
const OPTIONAL: readonly FieldRow[] = [
  ...["destructive", "idempotent", "openWorld", "bounded", "simple"].map(
    (field): FieldRow => [field, (value) => typeof value === "boolean", "must be true or false"],
  ),
  ...["requires", "ignores"].map(
    (field): FieldRow => [field, isListOf(isText), "must be a list of strings"],
  ),
  ["outputSchema", isObjectSchema, 'must be a JSON Schema with "type": "object"'],
  ["rules", isFunction, "must be a function"],
  ["maxRetries", isCount, "must be a whole number of 0 or more"],
  ["rateLimit", isRateLimit, 'must be an object with the numbers "calls" and "windowMs"'],
  [
    "timeoutMs",
    (value) => isFunction(value) || isTime(value),
    "must be a number of milliseconds above 0, or a function that returns one",
  ],
];

/** The errors in a declaration, all of them. The list is empty for a valid one. */
export function declarationFaults(
  tool: Readonly<Record<string, unknown>>,
  rules: DeclarationRules,
): FieldFault[] {
  const { required, optional } = rowsOf(rules);
  const known = [...required, ...optional].map(([field]) => field)
    .concat(Object.keys(rules.refused));
  const wrong = ([field, isValid, rule]: FieldRow): FieldFault[] =>
    isValid(tool[field]) ? [] : [{ field, message: `the field "${field}" ${rule}` }];
  return [
    ...required.flatMap((row) => {
      const [field, , rule] = row;
      if (tool[field] !== undefined) return wrong(row);
      return [{ message: `the field "${field}" is missing; it ${rule}` }];
    }),
    ...optional.flatMap((row) => tool[row[0]] === undefined ? [] : wrong(row)),
    ...Object.keys(tool).filter((field) => !known.includes(field)).map((field) => ({
      field,
      message: `unknown field ${quote(field)}; ${hint(nearest(field, known), rules.page)}`,
    })),
    ...Object.entries(rules.refused).filter(([field]) => tool[field] !== undefined)
      .map(([field, why]) => ({
        field,
        message: `only built-in tools can have the field "${field}": ${why}`,
      })),
    ...permissionFaults(tool["permissions"], rules),
    ...backgroundFaults(tool),
  ];
}

/** The checks of all fields of a source. */
function rowsOf({ name: [isName, rule], mayBeHidden, fields }: DeclarationRules) {
  const description: FieldRow = ["description", isText, "must be a string"];
  return {
    required: [
      ["name", isName, rule] satisfies FieldRow,
      ...(mayBeHidden ? [] : [description]),
      ...REQUIRED,
    ],
    optional: [
      ...(mayBeHidden ? [description] : []),
      [
        "aliases",
        isListOf(isName),
        `must be a list of names, each of which ${rule}`,
      ] satisfies FieldRow,
      ...OPTIONAL,
      ...fields,
    ],
  };
}

/** The names of all fields that a tool of a source can have. */
export function declarationFields(rules: DeclarationRules): string[] {
  const { required, optional } = rowsOf(rules);
  return [...required, ...optional].map(([field]) => field);
}

function permissionFaults(
  permissions: unknown,
  { kinds: possible, otherKinds }: DeclarationRules,
): FieldFault[] {
  if (!isObject(permissions)) return [];
  const { kinds, needs } = permissions;
  const isList = Array.isArray(kinds);
  const unknown = isList ? kinds.filter((kind) => !possible.includes(kind)) : [];
  return [
    ...(isList ? [] : [{ field: "kinds", message: '"permissions.kinds" must be a list' }]),
    ...(typeof needs === "function"
      ? []
      : [{ field: "needs", message: '"permissions.needs" must be a function' }]),
    ...unknown.map((kind) => ({
      field: "kinds",
      message: Object.hasOwn(otherKinds, String(kind))
        ? `"permissions.kinds" cannot have ${quote(String(kind))}: ${otherKinds[String(kind)]}`
        : `"permissions.kinds" can have ${possible.join(", ")}, and not ${quote(String(kind))}`,
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

/** Whether a value is a string with more than blanks. */
export function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** Whether a value is a function. */
export function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

function isRateLimit(value: unknown): boolean {
  return isObject(value) && isCount(value["calls"]) && isTime(value["windowMs"]);
}

/** The check of a list whose items are valid. */
export function isListOf(isValid: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(isValid);
}

/** The check of one of some strings. */
export function isOneOf(values: readonly string[]): (value: unknown) => boolean {
  return (value) => values.includes(value as string);
}

function isObjectSchema(value: unknown): boolean {
  return isObject(value) && value["type"] === "object";
}

function isExample(value: unknown): boolean {
  return isObject(value) && isText(value["description"]) && isObject(value["input"]) &&
    typeof value["expect"] === "string";
}
