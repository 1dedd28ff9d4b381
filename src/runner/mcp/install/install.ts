import { readJsonMember, setJsonMember } from "../../../base/json/json_member.ts";
import { rewriteFile } from "../../../base/fs/rewrite_file.ts";
import type { FileTarget } from "../../../base/fs/system_error.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Client, ServerCommand } from "./clients.ts";
import { tomlServer, withTomlServer } from "./toml_entry.ts";

/** A server, its name, and the client whose configuration gets it. */
export interface Installation {
  /** The client to configure. */
  client: Client;
  /** The server's name: letters, digits, `_` and `-`. */
  name: string;
  /** The command that starts it. */
  server: ServerCommand;
}

/** Returns a configuration of the client that contains only this server, as text. */
export function fragment({ client, name, server }: Installation): string {
  if (client.form === "toml") return tomlServer({ ...client, name, server });
  return `${JSON.stringify({ [client.key]: { [name]: entryOf(client, server) } }, null, 2)}\n`;
}

/**
 * Adds a server to the file of a client, and creates the file if it is missing. Resolves to
 * `"created"`, `"changed"` or `"unchanged"`. The file is replaced atomically and keeps its mode; all
 * other bytes remain. Throws a readable error, for example if the file is invalid, and then leaves
 * the file unchanged.
 */
export async function install(
  installation: Installation,
  target: FileTarget,
): Promise<"created" | "changed" | "unchanged"> {
  const { state } = await rewriteFile(target, (text) => merged(text, installation));
  return state;
}

function merged(text: string, { client, name, server }: Installation): string {
  return client.form === "toml"
    ? withTomlServer(text, { ...client, name, server })
    : withJsonServer(text, { client, name, server });
}

function withJsonServer(text: string, { client, name, server }: Installation): string {
  const { env = {}, ...entry } = entryOf(client, server);
  const place = [client.key, name] as const;
  const present = readJsonMember(text, place);
  if (present === undefined) {
    return setJsonMember(text, { path: [...place], value: entryOf(client, server) });
  }
  if (typeof present !== "object" || present === null || !("command" in present)) {
    throw new Error(`its ${quote(name)} is no server with a command; remove it, or give --name`);
  }
  // Members that the user added to the entry remain, such as the environment.
  const members = [
    ...Object.entries(entry).map(([key, value]) => [[key], value] as const),
    ...Object.entries(env).map(([key, value]) => [["env", key], value] as const),
  ];
  return members.reduce(
    (result, [path, value]) => setJsonMember(result, { path: [...place, ...path], value }),
    text,
  );
}

/** A client's entry for a server. */
interface Entry {
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

function entryOf({ more }: Client, server: ServerCommand): Entry {
  return { ...more, ...server };
}
