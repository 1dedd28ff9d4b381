import type { Command, CommandLine, Process } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { HTTP_FLAGS, httpAddress } from "../flag_values.ts";
import { UsageError } from "../../../base/errors.ts";
import { keepInUse } from "../../cache/cached_versions.ts";
import { ownVariable } from "../../own_environment.ts";
import { version } from "../../../base/version.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { QuickCalls } from "../../call/quick_calls.ts";
import { withServers } from "../../call/servers.ts";
import { quote } from "../../../base/text/quote.ts";
import { type Offers, offersOf } from "../../mcp/server/offers.ts";
import type { ServerContext } from "../../mcp/server/tools_call.ts";
import { narrowed } from "../../sandbox/policy/narrow.ts";
import { protectInstallation } from "../../sandbox/policy/own_paths.ts";
import { hearByCall } from "../../sandbox/executors/prints.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { Semaphore } from "../../../base/async/semaphore.ts";
import { usualStateDirectory } from "../../state/state_directory.ts";
import { warn } from "../catalogue/catalogue.ts";
import { followFiles } from "../catalogue/follow_files.ts";
import { openPrompts, promptsDirectory } from "../prompts_directory.ts";
import { childFlags, type LongLivedOptions, longLivedOptions } from "../long_lived.ts";
import { isVerbose, writeAll } from "../streams.ts";

/** `toolcall mcp`, the server, and `toolcall mcp install`, `uninstall` and `list`. */
export const mcpCommand: Command = async (line, operands, process) => {
  const [first, ...rest] = operands;
  if (first === "install") {
    refuse(["http", ...HTTP_FLAGS], line, "a client starts the server over stdio");
    refuse(["format"], line, "the client determines the format of its file");
    const { mcpInstallCommand } = await import("./mcp_install.ts");
    return await mcpInstallCommand(line, rest, process);
  }
  if (first === "list") {
    return await (await import("./mcp_list.ts")).mcpListCommand(line, rest, process);
  }
  if (first === "uninstall") {
    return await (await import("./mcp_clients.ts")).mcpUninstallCommand(line, rest, process);
  }
  if (first === "remove" || first === "stop") {
    const { mcpRemoveCommand, mcpStopCommand } = await import("./mcp_servers.ts");
    const command = first === "stop" ? mcpStopCommand : mcpRemoveCommand;
    return await command(line, rest, process);
  }
  if (first === "add") {
    const why = 'it belongs to "toolcall mcp" or "toolcall mcp install"';
    refuse(["http", ...HTTP_FLAGS, "write", "print", "name", "scope", "format"], line, why);
    return await (await import("./mcp_add.ts")).mcpAddCommand(line, rest, process);
  }
  if (first === "login" || first === "logout") {
    const { mcpLoginCommand, mcpLogoutCommand } = await import("./mcp_login.ts");
    return await (first === "login" ? mcpLoginCommand : mcpLogoutCommand)(line, rest, process);
  }
  if (first === "status") {
    return await (await import("./mcp_status.ts")).mcpStatusCommand(line, rest, process);
  }
  if (first !== undefined) {
    const near = nearest(first, [
      ...["install", "uninstall", "list", "add", "remove", "stop", "login", "logout", "status"],
    ]);
    if (near === undefined) refuseOperands(operands, 0, line);
    throw new UsageError(`Unknown subcommand ${quote(first)} of mcp; ${hint(near, "")}`);
  }
  const why = 'it belongs to "toolcall mcp install CLIENT"';
  refuse(["write", "print", "name", "scope"], line, why);
  refuse(["no-open", "auth-server"], line, 'it belongs to "toolcall mcp login SERVER"');
  refuse(["format"], line, 'it belongs to "toolcall mcp list"');
  refuse(["all"], line, 'it belongs to "toolcall mcp stop"');
  return await serveMcp(line, process);
};

function refuse(flags: string[], { options }: CommandLine, why: string): void {
  const given = flags.find((flag) => options.has(flag));
  if (given !== undefined) throw new UsageError(`Cannot use --${given} here: ${why}`);
}

/** The number of calls that run at the same time. */
const MAX_CALLS = 32;

/** The time to log the calls that end with the server, in milliseconds. */
const LOG_TIMEOUT_MS = 5_000;

