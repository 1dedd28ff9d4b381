import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import { nearest } from "../../base/text/nearest.ts";
import type { SchemaError, Validator } from "../registry/validator.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { parsePointer, pointerOf, valueAt } from "../../base/json/json_pointer.ts";
import { describeSchema, joinWords, schemaAt, schemaKeys } from "./schema_words.ts";
import check from "./_generated/toolcall.validate.js";

/** An error in a configuration. */
export interface ConfigFault {
  /** JSON pointer to it (RFC 6901). */
  path: string;
  /** The error, and how to correct it. */
  message: string;
  /** The known key that is similar to an unknown key. */
  near?: string;
  /** Whether the key is wrong, and not its value. */
  ofKey?: true;
}

/** The part of a wrong value that is shown, in characters. */
const MAX_SHOWN = 80;

const validate = check as unknown as Validator;

/** Everything in a configuration that its JSON Schema, `toolcall.schema.json`, does not allow. */
export function configFaults(value: unknown): ConfigFault[] {
  if (validate(value)) return [];
  const errors = errorsByPlace(validate.errors!);
  const faults = validate.errors!.filter((error) => isReported(error, errors))
    .flatMap((error) => faultOf(error, { value, errors }));
  // A value that breaks several rules is reported once.
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()];
}

/** Whether an unknown key may belong to another program. Calls ignore such keys. */
export function isUnknownSection({ path, near, ofKey }: ConfigFault): boolean {
  return ofKey === true && near === undefined && path.lastIndexOf("/") === 0;
}

/** Errors by the pointer to their value. Searching all errors for each value could take minutes. */
interface ErrorsByPlace {
  /** The errors of the value itself. */
  at: ReadonlyMap<string, readonly SchemaError[]>;
  /** The errors of the values inside it, at any depth. */
  under: ReadonlyMap<string, readonly SchemaError[]>;
}

function errorsByPlace(errors: readonly SchemaError[]): ErrorsByPlace {
  const under = new Map<string, SchemaError[]>();
  for (const error of errors) {
    for (let path = error.instancePath; path !== "";) {
      path = path.slice(0, path.lastIndexOf("/"));
      under.getOrInsertComputed(path, () => []).push(error);
    }
  }
  return { at: Map.groupBy(errors, ({ instancePath }) => instancePath), under };
}

/** Whether an error is reported. It is not if another error is more exact. */
function isReported(error: SchemaError, { at, under }: ErrorsByPlace): boolean {
  const { keyword, instancePath, schemaPath } = error;
  if (/\/(propertyNames|oneOf)\//.test(schemaPath)) return false;
  if (keyword !== "anyOf" && keyword !== "type") return true;
  const here = at.get(instancePath)!;
  const choice = here.findLast((each) => each.keyword === "anyOf");
  if (choice === undefined) return true;
  // The branch with the matching type reports the exact error.
  const isDeep = under.has(instancePath) ||
    here.some((each) => each.keyword !== "anyOf" && each.keyword !== "type");
  return !isDeep && error === choice;
}

function faultOf(
  error: SchemaError,
  { value, errors }: { value: unknown; errors: ErrorsByPlace },
): ConfigFault[] {
  const { instancePath: at, keyword, params } = error;
  const part = schemaAt(parsePointer(at));
  const ofKey = true as const;
  switch (keyword) {
    case "additionalProperties": {
      const key = String(params["additionalProperty"]);
      const known = schemaKeys(part);
      const near = nearest(key, known);
      const hint = near === undefined ? "known" : `did you mean ${quote(near)}? Known`;
      const message = `unknown key; ${hint} keys: ${known.join(", ")}`;
      return [{ path: at + pointerOf([key]), message, ofKey, ...(near !== undefined && { near }) }];
    }
    case "propertyNames": {
      const path = at + pointerOf([String(params["propertyName"])]);
      return [{ path, message: `invalid name; expected ${NAMES[at]}`, ofKey }];
    }
    case "required":
      return [{ path: at, message: `must have ${quote(String(params["missingProperty"]))}` }];
    case "oneOf":
      return choiceFaults(error, { value, errors });
  }
  const rule = `must be ${describeSchema(part)}`;
  // The value may be a secret of a server.
  if (at.startsWith("/mcpServers")) return [{ path: at, message: rule }];
  const text = escapeControls(JSON.stringify(valueAt(value, parsePointer(at))));
  const got = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return [{ path: at || "/", message: `${rule}, got ${got}` }];
}

/** The valid names in a section. */
const NAMES: Readonly<Record<string, string>> = {
  "/commands": '1 to 64 letters, digits, "-" and "_", beginning with a letter and not "mcp__"',
  "/apis": '1 to 32 letters, digits and "_", beginning with a letter',
  "/bundles": '1 to 64 letters, digits, "-" and "_"',
  "/mcpServers": '1 to 48 letters, digits, "-" and single "_" between them',
};

/** The errors of an object with exactly one of several keys. Other keys may not go with it. */
function choiceFaults(
  { instancePath: at, schemaPath }: SchemaError,
  { value, errors }: { value: unknown; errors: ErrorsByPlace },
): ConfigFault[] {
  const keys = schemaAt(parsePointer(at)).oneOf!.map(({ required }) => required[0]!);
  const object = valueAt(value, parsePointer(at));
  if (!isObject(object)) return [];
  const has = keys.filter((key) => Object.hasOwn(object, key));
  if (has.length !== 1) {
    const either = `must have either ${joinWords(keys, "or")}`;
    return [{ path: at, message: has.length === 0 ? either : `${either}, not both` }];
  }
  const rules = `${schemaPath}/${keys.indexOf(has[0]!)}/properties/`;
  const isWrongAnyway = ({ instancePath }: SchemaError) =>
    errors.at.get(instancePath)!.some((each) => !each.schemaPath.startsWith(schemaPath));
  return (errors.under.get(at) ?? [])
    .filter((each) => each.schemaPath.startsWith(rules) && !isWrongAnyway(each))
    .map(({ instancePath: path }) => ({
      path,
      message: `cannot be combined with ${has[0]}`,
      ofKey: true as const,
    }));
}
