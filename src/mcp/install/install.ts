import { dirname } from "@std/path/posix/dirname";
import { atomicWrite } from "../../files/atomic_write.ts";
import { lockFile } from "../../files/file_lock.ts";
import { quotePath } from "../../files/quote_path.ts";
import { type FileTarget, systemError } from "../../files/system_error.ts";
import { quote } from "../../quote.ts";
import type { Client, ServerCommand } from "./clients.ts";
import { jsonMember, withJsonMember } from "./json_entry.ts";
import { tomlServer, withTomlServer } from "./toml_entry.ts";

/** How long another process may hold the file, in milliseconds. */
const LOCK_MS = 10_000;

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
  if (client.form === "toml") return tomlServer({ key: client.key, name, server });
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
  const signal = AbortSignal.timeout(LOCK_MS);
  for (;;) {
    const isNew = makeEmpty(target);
    using locked = await lockFile(target, { signal, read: true });
    // Another process made it, failed and took it away.
    if (locked === undefined) continue;
    try {
      const before = textOf(target);
      const after = merged(before, { ...installation, target });
      if (after === before) return "unchanged";
      atomicWrite(target, { bytes: new TextEncoder().encode(after), like: locked.info });
      return isNew ? "created" : "changed";
    } catch (error) {
      if (isNew) Deno.removeSync(target.path);
      throw error;
    }
  }
}

/** Makes a missing file, which can then be locked: of two that make it, one waits. */
function makeEmpty(target: FileTarget): boolean {
  try {
    Deno.mkdirSync(dirname(target.path), { recursive: true });
    Deno.openSync(target.path, { write: true, createNew: true }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists && isThere(target.path)) return false;
    throw systemError(error, target);
  }
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

function textOf(target: FileTarget): string {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return decoder.decode(Deno.readFileSync(target.path));
  } catch (error) {
    if (error instanceof TypeError) throw unchanged(target, "it is not valid UTF-8");
    throw systemError(error, target);
  }
}

function merged(
  before: string,
  { client, name, server, target }: Installation & { target: FileTarget },
): string {
  const mark = before.startsWith("\ufeff") ? "\ufeff" : "";
  const text = before.slice(mark.length);
  try {
    return mark +
      (client.form === "toml"
        ? withTomlServer(text, { key: client.key, name, server })
        : withJsonServer(text, { client, name, server }));
  } catch (error) {
    throw unchanged(target, (error as Error).message);
  }
}

function unchanged(target: FileTarget, reason: string): Error {
  return new Error(`Cannot change ${quotePath(target.given)}: ${reason}`);
}

function withJsonServer(text: string, { client, name, server }: Installation): string {
  const entry = entryOf(client, server);
  const place = [client.key, name] as const;
  const present = jsonMember(text, place);
  if (present === undefined) return withJsonMember(text, { path: [...place], value: entry });
  if (typeof present !== "object" || present === null || !("command" in present)) {
    throw new Error(`its ${quote(name)} is no server with a command; remove it, or give --name`);
  }
  // What the user added to the entry, such as its environment, stays.
  return Object.entries(entry).reduce(
    (result, [key, value]) => withJsonMember(result, { path: [...place, key], value }),
    text,
  );
}

function entryOf({ more }: Client, { command, args }: ServerCommand): Record<string, unknown> {
  return { ...more, command, args };
}
