import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type LineSink, type LineSource, LineTransport } from "./line_transport.ts";
import type { Served } from "./served.ts";
import { mcpServer } from "./server.ts";

/** MCP over these two streams, until the client closes its end or `stop` resolves. */
export async function serveLines(
  served: Served,
  { stdin, stdout, stop }: { stdin: LineSource; stdout: LineSink; stop: Promise<void> },
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const transport = new LineTransport(stdin, stdout);
  const handle = serveStdio(() => mcpServer(served), { transport });
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    ended.resolve();
  };
  await Promise.race([ended.promise, stop]);
  await handle.close();
}
