import { lookupTable } from "../../base/lookup_table.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";

/** The types of items that toolcall answers, and that of a call in MCP's form. */
const ANSWERED = [
  ...["function_call", "custom_tool_call", "shell_call", "local_shell_call", "apply_patch_call"],
  "tool_call",
];

/** For each type of item, whom it waits for, and the item that answers it. */
const WAITS = lookupTable<string>({
  mcp_approval_request:
    'a user who approves or refuses the call; answer it with an "mcp_approval_response"',
  computer_call:
    'a program that controls a computer; answer it with a "computer_call_output", a screenshot',
  tool_search_call:
    'the program that declared the tools; answer it with a "tool_search_output", the found tools',
});

/**
 * Whether an item waits for somebody else than toolcall. Items that the vendor runs itself have no
 * `call_id`, or say that a server runs them.
 */
export function isWaitingItem(item: Record<string, unknown>): boolean {
  const { type, call_id: id, execution } = item;
  if (type === "mcp_approval_request") return true;
  return typeof type === "string" && type.endsWith("_call") && !ANSWERED.includes(type) &&
    typeof id === "string" && execution !== "server";
}

/** The error for such an item. It says whom the item waits for. */
export function waitingItem(item: Record<string, unknown>): CallError {
  const { type, name, server_label: server } = item;
  const wanted = WAITS[String(type)] ??
    `the program that offered the tool; answer it with ${quote(`${type}_output`)}`;
  const what = typeof name !== "string"
    ? ""
    : typeof server === "string"
    ? ` for the tool ${quote(name, 100)} of the MCP server ${quote(server, 100)}`
    : ` for the tool ${quote(name, 100)}`;
  return new CallError(
    "malformed_call",
    `Cannot answer the item ${quote(String(type), 100)}${what}: it waits for ${wanted}`,
    { item: String(type).slice(0, 100) },
  );
}
