/** The JSON Schema of the arguments of an operation. */

import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import { type DocumentPart, follow, type Operation } from "./document.ts";
import { SchemaConverter } from "./schema_converter.ts";

/** Header fields that are no parameters (OpenAPI 3.1, section 4.8.12). */
const NO_PARAMETERS = ["accept", "content-type", "authorization", "host", "content-length"];

/** A parameter of an operation, and the argument that it is. */
export interface ApiParameter {
  /** The name of the argument. */
  argument: string;
  /** Its name in the request. */
  name: string;
  /** Its place in the request. */
  place: "path" | "query" | "header" | "cookie";
  /** How lists and objects are written. */
  style: string;
  /** Whether each item of a list is a parameter. */
  explode: boolean;
  /** Whether the value is written as JSON. */
  isJson: boolean;
}

/** The body of an operation. */
export interface ApiBody {
  /** The content type. */
  type: string;
  /** How the argument `body` is written. */
  form: "json" | "form" | "text";
}

/** The arguments of an operation. */
export interface ApiArguments {
  /** The parameters. */
  parameters: readonly ApiParameter[];
  /** The body, which is the argument of the name `bodyArgument`. */
  body?: ApiBody;
  /** The name of the argument for the body. */
  bodyArgument: string;
  /** The schema of all arguments. */
  inputSchema: DocumentPart;
}

/** The arguments of an operation. Throws for one whose body has no form that can be written. */
export function convertOperation(operation: Operation, document: DocumentPart): ApiArguments {
  if (operation.fault !== undefined) throw new Error(operation.fault);
  const schemas = new SchemaConverter(document);
  const names = new Set<string>();
  const properties: DocumentPart = {};
  const required: string[] = [];
  const parameters: ApiParameter[] = [];
  for (const given of operation.parameters) {
    const { name, in: place } = given;
    if (typeof name !== "string" || !isPlace(place)) continue;
    if (place === "header" && NO_PARAMETERS.includes(name.toLowerCase())) continue;
    const argument = uniqueName(name, place, names);
    const [media] = Object.values(isObject(given["content"]) ? given["content"] : {});
    const schema = schemas.convert(isObject(media) ? media["schema"] : given["schema"]);
    properties[argument] = withDescription(schema, given["description"]);
    if (given["required"] === true || place === "path") required.push(argument);
    const style = String(
      given["style"] ?? (place === "query" || place === "cookie" ? "form" : "simple"),
    );
    const explode = typeof given["explode"] === "boolean" ? given["explode"] : style === "form";
    parameters.push({ argument, name, place, style, explode, isJson: isObject(media) });
  }
  const requestBody = follow(operation.operation["requestBody"], document);
  const body = bodyOf(requestBody);
  const bodyArgument = body === undefined ? "body" : uniqueName("body", "request", names);
  if (body !== undefined) {
    const schema = schemas.convert(body.schema);
    properties[bodyArgument] = withDescription(schema, requestBody["description"]);
    if (requestBody["required"] === true) required.push(bodyArgument);
  }
  const inputSchema: DocumentPart = {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...schemas.definitions(),
  };
  return {
    ...{ parameters, bodyArgument, inputSchema },
    ...(body !== undefined && { body: { type: body.type, form: body.form } }),
  };
}

function isPlace(place: unknown): place is ApiParameter["place"] {
  return ["path", "query", "header", "cookie"].includes(place as string);
}

/** A name for an argument. Parameters of two places may have the same name. */
function uniqueName(name: string, place: string, names: Set<string>): string {
  let unique = name;
  for (let count = 1; names.has(unique); count++) {
    unique = count === 1 ? `${name}_${place}` : `${name}_${place}_${count}`;
  }
  names.add(unique);
  return unique;
}

function withDescription(schema: DocumentPart, description: unknown): DocumentPart {
  return typeof description === "string" && schema["description"] === undefined
    ? { ...schema, description }
    : schema;
}

function bodyOf({ content }: DocumentPart): (ApiBody & { schema: unknown }) | undefined {
  if (!isObject(content)) return undefined;
  const forms = Object.entries(content).map(([type, media]) => ({
    ...{ type, form: formOf(type) },
    schema: isObject(media) ? media["schema"] : undefined,
  }));
  for (const wanted of ["json", "form", "text"] as const) {
    const found = forms.find(({ form }) => form === wanted);
    if (found !== undefined) return { ...found, form: wanted };
  }
  if (forms.length === 0) return undefined;
  throw new Error(`a body of the type ${quote(forms[0]!.type, 80)} cannot be written`);
}

function formOf(type: string): ApiBody["form"] | undefined {
  const plain = type.split(";")[0]!.trim().toLowerCase();
  if (plain === "application/json" || plain.endsWith("+json") || plain === "*/*") return "json";
  if (plain === "application/x-www-form-urlencoded") return "form";
  return plain.startsWith("text/") ? "text" : undefined;
}
