import type { CallOptions } from "../../call/call.ts";
import { withServers } from "../../call/servers.ts";
import { quote } from "../../../base/text/quote.ts";
import { narrowed } from "../../sandbox/policy/narrow.ts";
import { protectInstallation } from "../../sandbox/policy/own_paths.ts";
import { hearByCall } from "../../sandbox/executors/prints.ts";
import { WorkerPool } from "../../sandbox/executors/worker_pool.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { Semaphore } from "../../../base/async/semaphore.ts";
import { usualStateFolder } from "../../state/state_folder.ts";
import { tellOf } from "../catalogue/catalogue.ts";
import type { Command, Process } from "../command.ts";
import { flagArguments } from "../flags/flag_arguments.ts";
import { HTTP_FLAGS, httpAddress } from "../flags/mcp_address.ts";
import type { CommandLine } from "../parse.ts";
import { settingsOf } from "../settings.ts";
import { writeAll } from "../streams.ts";
import { UsageError } from "../../../base/errors.ts";

/** How many calls run at the same time. */
const AT_ONCE = 32;

/** How long calls that are ended with the server have to be logged, in milliseconds. */
const LAST_MS = 5_000;

/** `toolcall mcp`: an MCP server, over stdio or HTTP. */
export const mcpServeCommand: Command = async (line, _operands, process) => {
  const settings = await residentSettings(line, process);
  settings.servers.stay();
  const context = {
    settings,
    toolsListed: withServers(settings).then((problems) => tellOf(problems, process)).catch(
      () => {},
    ),
    semaphore: new Semaphore(AT_ONCE),
    isolatePrints: await hearByCall(),
    narrowFlags: (roots: readonly string[]) => {
      const grants = protectInstallation(narrowed(settings.grants, roots), {
        ...settings.program,
        state: settings.stateDir ?? usualStateFolder(),
      });
      return { grants, flags: flagArguments(grants, optionsOf(line, settings)) };
    },
  };
  const stopped = Promise.withResolvers<void>();
  settings.listeners.cancelSignal().addEventListener("abort", () => stopped.resolve());
  const address = line.options.get("http");
  if (address === undefined) {
    const given = HTTP_FLAGS.find((flag) => line.options.has(flag));
    if (given !== undefined) throw new UsageError(`The flag --${given} goes with --http`);
    if (process.stdin.isTerminal()) {
      const text = "toolcall: MCP server on stdio; it expects JSON-RPC, a message a line\n";
      await writeAll(process.stderr, text);
    }
    const { serveLines } = await import("../../mcp/server/stdio.ts");
    await serveLines(context, {
      stdin: process.stdin,
      stdout: process.stdout,
      stop: stopped.promise,
    });
  } else {
    const { serveHttp } = await import("../../mcp/server/http.ts");
    const guard = httpAddress(address, line.options);
    const server = listening(() => serveHttp(context, guard), address);
    const made = guard.isMade ? `toolcall: bearer token, made for this run: ${guard.token}\n` : "";
    await writeAll(process.stderr, `${made}toolcall: MCP server at ${server.url}\n`);
    await stopped.promise;
    await server.close();
  }
  if (settings.audit !== undefined) {
    await (await import("../../audit/audit.ts")).allLogged(LAST_MS);
  }
  settings.pool?.close();
  await settings.servers.close();
  return 0;
};

/** What `start` starts. Throws {@link UsageError} where the system does not let it listen. */
function listening<T>(start: () => T, address: string): T {
  try {
    return start();
  } catch (error) {
    const why = osErrorMessage(error).toLowerCase();
    throw new UsageError(`Cannot listen on ${quote(address)}: ${why}`);
  }
}

async function residentSettings(line: CommandLine, process: Process): Promise<CallOptions> {
  const settings = await settingsOf(line, process);
  return {
    ...settings,
    flags: flagArguments(settings.grants, optionsOf(line, settings)),
    pool: new WorkerPool(),
  };
}

/**
 * The options as a process of ours is to have them: what was left to the folder it starts in is
 * said, and the paths of the flags, which are real here, have to be so there. Else a call that
 * may replace one of them by a link would grant others what that leads to.
 */
function optionsOf({ options }: CommandLine, { cwd, session }: CallOptions): Map<string, string> {
  return new Map([...options, ["root", cwd], ["session", session], ["no-links", ""]]);
}
