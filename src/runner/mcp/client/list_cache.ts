import { atomicWrite } from "../../../base/fs/atomic_write.ts";
import { makePrivateFile } from "../../state/store_file.ts";
import { stateFolder } from "../../state/state_folder.ts";
import { readRegularText } from "../../../base/fs/regular_file.ts";
import type { Era } from "./greet.ts";
import type { ListedTool } from "./listed_tool.ts";
import type { ServerConfig } from "./server_config.ts";

/** How long a list is taken for what the server has, and how long its file stays, in milliseconds. */
const [FRESH_MS, KEPT_MS] = [24 * 60 * 60 * 1000, 30 * 24 * 60 * 60 * 1000];
/** The longest file, in bytes. */
const LONGEST = 2 ** 25;
/** What another version of this program has written is not read. */
const FORM = 2;

/** What is kept of a server between processes. */
export interface CachedList {
  /** The way in which a connection to it begins. */
  era: Era;
  /** Its tools. */
  tools: ListedTool[];
  /** What was left out of them, in words. */
  problems: string[];
}

/**
 * The lists of servers' tools on the disk, in private files of the state folder, each by its
 * server's configuration. None of it is needed: what cannot be read or written is not there.
 */
export class ListCache {
  #stateDir: string | undefined;

  /** Takes the folder of what outlives a call, where one was named. */
  constructor(stateDir: string | undefined) {
    this.#stateDir = stateDir;
  }

  /** The list of a server, if one is kept that is no more than a day old. */
  async read(server: ServerConfig): Promise<CachedList | undefined> {
    try {
      const path = await this.#path(server);
      const { size, uid, mtime } = Deno.lstatSync(path);
      const age = Date.now() - (mtime?.getTime() ?? 0);
      if (size > LONGEST || uid !== Deno.uid() || !(age >= 0 && age < FRESH_MS)) return undefined;
      const kept: unknown = JSON.parse(readRegularText(path, LONGEST));
      return isCachedList(kept) ? kept : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps a list. */
  async write(server: ServerConfig, list: CachedList): Promise<void> {
    const bytes = new TextEncoder().encode(JSON.stringify({ form: FORM, ...list }));
    if (bytes.length > LONGEST) return;
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

  /** By the entry as it is written: a variable in it stands for a secret that stays out of this. */
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
