import { readJsonMember, setJsonMember } from "../../../base/json/json_member.ts";
import { rewriteFile } from "../../../base/fs/rewrite_file.ts";
import type { FileTarget } from "../../../base/fs/system_error.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Client, ServerCommand } from "./clients.ts";
import { tomlServer, withTomlServer } from "./toml_entry.ts";

/** A server under its name in a client's configuration. */
export interface Installation {
  /** Whose configuration it is. */
  client: Client;
  /** The server's name: letters, digits, `_` and `-`. */
  name: string;
  /** How it is started. */
  server: ServerCommand;
}

/** The configuration of a client that has this one server and nothing else, as text. */
export function fragment({ client, name, server }: Installation): string {
  if (client.form === "toml") return tomlServer({ ...client, name, server });
  return `${JSON.stringify({ [client.key]: { [name]: entryOf(client, server) } }, null, 2)}\n`;
}

/**
 * Puts a server into a client's file, made if it is missing, and says whether that was
 * `"created"`, `"changed"` or needed nothing: `"unchanged"`. The file is replaced as a
 * whole and keeps its mode; what else it holds keeps its bytes. Throws a readable error,
 * for a file that is not valid above all, and then the file is as it was.
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
  // What the user added to the entry, such as its environment, stays.
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
