import type { Process } from "../../cli/command.ts";
import { LineTransport } from "./line_transport.ts";
import { capabilitiesOf, type Offers } from "./offers.ts";
import type { ServerContext } from "./tools_call.ts";

/**
 * Serves MCP over two streams until the client closes its end or `stop` resolves. It answers
 * `initialize` first. The rest, what `open` opens and the SDK, takes longer to load.
 */
export async function serveLines(
  process: Process,
  { offers, open, stop }: {
    offers: Offers;
    open: () => Promise<ServerContext>;
    stop: Promise<void>;
  },
): Promise<void> {
  const transport = new LineTransport(process, capabilitiesOf(offers));
  transport.read();
  await Promise.race([transport.begun, stop]);
  const shared = await open();
  const { connectLines } = await import("./connect_lines.ts");
  await connectLines(transport, shared, stop);
}
