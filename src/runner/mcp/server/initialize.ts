/** The server's description of itself, and the answer to `initialize` without the SDK. */

import type { ServerCapabilities } from "@modelcontextprotocol/server";
import { isObject } from "../../../base/json/is_object.ts";
import { version } from "../../../base/version.ts";
import { iconOf } from "../../schema/icons.ts";

/** The server's name, version and icon. */
export const SERVER_INFO = {
  ...{ name: "toolcall", title: "toolcall", version },
  icons: [iconOf("toolcall")],
};

/** The instructions for models. */
export const INSTRUCTIONS =
  "Tools run under the permission flags that the server was started with. A refusal names the flag " +
  "that would allow the call: report it to the user, who can restart the server with it.";

/** The revisions of MCP in which a client begins with `initialize`, and which the SDK knows. */
export const SESSION_REVISIONS: readonly string[] = [
  ...["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"],
];

/** The keys of the client's information about itself, which are all texts. */
const CLIENT_INFO = ["name", "title", "version", "description", "websiteUrl"];

/**
 * Returns the answer to an `initialize` of the usual form, the same as the SDK's. Loading the SDK
 * takes longer than the rest of the start, so a client need not wait for it. Returns `undefined`
 * for any other message: the SDK answers it.
 */
export function initializeAnswer(
  message: unknown,
  capabilities: ServerCapabilities,
): Record<string, unknown> | undefined {
  if (!isObject(message) || message["method"] !== "initialize") return undefined;
  const { jsonrpc, id, params } = message;
  if (jsonrpc !== "2.0" || Object.keys(message).length !== 4) return undefined;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  if (!isObject(params) || Object.keys(params).length !== 3) return undefined;
  const { protocolVersion, clientInfo } = params;
  if (!SESSION_REVISIONS.includes(protocolVersion as string)) return undefined;
  if (!isClientInfo(clientInfo) || !areCapabilities(params["capabilities"])) return undefined;
  const result = {
    ...{ protocolVersion, capabilities, serverInfo: SERVER_INFO },
    instructions: INSTRUCTIONS,
  };
  return { result, jsonrpc, id };
}

function isClientInfo(value: unknown): boolean {
  return isObject(value) && typeof value["name"] === "string" &&
    typeof value["version"] === "string" &&
    Object.entries(value).every(([key, text]) =>
      CLIENT_INFO.includes(key) && typeof text === "string"
    );
}

/** Whether each capability is an object, of which only `listChanged` is not an object again. */
function areCapabilities(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((capability) =>
    isObject(capability) &&
    Object.entries(capability).every(([key, inner]) =>
      key === "listChanged" ? typeof inner === "boolean" : isObject(inner)
    )
  );
}
