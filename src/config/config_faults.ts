import { isObject } from "../is_object.ts";
import { quote } from "../quote.ts";
import { nearest } from "../registry/nearest.ts";
import type { SchemaError, Validator } from "../registry/validator.ts";
import { visibleText } from "../visible_text.ts";
import { pointerOf, tokensOf, valueAt } from "../json_pointer.ts";
import { listed, schemaAt, schemaKeys, schemaWords } from "./schema_words.ts";
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
  const errors = validate.errors!;
  const faults = errors.filter((error) => isTold(error, errors))
    .flatMap((error) => faultOf(error, { value, errors }));
  // What breaks several rules of one place is said once.
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()];
}

/** Whether a fault is a key of another program, which calls pass over. */
export function isForeign({ path, near, ofKey }: ConfigFault): boolean {
  return ofKey === true && near === undefined && path.lastIndexOf("/") === 0;
}

/** Whether an error says something that no other of the errors says better. */
function isTold(error: SchemaError, errors: readonly SchemaError[]): boolean {
  const { keyword, instancePath: at, schemaPath } = error;
  if (/\/(propertyNames|oneOf)\//.test(schemaPath)) return false;
  const choices = errors.filter((each) => each.keyword === "anyOf" && each.instancePath === at);
  if (choices.length === 0 || keyword !== "anyOf" && keyword !== "type") return true;
  // Of the branches the one whose type fits says what is wrong in it.
  const isDeep = errors.some((each) =>
    each.instancePath.startsWith(`${at}/`) ||
    each.instancePath === at && each.keyword !== "anyOf" && each.keyword !== "type"
  );
  return !isDeep && error === choices.at(-1);
}

function faultOf(
  error: SchemaError,
  { value, errors }: { value: unknown; errors: readonly SchemaError[] },
): ConfigFault[] {
  const { instancePath: at, keyword, params } = error;
  const part = schemaAt(tokensOf(at));
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
  const rule = `must be ${schemaWords(part)}`;
  // What is said of a server may be a secret.
  if (at.startsWith("/mcpServers")) return [{ path: at, message: rule }];
  const text = visibleText(JSON.stringify(valueAt(value, tokensOf(at))));
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
  { value, errors }: { value: unknown; errors: readonly SchemaError[] },
): ConfigFault[] {
  const keys = schemaAt(tokensOf(at)).oneOf!.map(({ required }) => required[0]!);
  const object = valueAt(value, tokensOf(at));
  if (!isObject(object)) return [];
  const has = keys.filter((key) => Object.hasOwn(object, key));
  if (has.length !== 1) {
    const either = `must have either ${listed(keys, "or")}`;
    return [{ path: at, message: has.length === 0 ? either : `${either}, not both` }];
  }
  const rules = `${schemaPath}/${keys.indexOf(has[0]!)}/properties/`;
  const isWrongAnyway = ({ instancePath }: SchemaError) =>
    errors.some((each) =>
      each.instancePath === instancePath && !each.schemaPath.startsWith(schemaPath)
    );
  return errors
    .filter((each) =>
      each.schemaPath.startsWith(rules) && each.instancePath.startsWith(`${at}/`) &&
      !isWrongAnyway(each)
    )
    .map(({ instancePath: path }) => ({
      path,
      message: `does not go with ${has[0]}`,
      ofKey: true as const,
    }));
}
