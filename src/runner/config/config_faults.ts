import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import { nearest } from "../../base/text/nearest.ts";
import type { SchemaError, Validator } from "../registry/validator.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { parsePointer, pointerOf, valueAt } from "../../base/json/json_pointer.ts";
import { describeSchema, joinWords, schemaAt, schemaKeys } from "./schema_words.ts";
import check from "./_generated/toolcall.validate.js";

/** One thing that is wrong with a configuration. */
export interface ConfigFault {
  /** JSON pointer to it (RFC 6901). */
  path: string;
  /** What is wrong, and what would be right. */
  message: string;
  /** The known key that an unknown one was probably meant to be. */
  near?: string;
  /** Whether it is the key that is wrong, and not its value. */
  ofKey?: true;
}

/** How much of a wrong value is shown, in characters. */
const SHOWN = 80;

const validate = check as unknown as Validator;

/** Everything in a configuration that its JSON Schema, `toolcall.schema.json`, does not allow. */
export function configFaults(value: unknown): ConfigFault[] {
  if (validate(value)) return [];
  const errors = errorsByPlace(validate.errors!);
  const faults = validate.errors!.filter((error) => isTold(error, errors))
    .flatMap((error) => faultOf(error, { value, errors }));
  // What breaks several rules of one place is said once.
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()];
}

/** Whether a fault is a key of another program, which calls pass over. */
export function isForeign({ path, near, ofKey }: ConfigFault): boolean {
  return ofKey === true && near === undefined && path.lastIndexOf("/") === 0;
}

/** The errors by the pointer to what they are about: to look through all for each takes minutes. */
interface ErrorsByPlace {
  /** Those about that very value. */
  at: ReadonlyMap<string, readonly SchemaError[]>;
  /** Those about what it holds, however deep. */
  under: ReadonlyMap<string, readonly SchemaError[]>;
}

function errorsByPlace(errors: readonly SchemaError[]): ErrorsByPlace {
  const [at, under] = [new Map<string, SchemaError[]>(), new Map<string, SchemaError[]>()];
  const add = (map: typeof at, path: string, error: SchemaError) => {
    const list = map.get(path);
    if (list === undefined) map.set(path, [error]);
    else list.push(error);
  };
  for (const error of errors) {
    add(at, error.instancePath, error);
    for (let path = error.instancePath; path !== "";) {
      path = path.slice(0, path.lastIndexOf("/"));
      add(under, path, error);
    }
  }
  return { at, under };
}

/** Whether an error says something that no other of the errors says better. */
function isTold(error: SchemaError, { at, under }: ErrorsByPlace): boolean {
  const { keyword, instancePath, schemaPath } = error;
  if (/\/(propertyNames|oneOf)\//.test(schemaPath)) return false;
  if (keyword !== "anyOf" && keyword !== "type") return true;
  const here = at.get(instancePath)!;
  const choice = here.findLast((each) => each.keyword === "anyOf");
  if (choice === undefined) return true;
  // Of the branches the one whose type fits says what is wrong in it.
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
      const hint = near === undefined ? "" : `; the nearest is ${quote(near)}`;
      const message = `is not known${hint}; known are ${known.join(", ")}`;
      return [{ path: at + pointerOf([key]), message, ofKey, ...(near !== undefined && { near }) }];
    }
    case "propertyNames": {
      const path = at + pointerOf([String(params["propertyName"])]);
      return [{ path, message: `is no name: it takes ${NAMES[at]}`, ofKey }];
    }
    case "required":
      return [{ path: at, message: `has to have ${quote(String(params["missingProperty"]))}` }];
    case "oneOf":
      return choiceFaults(error, { value, errors });
  }
  const rule = `must be ${describeSchema(part)}`;
  // What is said of a server may be a secret.
  if (at.startsWith("/mcpServers")) return [{ path: at, message: rule }];
  const text = escapeControls(JSON.stringify(valueAt(value, parsePointer(at))));
  const got = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return [{ path: at || "/", message: `${rule}, but is ${got}` }];
}

/** What the names in a section are made of. */
const NAMES: Readonly<Record<string, string>> = {
  "/bundles": '1 to 64 letters, digits, "-" and "_"',
  "/mcpServers": '1 to 48 letters, digits, "-" and single "_" between them',
};

/** What is wrong with an object that has to have one of some keys, and what goes with that one. */
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
      message: `does not go with ${has[0]}`,
      ofKey: true as const,
    }));
}
