import { rewriteFile } from "../../../base/fs/rewrite_file.ts";
import type { FileTarget } from "../../../base/fs/system_error.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { readJsonMember, setJsonMember } from "../../../base/json/json_member.ts";
import { quote } from "../../../base/text/quote.ts";
import { isThere } from "../../sandbox/policy/paths.ts";
import type { Client, Installation } from "./clients.ts";
import { tomlServer, tomlServerNames, withoutTomlServer, withTomlServer } from "./toml_entry.ts";

/** A client's entry for a server. */
type JsonEntry = Readonly<Record<string, unknown>>;

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
    throw new Error(`its ${quote(name)} is not a server with a command; remove it, or use --name`);
  }
  // Members that the user added to the entry remain, such as the environment.
  const { env: _env, environment: _environment, ...others } = entry;
  const variables = client.isCommandList ? "environment" : "env";
  const members = [
    ...Object.entries(others).map(([key, value]) => [[key], value] as const),
    ...Object.entries(installation.server.env ?? {}).map(([key, value]) =>
      [[variables, key], value] as const
    ),
  ];
  return members.reduce(
    (result, [path, value]) => setJsonMember(result, { path: [...place, ...path], value }),
    text,
  );
}

/** Returns a client's entry for a server. */
function entryOf({ client: { more, isCommandList }, server }: Installation): JsonEntry {
  if (!isCommandList) return { ...more, ...server };
  const { command, args, env } = server;
  return { ...more, command: [command, ...args], ...(env && { environment: env }) };
}

/**
 * Removes a server from the file of a client. Resolves to `"missing"` if the file or the server does
 * not exist. All other bytes remain. Throws as {@link install} does.
 */
export async function uninstall(
  { client, name }: Pick<Installation, "client" | "name">,
  target: FileTarget,
): Promise<"removed" | "missing"> {
  if (!isThere(target.path)) return "missing";
  const { state } = await rewriteFile(target, (text) => {
    if (client.form === "toml") return withoutTomlServer(text, [client.key, name]);
    const path = [client.key, name] as const;
    return readJsonMember(text, path) === undefined
      ? text
      : setJsonMember(text, { path, value: undefined });
  });
  return state === "changed" ? "removed" : "missing";
}

/** The names of the servers in the text of a client's file. Throws for an invalid text. */
export function serverNames(text: string, { form, key }: Client): string[] {
  if (form === "toml") return tomlServerNames(text, key);
  const servers = readJsonMember(text, [key]);
  return isObject(servers) ? Object.keys(servers) : [];
}
