/**
 * The lists of servers' tools, in private files of the state directory, one for each configuration
 * of a server. The cache is optional: a file that cannot be read or written is ignored.
 */

import type { ProtocolEra } from "@modelcontextprotocol/client";
import { atomicWrite } from "../../../base/fs/atomic_write.ts";
import { readRegularText } from "../../../base/fs/system_file.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { stateDirectory } from "../../state/state_directory.ts";
import { makePrivateFile } from "../../state/store_file.ts";
import type { ListedTool, ParsedTools } from "./listed_tool.ts";
import type { ServerConfig } from "./server_config.ts";

/** A list is used for a day, in milliseconds. */
const FRESH_MS = 24 * 60 * 60 * 1000;
/** The file of a list is deleted after 30 days, in milliseconds. */
const KEPT_MS = 30 * FRESH_MS;
/** The largest file, in bytes. */
const MAX_BYTES = 2 ** 25;
/** The version of the file format. Files with another version are ignored. */
const FORM = 3;

/** The information about a server that is kept between processes. */
export interface CachedList extends ParsedTools {
  /** Its era of the protocol. */
  era: ProtocolEra;
}

/**
 * Reads the list of a server from the state directory, which is the one that the user named or the
 * usual one. Resolves to `undefined` if the cache has no list from the last day.
 */
export async function readCachedList(
  server: ServerConfig,
  stateDir: string | undefined,
): Promise<CachedList | undefined> {
  try {
    const path = await pathOf(server, cacheDirectory(stateDir));
    const { size, uid, mtime } = Deno.lstatSync(path);
    const age = Date.now() - (mtime?.getTime() ?? 0);
    if (size > MAX_BYTES || uid !== Deno.uid() || !(age >= 0 && age < FRESH_MS)) return undefined;
    const kept: unknown = JSON.parse(readRegularText(path, MAX_BYTES));
    return isCachedList(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Saves the list of a server, for {@link readCachedList}. */
export async function writeCachedList(
  server: ServerConfig,
  list: CachedList,
  stateDir: string | undefined,
): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify({ form: FORM, ...list }));
  if (bytes.length > MAX_BYTES) return;
  try {
    const directory = cacheDirectory(stateDir);
    const path = await pathOf(server, directory);
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
    makePrivateFile(path);
    const like = Deno.lstatSync(path);
    atomicWrite({ path, given: path, action: "write" }, { bytes, like });
    removeOldLists(directory);
  } catch {
    // The next process asks the server again.
  }
}

function cacheDirectory(stateDir: string | undefined): string {
  return `${stateDirectory(stateDir)}/cache/mcp`;
}

/** The name is a hash of the entry before variables are replaced, so it depends on no secret. */
async function pathOf({ name, source }: ServerConfig, directory: string): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([name, source]));
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return `${directory}/${new Uint8Array(hash).toHex()}.json`;
}

function removeOldLists(directory: string): void {
  for (const { name } of Deno.readDirSync(directory)) {
    const path = `${directory}/${name}`;
    const { mtime } = Deno.lstatSync(path);
    if (Date.now() - (mtime?.getTime() ?? 0) > KEPT_MS) Deno.removeSync(path);
  }
}

function isCachedList(value: unknown): value is CachedList {
  if (!isObject(value)) return false;
  const { form, era, tools, problems } = value;
  return form === FORM && (era === "legacy" || era === "modern") && Array.isArray(problems) &&
    problems.every((each) => typeof each === "string") && Array.isArray(tools) &&
    tools.every(isListedTool);
}

function isListedTool(value: unknown): value is ListedTool {
  if (!isObject(value)) return false;
  const { tool, name, title, description = "", inputSchema, readOnly } = value;
  return [tool, name, title, description].every((each) => typeof each === "string") &&
    typeof inputSchema === "object" && inputSchema !== null && typeof readOnly === "boolean";
}
