import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { CallOptions } from "../../call/call.ts";
import { MALFORMED } from "../../dialect/mcp.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";

/**
 * The failure of reading the arguments of the tool `name`, with an example of its own arguments in
 * place of an example of a whole call. Any other failure is returned as it is.
 */
export async function explainArguments(
  error: CallError,
  name: string,
  { registry }: CallOptions,
): Promise<CallError> {
  const { start, end } = MALFORMED;
  const { code, message, details } = error;
  if (code !== "malformed_call" || !message.startsWith(start) || !message.endsWith(end)) {
    return error;
  }
  const tool = await registry.get(name).load().catch(() => undefined);
  if (tool === undefined) return error;
  const why = message.slice(start.length, -end.length);
  const text = `Cannot read the arguments of ${quote(name)}: ${why}; ` +
    `expected JSON such as '${exampleArguments(tool.metadata)}'`;
  return new CallError(code, text, details);
}

/** The required arguments of the tool's first example, as JSON text. */
export function exampleArguments({ examples, inputSchema }: ToolMetadata): string {
  const { input = {} } = examples.find(({ isError }) => isError !== true) ?? {};
  const required = inputSchema["required"];
  const keys = Array.isArray(required) ? required : [];
  const needed = Object.fromEntries(Object.entries(input).filter(([key]) => keys.includes(key)));
  return JSON.stringify(needed).replaceAll("$ROOT", "/home/me").replaceAll(
    "$SERVER",
    "example.com",
  );
}
