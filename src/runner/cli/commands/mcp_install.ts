import { resolve } from "@std/path/posix/resolve";
import { type FileTarget, fileTarget } from "../../../base/fs/system_error.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import { type Client, clients } from "../../mcp/install/clients.ts";
import { fragment, install, type Installation } from "../../mcp/install/install.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { ownCommand } from "../../sandbox/executors/own_process.ts";
import { realPath } from "../../sandbox/policy/paths.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import type { Scope } from "../../sandbox/policy/scope.ts";
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
  refuseOperands(operands, 1);
  const client = clientOf(operands[0]);
  const { options } = line;
  if (options.has("print") && options.has("write")) {
    throw new UsageError("The flags --print and --write exclude each other");
  }
  const name = options.get("name") ?? "toolcall";
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new UsageError(
      `The flag --name=${
        quote(name)
      } is no name for a server: 1 to 64 letters, digits, "_" and "-"`,
    );
  }
  // Errors that would stop the server at its start are reported now.
  const { cwd } = await readCallOptions({ ...line, options: withoutRoot(options) }, process);
  const [command, ...before] = ownCommand(process.program);
  const args = [...before, "mcp", ...serverFlags(line, cwd)];
  const installation = { client, name, server: { command, args, ...cacheVariables() } };
  const say = (text: string) => writeAll(process.stderr, `toolcall: ${text}\n`);
  if (!line.grants.all && Object.keys(line.grants.allow).length === 0) {
    await say("No permission flag was given: the server will be allowed nothing");
  }
  try {
    const target = targetOf(client, cwd);
    if (options.has("write")) {
      await writeAll(process.stdout, `${await writeInstallation(installation, target)}\n`);
    } else {
      await say(
        `For ${client.title} this goes into ${quotePath(target.given)}; --write puts it there`,
      );
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
 * The project is the working directory, even if `--root` names another directory for relative
 * paths.
 */
function withoutRoot(options: CommandLine["options"]): CommandLine["options"] {
  return new Map([...options].filter(([name]) => name !== "root"));
}

/**
 * The flags of the server. A client starts the server in another directory, so paths become
 * absolute.
 */
function serverFlags({ grants, options }: CommandLine, cwd: string): string[] {
  const absolute = (path: string) => resolve(cwd, path);
  const scopes = (given: Grants["allow"]): Grants["allow"] => {
    const paths = (scope: Scope, isPath: (value: string) => boolean): Scope =>
      scope === true ? true : scope.map((value) => isPath(value) ? absolute(value) : value);
    return {
      ...given,
      ...(given.read && { read: paths(given.read, () => true) }),
      ...(given.write && { write: paths(given.write, () => true) }),
      ...(given.run && { run: paths(given.run, (value) => value.includes("/")) }),
    };
  };
  const others = [...options].map(([name, value]) =>
    [name, PATHS.includes(name) ? absolute(value) : value] as const
  );
  const { allow, deny } = grants;
  return flagArguments({ ...grants, allow: scopes(allow), deny: scopes(deny) }, new Map(others));
}

function targetOf(client: Client, project: string): FileTarget {
  const given = client.file({ project, os: Deno.build.os, env: (name) => Deno.env.get(name) });
  return fileTarget(realPath, { given, action: "write" });
}

async function writeInstallation(installation: Installation, target: FileTarget): Promise<string> {
  const server = `the server ${quote(installation.name)}`;
  const file = quotePath(target.given);
  switch (await install(installation, target)) {
    case "created":
      return `Created ${file} with ${server} for ${installation.client.title}`;
    case "changed":
      return `Wrote ${server} for ${installation.client.title} into ${file}`;
    case "unchanged":
      return `Nothing to do: ${file} has ${server} as it should be`;
  }
}
