import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type McpRequestContext,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { LineTransport } from "./line_transport.ts";
import { watchListened } from "./listened_resources.ts";
import type { ResourceWatch } from "./resource_watch.ts";
import { createServer, type ToolServer } from "./server.ts";
import { TaskSubscriptions } from "./task_subscriptions.ts";
import type { ServerContext } from "./tools_call.ts";

/** Lets the SDK answer what comes by the transport, until it closes or `stop` resolves. */
export async function connectLines(
  transport: LineTransport,
  shared: ServerContext,
  stop: Promise<void>,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  transport.isMessage = isMessage;
  const watches = new Set<ResourceWatch>();
  const listen = async (message: Record<string, unknown>, server: ToolServer) => {
    const tell = (uri: string) => void server.sendResourceUpdated({ uri }).catch(() => {});
    const watch = await watchListened(message, shared, tell);
    if (watch !== undefined) watches.add(watch);
  };
  const send = transport.send.bind(transport);
  const tasks = new TaskSubscriptions(shared, send);
  transport.send = (message) => tasks.pass(message);
  transport.onCancelled = (id) => tasks.cancel(id);
  const createFor = ({ era }: McpRequestContext) => {
    const server = createServer(shared, { isModern: era === "modern" });
    // In the other revisions of MCP each request has data for the SDK.
    if (era === "legacy") transport.quickCalls = server.quickCalls;
    else {
      transport.onListen = (message) => {
        void listen(message, server);
        return tasks.listen(message);
      };
    }
    transport.forgetRoots = server.forgetRoots;
    return server;
  };
  const handle = serveStdio(createFor, { transport });
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    ended.resolve();
  };
  // The client may have gone while the SDK was loaded.
  if (transport.isClosed) ended.resolve();
  await Promise.race([ended.promise, stop]);
  for (const watch of [...watches, tasks]) watch.close();
  await handle.close();
}

/** Returns true for a message that the SDK handles: it silently ignores any other. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);
}
