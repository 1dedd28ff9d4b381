import { UsageError } from "../../../base/errors.ts";
import { isLoopback, withBrackets } from "../../../base/host.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { quote } from "../../../base/text/quote.ts";
import { version } from "../../../base/version.ts";
import { stateDirectory } from "../../state/state_directory.ts";
import type { Command } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { longLivedOptions } from "../long_lived.ts";
import { pageBackendFor } from "../page_backend_for.ts";
import { natsAddress, poolOf, protectNats, refuseNatsFlags } from "../remote_flags.ts";
import { writeAll } from "../streams.ts";
import { closeContext, openContext } from "./mcp.ts";

/** The length of the token of the page, in bytes. */
const PAGE_TOKEN_BYTES = 32;

/**
 * `toolcall ui`: serves the page on a loopback address until a signal comes, and opens a browser.
 * The permission flags are the ceiling: the page can narrow them, and never widen them.
 */
export const uiCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 0);
  const hostname = line.options.get("host") ?? "127.0.0.1";
  if (!isLoopback(hostname)) {
    throw new UsageError(
      `Cannot serve the page on ${quote(hostname)}: other machines could reach it; use ` +
        "--host=127.0.0.1, localhost or ::1",
    );
  }
  const port = Number(line.options.get("port") ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(
      `Cannot use --port=${quote(line.options.get("port")!)}: write a number up to 65535`,
    );
  }
  const nats = line.options.has("nats") ? natsAddress(line) : undefined;
  if (nats === undefined) refuseNatsFlags(line);
  const read = await process.callOptions(line);
  const workers = nats === undefined
    ? undefined
    : await (await import("../remote_calls.ts")).openWorkers(nats, poolOf(line));
  const grants = workers === undefined
    ? read.grants
    : protectNats(read.grants, nats!, workers.hosts);
  const options = longLivedOptions(line, { ...read, grants });
  options.servers.stay();
  const stopped = Promise.withResolvers<void>();
  options.listeners.cancelSignal().addEventListener("abort", () => stopped.resolve());
  const context = await openContext(line, { options, process });
  const { PageServer } = await import("../../ui/page_server.ts");
  const token = crypto.getRandomValues(new Uint8Array(PAGE_TOKEN_BYTES)).toHex();
  const isReadOnly = line.options.has("read-only");
  const backend = await pageBackendFor(line, context);
  const page = new PageServer(
    { ...backend, ...(workers && { workers: workers.list }) },
    { hostname, token, isReadOnly, version },
  );
  let server: Deno.HttpServer<Deno.NetAddr>;
  try {
    server = Deno.serve(
      { hostname, port, onListen() {} },
      (request) => page.respond(request, server.addr.port),
    );
  } catch (error) {
    const why = osErrorMessage(error).toLowerCase();
    throw new UsageError(`Cannot listen on port ${port} of ${quote(hostname)}: ${why}`);
  }
  const url = `http://${withBrackets(hostname)}:${server.addr.port}/#token=${token}`;
  await writeAll(process.stderr, `toolcall: the page is at ${url}\n`);
  if (!line.options.has("no-open")) {
    const { openBrowser } = await import("../../ui/open_browser.ts");
    if (!openBrowser(url, stateDirectory(line.options.get("state-dir")))) {
      await writeAll(process.stderr, "toolcall: No browser could be started; open the address\n");
    }
  }
  await stopped.promise;
  page.close();
  await Promise.race([
    server.shutdown().catch(() => {}),
    new Promise((end) => setTimeout(end, 1_000)),
  ]);
  await workers?.close();
  await closeContext(context, options);
  return 0;
};
