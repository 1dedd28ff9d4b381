import { resolve } from "@std/path/posix/resolve";
import { type FileTarget, fileTarget } from "../../../base/fs/system_error.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import { type Client, clients, type Installation } from "../../mcp/install/clients.ts";
import { fragment, install } from "../../mcp/install/install.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { ownCommand } from "../../sandbox/executors/own_process.ts";
import { realPath } from "../../sandbox/policy/paths.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { type Command, type CommandLine, refuseOperands } from "../command.ts";
import { flagArguments } from "../flag_arguments.ts";
import { readCallOptions } from "../call_options.ts";
import { writeAll } from "../streams.ts";
import { UsageError } from "../../../base/errors.ts";
import { ownVariable } from "../../own_environment.ts";

/** The options whose value is a path. */
const PATHS = ["root", "state-dir", "config", "audit"];

/**
 * `toolcall mcp install CLIENT`: prints the configuration with which a client starts this program
 * as its MCP server, with the given permission flags. `--write` writes it into the client's file.
 */
export const mcpInstallCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 1, line);
  const client = clientOf(operands[0]);
  const { options } = line;
  if (options.has("print") && options.has("write")) {
    throw new UsageError("The flags --print and --write exclude each other");
  }
  const name = options.get("name") ?? "toolcall";
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    const form = '1 to 64 letters, digits, "_" and "-"';
    throw new UsageError(`The flag --name=${quote(name)} is no name for a server: ${form}`);
  }
  // The project is the working directory, even if --root names another one for relative paths.
  const withoutRoot = new Map([...options].filter(([option]) => option !== "root"));
  // Errors that would stop the server at its start are reported now.
  const { cwd } = await readCallOptions({ ...line, options: withoutRoot }, process);
  const [command, ...before] = ownCommand(process.program);
  const args = [...before, "mcp", ...serverFlags(line, cwd)];
  const installation = { client, name, server: { command, args, ...cacheVariables() } };
  const say = (text: string) => writeAll(process.stderr, `toolcall: ${text}\n`);
  if (!line.grants.all && Object.keys(line.grants.allow).length === 0) {
    await say("No permission flag was given: the server will be allowed nothing");
  }
  try {
    const target = fileTarget(realPath, { given: client.file(cwd), action: "write" });
    if (options.has("write")) {
      await writeAll(process.stdout, `${await writeInstallation(installation, target)}\n`);
    } else {
      const file = quotePath(target.given);
      await say(`For ${client.title} this goes into ${file}; --write puts it there`);
      await writeAll(process.stdout, fragment(installation));
    }
    return 0;
  } catch (error) {
    await say((error as Error).message);
    return 1;
  }
};

/**
 * Clients start a server with few of the user's variables. Without the variables that name the
 * cache directory, the server would unpack itself again. Some clients do not wait that long.
 */
function cacheVariables(): { env?: Record<string, string> } {
  if (ownVariable("executable") === undefined) return {};
  const set = ["TOOLCALL_CACHE_DIR", "XDG_CACHE_HOME"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value?.startsWith("/") ? [[name, value]] : [];
  });
  return set.length === 0 ? {} : { env: Object.fromEntries(set) };
}

function clientOf(name: string | undefined): Client {
  const names = clients.map((client) => client.name);
  const known = `known are ${names.join(", ")}`;
  if (name === undefined) throw new UsageError(`The client's name is missing; ${known}`);
  const client = clients.find((each) => each.name === name);
  if (client !== undefined) return client;
  const near = nearest(name, names);
  throw new UsageError(
    `Unknown client ${quote(name)}; ${near === undefined ? "" : `${hint(near, "")}, `}${known}`,
  );
}

/**
 * The flags of the server. A client starts the server in another directory, so paths become
 * absolute.
 */
function serverFlags({ grants, options }: CommandLine, cwd: string): string[] {
  const absolute = (path: string) => resolve(cwd, path);
  const scopes = (given: Grants["allow"]): Grants["allow"] =>
    Object.fromEntries(
      Object.entries(given).map(([kind, scope]) => {
        const isPath = (value: string) =>
          kind === "read" || kind === "write" || kind === "run" && value.includes("/");
        return [kind, scope === true || scope.map((each) => isPath(each) ? absolute(each) : each)];
      }),
    );
  const others = [...options].map(([name, value]) =>
    [name, PATHS.includes(name) ? absolute(value) : value] as const
  );
  const { allow, deny } = grants;
  return flagArguments({ ...grants, allow: scopes(allow), deny: scopes(deny) }, new Map(others));
}

async function writeInstallation(installation: Installation, target: FileTarget): Promise<string> {
  const { name, client: { title } } = installation;
  const [server, file] = [`the server ${quote(name)}`, quotePath(target.given)];
  const reports = {
    created: `Created ${file} with ${server} for ${title}`,
    changed: `Wrote ${server} for ${title} into ${file}`,
    unchanged: `Nothing to do: ${file} has ${server} as it should be`,
  };
  return reports[await install(installation, target)];
}
