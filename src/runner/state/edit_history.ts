/** The texts that files had before the edits of a session, so that an edit can be undone. */

import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { editDirectory } from "../sandbox/policy/closed_paths.ts";
import type { KeptEdit } from "../registry/edits_service.ts";
import { stateDirectory } from "./state_directory.ts";

/** The most edits of one file that are kept. */
const MAX_EDITS = 10;
/** The largest text that is kept, in characters of base64: a file of 1 MiB. */
const MAX_TEXT = 1_400_000;
/** The most files whose edits are kept, and their total size in bytes. */
const MAX_FILES = 100;
const MAX_BYTES = 64 * 1024 * 1024;

/** The edits of files in one state directory. No call reads or writes their texts by a path. */
export class EditHistory {
  /** The directory of the texts. */
  readonly directory: string;

  /** Takes the state directory and the session. */
  constructor(state: string, readonly session: string) {
    this.directory = editDirectory(state);
  }

  /** Keeps an edit. An edit of a file that is too large makes the earlier ones useless. */
  async push(file: string, edit: KeptEdit): Promise<void> {
    const record = await this.#record(file);
    const isLarge = (edit.before?.length ?? 0) > MAX_TEXT;
    const edits = isLarge ? [] : [...this.#read(record), edit].slice(-MAX_EDITS);
    this.#write(record, edits);
    this.#prune(record);
  }

  /** The last edit of a file, which stays. */
  async last(file: string): Promise<KeptEdit | undefined> {
    return this.#read(await this.#record(file)).at(-1);
  }

  /** Forgets the last edit of a file. */
  async drop(file: string): Promise<void> {
    const record = await this.#record(file);
    this.#write(record, this.#read(record).slice(0, -1));
  }

  async #record(file: string): Promise<string> {
    const named = new TextEncoder().encode(`${this.session}\0${file}`);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", named));
    return `${this.directory}/${digest.toHex()}.json`;
  }

  #read(record: string): KeptEdit[] {
    try {
      return JSON.parse(Deno.readTextFileSync(record)) as KeptEdit[];
    } catch (error) {
      // A record that another program has damaged is worth nothing.
      if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return [];
      throw unusable(this.directory, error);
    }
  }

  #write(record: string, edits: readonly KeptEdit[]): void {
    try {
      if (edits.length === 0) return removeIfAny(record);
      Deno.mkdirSync(this.directory, { recursive: true, mode: 0o700 });
      const temporary = `${record}.${crypto.randomUUID()}`;
      const options = { createNew: true, mode: 0o600 };
      Deno.writeTextFileSync(temporary, JSON.stringify(edits), options);
      Deno.renameSync(temporary, record);
    } catch (error) {
      throw unusable(this.directory, error);
    }
  }

  /** Removes the oldest records beyond the limits, but not `newest`. */
  #prune(newest: string): void {
    try {
      const records = [...Deno.readDirSync(this.directory)].map(({ name }) => {
        const path = `${this.directory}/${name}`;
        const { size, mtime } = Deno.lstatSync(path);
        return { path, size, changed: path === newest ? Infinity : mtime?.getTime() ?? 0 };
      }).sort((a, b) => b.changed - a.changed);
      let bytes = 0;
      for (const [at, { path, size }] of records.entries()) {
        bytes += size;
        if (at >= MAX_FILES || bytes > MAX_BYTES && path !== newest) removeIfAny(path);
      }
    } catch {
      // Another call removes the same records, or nothing was kept.
    }
  }
}

/** The edits of a session, in the state directory of the flags or the usual one. */
export function openEdits(
  { stateDir, session }: { stateDir?: string; session: string },
): EditHistory {
  return new EditHistory(stateDirectory(stateDir), session);
}

function removeIfAny(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function unusable(directory: string, error: unknown): CallError {
  const why = (error as Error).message;
  return new CallError(
    "unavailable",
    `Cannot keep what an edit replaces in ${quote(directory, 4096)}: ${why}; correct its ` +
      "permissions, or choose another directory with --state-dir=DIR",
  );
}
