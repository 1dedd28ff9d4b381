import type { ProtocolEra } from "@modelcontextprotocol/client";
import { atomicWrite } from "../../../base/fs/atomic_write.ts";
import { makePrivateFile } from "../../state/store_file.ts";
import { stateFolder } from "../../state/state_folder.ts";
import { readRegularText } from "../../../base/fs/system_file.ts";
import type { ListedTool } from "./listed_tool.ts";
import type { ServerConfig } from "./server_config.ts";

/** A list is used for a day, in milliseconds. */
const FRESH_MS = 24 * 60 * 60 * 1000;
/** The file of a list is deleted after 30 days, in milliseconds. */
const KEPT_MS = 30 * FRESH_MS;
/** The largest file, in bytes. */
const MAX_BYTES = 2 ** 25;
/** The version of the file format. Files with another version are ignored. */
const FORM = 2;

/** The information about a server that is kept between processes. */
export interface CachedList {
  /** Its era of the protocol. */
  era: ProtocolEra;
  /** Its tools. */
  tools: ListedTool[];
  /** Messages about tools that were left out. */
  problems: string[];
}

/**
 * The lists of servers' tools, in private files of the state directory, one for each configuration
 * of a server. The cache is optional: a file that cannot be read or written is ignored.
 */
export class ListCache {
  #stateDir: string | undefined;

  /** Takes the state directory, if the user named one. */
  constructor(stateDir: string | undefined) {
    this.#stateDir = stateDir;
  }

  /** Reads the list of a server. Resolves to `undefined` if the cache has no list from the last day. */
  async read(server: ServerConfig): Promise<CachedList | undefined> {
    try {
      const path = await this.#path(server);
      const { size, uid, mtime } = Deno.lstatSync(path);
      const age = Date.now() - (mtime?.getTime() ?? 0);
      if (size > MAX_BYTES || uid !== Deno.uid() || !(age >= 0 && age < FRESH_MS)) return undefined;
      const kept: unknown = JSON.parse(readRegularText(path, MAX_BYTES));
      return isCachedList(kept) ? kept : undefined;
    } catch {
      return undefined;
    }
  }

  /** Saves the list of a server. */
  async write(server: ServerConfig, list: CachedList): Promise<void> {
    const bytes = new TextEncoder().encode(JSON.stringify({ form: FORM, ...list }));
    if (bytes.length > MAX_BYTES) return;
    try {
      const path = await this.#path(server);
      Deno.mkdirSync(this.#folder(), { recursive: true, mode: 0o700 });
      makePrivateFile(path);
      const like = Deno.lstatSync(path);
      atomicWrite({ path, given: path, action: "write" }, { bytes, like });
      this.#tidy();
    } catch {
      // The next process asks the server again.
    }
  }

  #folder(): string {
    return `${stateFolder(this.#stateDir)}/cache/mcp`;
  }

  /** The name is a hash of the entry before variables are replaced, so it depends on no secret. */
  async #path({ name, source }: ServerConfig): Promise<string> {
    const bytes = new TextEncoder().encode(JSON.stringify([name, source]));
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return `${this.#folder()}/${
      [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("")
    }.json`;
  }

  #tidy(): void {
    for (const { name } of Deno.readDirSync(this.#folder())) {
      const path = `${this.#folder()}/${name}`;
      const { mtime } = Deno.lstatSync(path);
      if (Date.now() - (mtime?.getTime() ?? 0) > KEPT_MS) Deno.removeSync(path);
    }
  }
}

function isCachedList(value: unknown): value is CachedList {
  if (typeof value !== "object" || value === null) return false;
  const { form, era, tools, problems } = value as CachedList & { form: unknown };
  return form === FORM && (era === "legacy" || era === "modern") && Array.isArray(problems) &&
    problems.every((each) => typeof each === "string") && Array.isArray(tools) &&
    tools.every(isListedTool);
}

function isListedTool(value: unknown): value is ListedTool {
  if (typeof value !== "object" || value === null) return false;
  const { tool, name, title, description = "", inputSchema, readOnly } = value as ListedTool;
  return [tool, name, title, description].every((each) => typeof each === "string") &&
    typeof inputSchema === "object" && inputSchema !== null && typeof readOnly === "boolean";
}
