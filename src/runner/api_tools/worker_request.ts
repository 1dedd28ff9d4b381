/** The way of a request to the Worker that sends it. */

import type { ToolDefinition } from "../registry/define.ts";
import { definitionTool } from "../registry/definition_tool.ts";
import type { RegisteredTool, RegistryEntry } from "../registry/registered_tool.ts";
import type { ApiRequest } from "./api_request.ts";

/** The tool of a Worker that sends requests. No call can name it. */
const SENDER = "toolcall/send_request";

/** A tool whose calls are sent as requests. */
export type RegisteredApiTool = RegisteredTool & Required<Pick<RegisteredTool, "inWorker">>;

/** A tool of a definition whose calls a Worker sends as the requests that `requestOf` builds. */
export function entryTool(
  definition: ToolDefinition,
  requestOf: (args: Readonly<Record<string, unknown>>) => ApiRequest,
): RegisteredApiTool {
  return Object.assign(definitionTool(definition), {
    inWorker: (args: Record<string, unknown>) => ({
      tool: SENDER,
      args: requestOf(args) as unknown as Record<string, unknown>,
    }),
  });
}

/** The entry of that tool, for the catalogue of a Worker. */
export const senderEntry: RegistryEntry = {
  name: SENDER,
  aliases: [],
  load: async () => (await import("./send_request.ts")).sender(SENDER),
};
