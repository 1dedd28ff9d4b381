import type { CallError } from "../call_error.ts";
import type { ToolCall } from "../engine/call.ts";
import { quote } from "../quote.ts";
import { malformed } from "./json_text.ts";

/** Whether a value can be nothing but MCP params: it has a name and no sign of another dialect. */
export function isMcpParams(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "name") &&
    !["type", "role", "function", "object"].some((key) => Object.hasOwn(value, key));
}

/** The failure of a call of a type that is in no dialect here. */
export function notUnderstood(type: unknown): CallError {
  const which = type === undefined ? "without a type" : `of type ${shown(type)}`;
  return malformed(`calls ${which} are not understood`);
}

/**
 * The call in the params of MCP's `tools/call`: `{"name", "arguments"}`. Throws
 * `malformed_call` when the name is not a string or the arguments are neither
 * absent nor an object.
 */
export function parseMcpParams(value: unknown): ToolCall {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw malformed(`the call is ${kindOf(value)}`);
  }
  if ("type" in value) {
    throw notUnderstood(value.type);
  }
  if (!Object.hasOwn(value, "name")) throw malformed('"name" is missing');
  const { name, arguments: args = {} } = value as {
    name: unknown;
    arguments?: unknown;
  };
  return { name: toolName(name), arguments: toolArguments(args) };
}

function toolName(value: unknown): string {
  if (typeof value !== "string") {
    throw malformed(`"name" is ${kindOf(value)}, not a string`);
  }
  return value;
}

function toolArguments(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw malformed(`"arguments" is ${kindOf(value)}, not an object`);
  }
  return value as Record<string, unknown>;
}

/** A value for a message: itself when it is a text, else its kind. */
export function shown(value: unknown): string {
  return typeof value === "string" ? quote(value) : kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
