import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import { delay } from "@std/async/delay";
import { toMcp } from "../../schema/definitions/mcp.ts";
import { CallServer } from "./call_server.ts";
import { answerCall } from "./answer_call.ts";
import { ClientQuestions } from "./client_questions.ts";
import { ClientRoots } from "./client_roots.ts";
import type { Served } from "./served.ts";

/** How many tools one page of `tools/list` holds. */
const PAGE = 50;

/** How long the first list waits for the tools of other servers, in milliseconds. */
const LIST_MS = 5_000;

const INSTRUCTIONS =
  "Tools run under the permission flags that the server was started with. A refusal names the flag " +
  "that would allow the call: tell it to the person, who can restart the server with it.";

/**
 * A server for one connection, or for one request of a client that needs none: the tools of
 * the registry, with everything that MCP has for them.
 *
 * @see https://modelcontextprotocol.io/specification, "Server Features", "Tools"
 */
export function mcpServer(served: Served): Server {
  const { registry } = served.settings;
  const server = new CallServer(served.settings, {
    capabilities: { tools: { listChanged: true }, logging: {} },
    instructions: INSTRUCTIONS,
    debouncedNotificationMethods: ["notifications/tools/list_changed"],
  });
  const roots = new ClientRoots(server, served);
  server.setRequestHandler("tools/list", async ({ params }) => {
    // A server that takes longer is heard of by a notification.
    await Promise.race([served.listed, delay(LIST_MS)]);
    const tools = await registry.list();
    const names = registry.namesForApis();
    const outputs = served.settings.structured
      ? (await import("../../registry/published_outputs.ts")).publishedOutputs
      : {};
    const start = startOf(params?.cursor, tools);
    const next = tools[start + PAGE];
    const page = tools.slice(start, start + PAGE);
    return {
      tools: page.map((tool) => toMcp(tool, names.get(tool.name)!, outputs)) as never,
      ...(next && { nextCursor: cursorTo(next.name) }),
    };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    return await answerCall({ name, arguments: args }, {
      ...{ served, server, context },
      flags: () => roots.flags(context),
      questions: new ClientQuestions(server, context),
    });
  });
  const unsubscribe = registry.subscribe(() => void server.sendToolListChanged().catch(() => {}));
  server.onclose = unsubscribe;
  return server;
}

/** A cursor names the tool that the page starts with: what is registered meanwhile moves nothing. */
function cursorTo(name: string): string {
  return new TextEncoder().encode(name).toBase64();
}

/** Where the page of a cursor starts. Throws -32602 for a cursor that is none of ours. */
function startOf(cursor: string | undefined, tools: readonly { name: string }[]): number {
  if (cursor === undefined) return 0;
  try {
    const name = new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(cursor));
    const at = tools.findIndex((tool) => tool.name >= name);
    return at < 0 ? tools.length : at;
  } catch {
    const message = "The cursor is none that this server gave; ask for the first page without one";
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
}
