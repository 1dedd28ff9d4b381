import { rewriteFile } from "../../../base/fs/rewrite_file.ts";
import type { FileTarget } from "../../../base/fs/system_error.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { readJsonMember, setJsonMember } from "../../../base/json/json_member.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Installation, ServerCommand } from "./clients.ts";
import { tomlServer, withTomlServer } from "./toml_entry.ts";

/** Returns a configuration of the client that contains only this server, as text. */
export function fragment(installation: Installation): string {
  const { client, name } = installation;
  if (client.form === "toml") return tomlServer(installation);
  return `${JSON.stringify({ [client.key]: { [name]: entryOf(installation) } }, null, 2)}\n`;
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
  const withServer = installation.client.form === "toml" ? withTomlServer : withJsonServer;
  return (await rewriteFile(target, (text) => withServer(text, installation))).state;
}

function withJsonServer(text: string, installation: Installation): string {
  const { client, name } = installation;
  const entry = entryOf(installation);
  const place = [client.key, name] as const;
  const present = readJsonMember(text, place);
  if (present === undefined) return setJsonMember(text, { path: place, value: entry });
  if (!isObject(present) || !("command" in present)) {
    throw new Error(`its ${quote(name)} is no server with a command; remove it, or give --name`);
  }
  // Members that the user added to the entry remain, such as the environment.
  const { env = {}, ...others } = entry;
  const members = [
    ...Object.entries(others).map(([key, value]) => [[key], value] as const),
    ...Object.entries(env).map(([key, value]) => [["env", key], value] as const),
  ];
  return members.reduce(
    (result, [path, value]) => setJsonMember(result, { path: [...place, ...path], value }),
    text,
  );
}

/** Returns a client's entry for a server. */
function entryOf({ client: { more }, server }: Installation): ServerCommand {
  return { ...more, ...server };
}
