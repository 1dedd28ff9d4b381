/** The calls of the tools that OpenAI defines: shell, local shell and apply_patch. */

import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import type { CallItem, ToolCall } from "../call/call.ts";
import { freeformPatch, patchOfOperation } from "./apply_patch_item.ts";
import type { Reading } from "./incoming.ts";
import { argumentsOf, type CallShape, describeType, malformed, shown } from "./mcp.ts";

/** The keys of an item beside its arguments. */
const ENVELOPE = [
  ...["type", "id", "call_id", "name", "status", "caller", "created_by", "environment"],
  ...["namespace", "async"],
];

/** How a type of item becomes a call. */
interface ItemReader {
  /** The key of its arguments. */
  key: string;
  /** Makes the call of its arguments. Throws `malformed_call`. */
  callOf(given: unknown): ToolCall;
}

const READERS: Readonly<Record<string, ItemReader>> = {
  shell_call: {
    key: "action",
    callOf: (action) => ({
      name: "shell.run",
      arguments: withoutNulls(objectIn("action", action)),
    }),
  },
  local_shell_call: {
    key: "action",
    callOf(given) {
      const { type, ...action } = objectIn("action", given);
      if (type !== "exec") throw malformed(`an action of type ${shown(type)} is not understood`);
      return { name: "shell.exec", arguments: withoutNulls(action) };
    },
  },
  apply_patch_call: {
    key: "operation",
    callOf: (operation) => patchOfOperation(objectIn("operation", operation)),
  },
  custom_tool_call: { key: "input", callOf: freeformPatch },
};

/** Whether a value is an item of one of these tools. A custom tool may be any other. */
export function isVendorItem({ type, name }: Record<string, unknown>): boolean {
  if (type === "custom_tool_call") return name === "apply_patch";
  return typeof type === "string" && Object.hasOwn(READERS, type);
}

/** Whether the vendor runs the item itself, in a container. */
export function isHosted({ environment }: Record<string, unknown>): boolean {
  return isObject(environment) && environment["type"] !== "local";
}

/** The type of an item, and the keys that its answer repeats. */
export function callItem(value: Record<string, unknown>): CallItem {
  const { action, caller } = value;
  const limit = isObject(action) ? action["max_output_length"] : undefined;
  return {
    type: value["type"] as CallItem["type"],
    repeated: {
      ...(typeof limit === "number" && { max_output_length: limit }),
      ...(isObject(caller) && { caller }),
    },
  };
}

/** Reads the call of an item. Rejects with `malformed_call`. */
export async function readVendorItem(
  value: Record<string, unknown>,
  reading: Reading,
): Promise<ToolCall> {
  const type = value["type"] as string;
  if (isHosted(value)) {
    throw malformed(`the item ${quote(type)} runs in a container of the vendor, not here`);
  }
  if (value["status"] === "incomplete") {
    throw malformed(`the item ${quote(type)} is incomplete; ask the model to call the tool again`);
  }
  const { key, callOf } = READERS[type]!;
  const shape: CallShape = { key, envelope: ENVELOPE };
  const { value: given } = await argumentsOf(value, shape, { strict: true });
  const { repairs = [] } = reading;
  return { ...callOf(given), ...(repairs.length > 0 && { repairs }) };
}

function objectIn(key: string, value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  if (value === undefined) throw malformed(`${quote(key)} is missing`);
  throw malformed(`${quote(key)} is ${describeType(value)}, not an object`);
}

/** The arguments without those that are `null`, which stands for the default. */
function withoutNulls(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