/** Serves MCP over stdio or HTTP until the input ends or a signal comes. Returns the exit code. */
async function serveMcp(line: CommandLine, process: Process): Promise<number> {
  const given = longLivedOptions(line, await process.callOptions(line));
  const options = isVerbose(line)
    ? (await import("../verbose.ts")).withVerbose(given, process)
    : given;
  options.servers.stay();
  using _ = followFiles(options.registry, line, process);
  options.servers.serveClient();
  const stopped = Promise.withResolvers<void>();
  options.listeners.cancelSignal().addEventListener("abort", () => stopped.resolve());
  let context: ServerContext | undefined;
  const offers = offersOf(options, await promptsDirectory(line, options.grants));
  const open = async () => context = await openContext(line, { options, process, offers });
  const address = line.options.get("http");
  if (address === undefined) {
    const flag = HTTP_FLAGS.find((each) => line.options.has(each));
    if (flag !== undefined) throw new UsageError(`--${flag} needs --http`);
    if (process.stdin.isTerminal()) {
      const text = "toolcall: MCP server on stdio; it expects one JSON-RPC message per line\n";
      await writeAll(process.stderr, text);
    }
    const { serveLines } = await import("../../mcp/server/stdio.ts");
    await serveLines(process, { offers, open, stop: stopped.promise });
  } else {
    const { serveHttp } = await import("../../mcp/server/http.ts");
    const guard = httpAddress(address, line.options);
    const shared = await open();
    const { token } = guard;
    const openPage = token === undefined ? undefined : async () => {
      const { PageServer } = await import("../../ui/page_server.ts");
      const { pageBackendFor } = await import("../page_backend_for.ts");
      const backend = await pageBackendFor(line, shared);
      return new PageServer(backend, { ...guard, token, isReadOnly: false, version });
    };
    const server = startListening(
      () => serveHttp(shared, { ...guard, ...(openPage && { openPage }) }),
      address,
    );
    const made = guard.isGenerated ? `toolcall: bearer token for this run: ${guard.token}\n` : "";
    await writeAll(process.stderr, `${made}toolcall: MCP server at ${server.url}\n`);
    await stopped.promise;
    await server.close();
  }
  await closeContext(context, options);
  return 0;
}

/** Waits for the audit log, and ends everything that calls of this process have used. */
export async function closeContext(
  context: ServerContext | undefined,
  options: LongLivedOptions,
): Promise<void> {
  if (options.audit !== undefined) {
    await (await import("../../audit/audit.ts")).waitForAudit(LOG_TIMEOUT_MS);
  }
  context?.quickCalls.close();
  options.pool.close();
  await options.servers.closeAll();
}

/** Opens what the connections share, and begins to list the tools of other servers. */
export async function openContext(
  line: CommandLine,
  { options, process, offers = { resources: false } }: {
    options: LongLivedOptions;
    process: Process;
    offers?: Offers;
  },
): Promise<ServerContext> {
  if (ownVariable("executable") !== undefined) keepInUse(process.program.directory);
  const upstreamNames = line.options.has("upstream-names")
    ? new (await import("../../mcp/server/upstream_names.ts")).UpstreamNames(options.registry)
    : undefined;
  return {
    options,
    offers,
    ...(offers.prompts !== undefined && { prompts: openPrompts(offers.prompts, options, process) }),
    listsAll: line.options.has("all-tools"),
    ...(upstreamNames && { upstreamNames }),
    toolsListed: withServers(options)
      .then((problems) => warn([...problems, ...upstreamNames?.collisions() ?? []], process))
      .catch(() => {}),
    quickCalls: new QuickCalls(options),
    semaphore: new Semaphore(MAX_CALLS),
    isolatePrints: await hearByCall(),
    narrowFlags(roots) {
      const grants = protectInstallation(narrowed(options.grants, roots), {
        ...options.program,
        state: options.stateDir ?? usualStateDirectory(),
      });
      return { grants, flags: childFlags(grants, line, options) };
    },
  };
}

/** Calls `listen`. Throws {@link UsageError} if the system does not let it listen. */
function startListening<T>(listen: () => T, address: string): T {
  try {
    return listen();
  } catch (error) {
    const why = osErrorMessage(error).toLowerCase();
    throw new UsageError(`Cannot listen on ${quote(address)}: ${why}`);
  }
}
