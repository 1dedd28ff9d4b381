import { readVariable } from "../../../base/environment.ts";
import { basename } from "@std/path/posix/basename";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { type FileTarget, fileTarget } from "../../../base/fs/system_error.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import type { Installation } from "../../mcp/install/clients.ts";
import { findClient, scopeOf } from "../../mcp/install/find_client.ts";
import { fragment, install } from "../../mcp/install/install.ts";
import { ownCommand } from "../../sandbox/executors/own_process.ts";
import { isThere, realPath, realPathIfAny } from "../../sandbox/policy/paths.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { catalogueSize } from "../catalogue/catalogue_size.ts";
import type { Command, CommandLine } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { flagArguments } from "../flag_arguments.ts";
import { promptsDirectory } from "../prompts_directory.ts";
import { writeAll } from "../streams.ts";
import { UsageError } from "../../../base/errors.ts";
import { ownVariable } from "../../own_environment.ts";

/** The options whose value is a path. */
const PATHS = ["root", "state-dir", "config", "tools-dir", "memory-dir", "audit", "prompts"];

/** The flags that select tools. */
const SELECTING = ["bundle", "tools", "no-tools"];
/** The flags that a server takes and a call does not. */
const SERVING = ["all-tools", "upstream-names", "prompts", "verbose"];
/** The bundle of a server without such a flag. All tools would fill a model's context. */
const DEFAULT_BUNDLE = "code_agent";

/**
 * `toolcall mcp install CLIENT`: prints the configuration with which a client starts this program
 * as its MCP server, with the given permission flags. `--write` writes it into the client's file.
 */
export const mcpInstallCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 1, line);
  const client = findClient(operands[0]);
  const { options } = line;
  const scope = scopeOf(client, options.get("scope"));
  if (options.has("print") && options.has("write")) {
    throw new UsageError("The flags --print and --write exclude each other");
  }
  const name = serverName(options);
  // The project is the working directory, even if --root names another one for relative paths.
  const isChosen = SELECTING.some((flag) => options.has(flag));
  const chosen = new Map([...options, ...(isChosen ? [] : [["bundle", DEFAULT_BUNDLE]] as const)]);
  const withoutRoot = new Map([...chosen].filter(([option]) => option !== "root"));
  // Errors that would stop the server at its start are reported now.
  const { cwd, registry, grants } = await process.callOptions({ ...line, options: withoutRoot });
  await promptsDirectory(line, grants);
  const [command, ...before] = ownCommand(process.program);
  const args = [...before, "mcp", ...serverFlags({ ...line, options: chosen }, cwd)];
  const server = {
    command: scope === "project" ? nameInPath(command) : command,
    args,
    ...cacheVariables(),
  };
  const installation = { client, name, server };
  const say = (text: string) => writeAll(process.stderr, `toolcall: ${text}\n`);
  if (!line.grants.all && Object.keys(line.grants.allow).length === 0) {
    await say(
      "No permission flags were given, so the server may do nothing. To let it read this " +
        `project: toolcall mcp install ${client.name} --allow-read=. --bundle=read_only`,
    );
  }
  if (!isChosen) {
    await say(`The server offers the bundle ${DEFAULT_BUNDLE}; --bundle=NAME selects another one`);
  }
  const tools = await registry.list();
  const { tokens } = catalogueSize(tools, registry);
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  await say(`${count} cost about ${tokens} tokens of each conversation (estimated)`);
  try {
    const target = fileTarget(realPath, { given: client.files[scope]!(cwd), action: "write" });
    if (options.has("write")) {
      await writeAll(process.stdout, `${await writeInstallation(installation, target)}\n`);
      await say(`Next: ${client.next}`);
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

/** The name of the server of `--name`. Throws {@link UsageError}. */
export function serverName(options: CommandLine["options"]): string {
  const name = options.get("name") ?? "toolcall";
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  const form = '1 to 64 letters, digits, "_" and "-"';
  throw new UsageError(`The flag --name=${quote(name)} is no name for a server: ${form}`);
}

/**
 * The name of the program if PATH leads to it, else its path. A project's file is shared with
 * machines where the program has another path.
 */
function nameInPath(command: string): string {
  const name = basename(command);
  const real = realPathIfAny(command);
  const directories = (readVariable("PATH") ?? "").split(":").filter((each) =>
    each.startsWith("/")
  );
  const found = directories.map((each) => `${each}/${name}`).find(isThere);
  return found !== undefined && realPathIfAny(found) === real ? name : command;
}

/**
 * Clients start a server with few of the user's variables. Without the variables that name the
 * cache directory, the server would unpack itself again. Some clients do not wait that long.
 */
function cacheVariables(): { env?: Record<string, string> } {
  if (ownVariable("executable") === undefined) return {};
  const set = ["TOOLCALL_CACHE_DIR", "XDG_CACHE_HOME"].flatMap((name) => {
    const value = readVariable(name);
    return value?.startsWith("/") ? [[name, value]] : [];
  });
  return set.length === 0 ? {} : { env: Object.fromEntries(set) };
}

/**
 * The flags of the server. A client starts the server in another directory, so paths become
 * absolute.
 */
function serverFlags({ grants, options }: CommandLine, cwd: string): string[] {
  const absolute = (path: string) => pathRules.resolve(cwd, path);
  const scopes = (given: Grants["allow"]): Grants["allow"] =>
    Object.fromEntries(
      Object.entries(given).map(([kind, scope]) => {
        const isPath = (value: string) =>
          kind === "read" || kind === "write" || kind === "run" && value.includes("/");
        return [kind, scope === true || scope.map((each) => isPath(each) ? absolute(each) : each)];
      }),
    );
  // A name without a slash is looked up in PATH.
  const asking = (value: string) => {
    const program = value.startsWith("exec:") ? value.slice("exec:".length) : "";
    return pathRules.isPath(program) ? `exec:${absolute(program)}` : value;
  };
  const others = [...options].map(([name, value]) => {
    const there = PATHS.includes(name) ? absolute(value) : name === "ask" ? asking(value) : value;
    return [name, there] as const;
  });
  const { allow, deny } = grants;
  const serving = others.filter(([name]) => SERVING.includes(name))
    .map(([name, value]) => value === "" ? `--${name}` : `--${name}=${value}`);
  return [
    ...flagArguments({ ...grants, allow: scopes(allow), deny: scopes(deny) }, new Map(others)),
    ...serving,
  ];
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
