import type { CallError } from "../../base/errors.ts";
import type { ToolCall } from "../call/call.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import type { ReadArguments } from "./arguments_text.ts";
import { argumentsOf, type CallShape, type GivenArguments, shapes } from "./call_shape.ts";
import type { Reading } from "./incoming.ts";
import { malformed } from "./json_text.ts";

/** Whether a value can only be MCP params: it has a name and no key of another dialect. */
export function isMcpParams(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "name") &&
    !["type", "role", "function", "object"].some((key) => Object.hasOwn(value, key));
}

/** The error for a call whose type no dialect has. */
export function unknownCallType(type: unknown): CallError {
  const which = type === undefined ? "without a type" : `of type ${shown(type)}`;
  return malformed(`calls ${which} are not understood`);
}

/**
 * Parses MCP's form of a call, `{"name", "arguments"}`. Outside of JSON-RPC, the forms of Gemini,
 * Llama, Cohere, Bedrock and LangChain are accepted too: they use another key for the arguments,
 * and arguments may be a JSON text. Rejects with `malformed_call` when the name is not a string,
 * when the arguments are neither absent nor an object, or when another key may have arguments.
 */
export async function parseMcpParams(
  value: unknown,
  { isJsonRpc = false, ...reading }: Reading & { isJsonRpc?: boolean } = {},
): Promise<ToolCall> {
  if (!isObject(value)) throw malformed(`the call is ${describeType(value)}`);
  const hasType = Object.hasOwn(value, "type");
  if (hasType && !isTypedCall(value)) throw unknownCallType(value["type"]);
  const shape = isJsonRpc ? shapes.params : hasType ? shapes.typed : shapes.bare;
  const given = await argumentsOf(value, shape, reading);
  return await namedCall(value["name"], given, { ...reading, takesText: !isJsonRpc });
}

/**
 * Whether a value with a type is a call. A value of the type `function` may also be a definition.
 */
function isTypedCall({ type, ...rest }: Record<string, unknown>): boolean {
  return type === "tool_call" || type === "function" && Object.hasOwn(rest, "arguments");
}

/**
 * Parses OpenAI's forms of a call, whose arguments are a JSON text or `null`. Rejects with
 * `malformed_call`.
 */
export async function textCall(
  value: Record<string, unknown>,
  shape: CallShape,
  reading: Reading,
): Promise<ToolCall> {
  const given = await argumentsOf(value, shape, reading);
  const some = { ...given, value: given.value ?? {} };
  return await namedCall(value["name"], some, { ...reading, takesText: true });
}

/** Options for reading arguments. */
interface ArgumentsReading extends Reading {
  /** Whether the arguments may be a JSON text. */
  takesText: boolean;
}

/** The call of that name. Rejects with `malformed_call` for a name or arguments of another type. */
export async function namedCall(
  name: unknown,
  { key, value = {}, repairs }: GivenArguments,
  { takesText, ...reading }: ArgumentsReading,
): Promise<ToolCall> {
  if (name === undefined) throw malformed('"name" is missing');
  if (typeof name !== "string") throw malformed(`"name" is ${describeType(name)}, not a string`);
  const read: ReadArguments = takesText && typeof value === "string"
    ? await (await import("./arguments_text.ts")).argumentsInText(value, name, reading)
    : { value };
  if (!isObject(read.value)) {
    throw malformed(`${quote(key)} is ${describeType(read.value)}, not an object`);
  }
  const all = [...reading.repairs ?? [], ...repairs, ...read.repairs ?? []];
  return { name, arguments: read.value, ...(all.length > 0 && { repairs: all }) };
}

/** A value for a message: itself when it is a text, else its kind. */
export function shown(value: unknown): string {
  return typeof value === "string" ? quote(value) : describeType(value);
}

/** The kind of a value, with its article. */
export function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
