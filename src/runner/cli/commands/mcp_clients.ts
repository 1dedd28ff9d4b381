import { fileTarget } from "../../../base/fs/system_error.ts";
import { UsageError } from "../../../base/errors.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import { workingDirectory } from "../../config/config_files.ts";
import { type Client, clients, type ClientScope } from "../../mcp/install/clients.ts";
import { findClient, scopeOf } from "../../mcp/install/find_client.ts";
import { serverNames, uninstall } from "../../mcp/install/install.ts";
import { realPath } from "../../sandbox/policy/paths.ts";
import type { Command, CommandLine } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { writeAll } from "../streams.ts";
import { serverName } from "./mcp_install.ts";
import { refuseOthers } from "./mcp_remote_server.ts";

/** A file of a client, and whether the server is in it. */
export interface ClientFile {
  /** The client's name. */
  client: string;
  /** The client's name for people. */
  title: string;
  /** Whose file it is. */
  scope: ClientScope;
  /** Its path; `null` if a needed environment variable is not set. */
  file: string | null;
  /** Whether the server is in it, or that the file is missing or cannot be read. */
  state: "installed" | "not installed" | "no file" | "unreadable";
}

/** The files of all known clients, or those of one scope. Throws {@link UsageError}. */
export function clientFiles({ options }: CommandLine): ClientFile[] {
  const name = serverName(options);
  const scope = options.get("scope");
  if (scope !== undefined && scope !== "project" && scope !== "user") {
    throw new UsageError(`Unknown scope ${quote(scope)}; available: project and user`);
  }
  const project = workingDirectory();
  return clients.flatMap((client) =>
    (["project", "user"] as const)
      .filter((each) => client.files[each] !== undefined && (scope ?? each) === each)
      .map((each) => stateOf(client, { scope: each, project, name }))
  );
}

/** `toolcall mcp uninstall CLIENT`: says what `--write` would remove, or removes it. */
export const mcpUninstallCommand: Command = async (line, operands, { stdout, stderr }) => {
  refuseOperands(operands, 1);
  refuseOthers(line, ["name", "scope", "write", "print"], "mcp uninstall");
  if (line.options.has("print") && line.options.has("write")) {
    throw new UsageError("The flags --print and --write exclude each other");
  }
  const client = findClient(operands[0]);
  const scope = scopeOf(client, line.options.get("scope"));
  const name = serverName(line.options);
  const project = workingDirectory();
  try {
    const given = client.files[scope]!(project);
    const [server, file] = [`the server ${quote(name)}`, quotePath(given)];
    if (!line.options.has("write")) {
      const isIn = stateOf(client, { scope, project, name }).state === "installed";
      const text = isIn
        ? `${file} has ${server} of ${client.title}; --write removes it`
        : `Nothing to do: ${file} does not have ${server}`;
      await writeAll(stdout, `${text}\n`);
      return 0;
    }
    const target = fileTarget(realPath, { given, action: "write" });
    const state = await uninstall({ client, name }, target);
    if (state === "missing") {
      await writeAll(stdout, `Nothing to do: ${file} does not have ${server}\n`);
      return 0;
    }
    await writeAll(stdout, `Removed ${server} of ${client.title} from ${file}\n`);
    await writeAll(stderr, `toolcall: Next: ${client.next.replace(/;.*| and .*/, "")}\n`);
    return 0;
  } catch (error) {
    await writeAll(stderr, `toolcall: ${(error as Error).message}\n`);
    return 1;
  }
};

function stateOf(
  client: Client,
  { scope, project, name }: { scope: ClientScope; project: string; name: string },
): ClientFile {
  const entry = { client: client.name, title: client.title, scope };
  let file: string | null = null;
  try {
    file = client.files[scope]!(project);
    const names = serverNames(Deno.readTextFileSync(file).replace(/^\ufeff/, ""), client);
    return { ...entry, file, state: names.includes(name) ? "installed" : "not installed" };
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound ||
      osErrorMessage(error) === "Not a directory";
    return { ...entry, file, state: isMissing ? "no file" : "unreadable" };
  }
}
