/**
 * The tokens of MCP servers, in private files of the state directory: one for each server, address
 * and key `oauth`. No call reads the directory. With a keyring, the secrets in the files are
 * encrypted by its key.
 */

import { delay } from "@std/async/delay";
import { CallError } from "../../../base/errors.ts";
import { lockIfAny } from "../../../base/error_code.ts";
import { atomicWrite } from "../../../base/fs/atomic_write.ts";
import { readRegularText } from "../../../base/fs/system_file.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { quotePath } from "../../../base/text/quote.ts";
import { tokenDirectory } from "../../sandbox/policy/closed_paths.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { stateDirectory } from "../../state/state_directory.ts";
import { keyMissing, keyringKey } from "./keyring.ts";
import {
  FORM,
  isStored,
  type StoredFile,
  type StoredInfo,
  type TokenRecord,
} from "./token_record.ts";

/** The largest file, in bytes. */
const MAX_BYTES = 2 ** 20;
/** The longest pause before a lock is tried again, in milliseconds. */
const MAX_PAUSE_MS = 50;
/** The length of the nonce of AES-GCM, in bytes. */
const NONCE_BYTES = 12;

/** The store in one state directory. */
export class TokenStore {
  /** The directory of the files. */
  readonly directory: string;
  #key: CryptoKey | undefined;

  /** Takes the state directory that the user named, or the usual one. */
  constructor(stateDir: string | undefined, readonly grants: Grants) {
    this.directory = tokenDirectory(stateDirectory(stateDir));
  }

  /** Reads a record. Throws `unavailable` for a file that others could use, or without its key. */
  async read(id: string, advice: string): Promise<TokenRecord | undefined> {
    const value = this.#parse(this.pathOf(id));
    if (value === undefined) return undefined;
    const { secrets, sealed, ...info } = value;
    if (sealed === undefined) return { ...info, secrets: secrets ?? {} };
    const key = await this.#keyringKey({ make: false });
    const bytes = Uint8Array.fromBase64(sealed);
    const iv = bytes.subarray(0, NONCE_BYTES);
    try {
      if (key === undefined) throw new Error("no key");
      const plain = await crypto.subtle.decrypt(
        { name: "AES-GCM", iv },
        key,
        bytes.subarray(NONCE_BYTES),
      );
      return { ...info, secrets: JSON.parse(new TextDecoder().decode(plain)) };
    } catch {
      throw keyMissing(info.server, advice);
    }
  }

  /** Replaces a record. Resolves to whether its secrets are encrypted by the system's keyring. */
  async write(id: string, { secrets, ...info }: TokenRecord): Promise<boolean> {
    const key = await this.#keyringKey({ make: true });
    const kept = key === undefined
      ? { secrets }
      : { sealed: await seal(JSON.stringify(secrets), key) };
    this.#prepareDirectory();
    const path = this.pathOf(id);
    const like = { mode: 0o600, uid: Deno.uid(), gid: Deno.gid() };
    const hasToken = secrets.accessToken !== undefined;
    const canRefresh = secrets.refreshToken !== undefined;
    const all = { form: FORM, ...info, hasToken, canRefresh, ...kept };
    const bytes = new TextEncoder().encode(JSON.stringify(all));
    atomicWrite({ path, given: path, action: "write" }, { bytes, like });
    return key !== undefined;
  }

  /** Removes a record. Returns whether there was one. */
  remove(id: string): boolean {
    try {
      Deno.removeSync(this.pathOf(id));
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
  }

  /** All records without their secrets, by their file names. */
  all(): Map<string, StoredInfo> {
    const found = new Map<string, StoredInfo>();
    for (const name of this.#names()) {
      const path = `${this.directory}/${name}`;
      const value = this.#parse(path);
      if (value === undefined) continue;
      const { secrets: _, sealed, ...info } = value;
      found.set(name.replace(".json", ""), { ...info, isEncrypted: sealed !== undefined, path });
    }
    return found;
  }

  /**
   * Waits until no other call, in this process or another, has the lock of a record. The system
   * releases it when the process ends. Rejects with the reason of the signal.
   */
  async lock(id: string, signal: AbortSignal): Promise<Disposable> {
    this.#prepareDirectory();
    const path = `${this.directory}/${id}.lock`;
    const file = Deno.openSync(path, { write: true, create: true, mode: 0o600 });
    try {
      for (let pause = 2;; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
        signal.throwIfAborted();
        if (lockIfAny(() => file.tryLockSync(true))) {
          return { [Symbol.dispose]: () => file.close() };
        }
        // A random pause keeps many waiting processes from trying at the same time.
        await delay(pause * (0.5 + Math.random()));
      }
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** The file of a record. */
  pathOf(id: string): string {
    return `${this.directory}/${id}.json`;
  }

  #names(): string[] {
    try {
      return [...Deno.readDirSync(this.directory)].map(({ name }) => name)
        .filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw this.#unusable(this.directory, osErrorMessage(error));
    }
  }

  #parse(path: string): StoredFile | undefined {
    try {
      const { isFile, uid, mode } = Deno.lstatSync(path);
      if (!isFile) throw new Error("it is not a regular file");
      if (uid !== Deno.uid()) throw new Error("it belongs to another user");
      if (((mode ?? 0) & 0o077) !== 0) throw new Error("other users can read or write it");
      const value: unknown = JSON.parse(readRegularText(path, MAX_BYTES));
      return isStored(value) ? value : undefined;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw this.#unusable(path, osErrorMessage(error));
    }
  }

  /** Makes the directory. Throws `unavailable` if other users could enter it. */
  #prepareDirectory(): void {
    try {
      Deno.mkdirSync(this.directory, { recursive: true, mode: 0o700 });
      const { isDirectory, uid, mode } = Deno.lstatSync(this.directory);
      if (!isDirectory || uid !== Deno.uid()) throw new Error("it belongs to another user");
      if (((mode ?? 0) & 0o077) !== 0) throw new Error("other users can enter it");
    } catch (error) {
      throw this.#unusable(this.directory, osErrorMessage(error));
    }
  }

  #unusable(path: string, why: string): CallError {
    const advice = "correct its permissions, or remove it and log in again";
    return new CallError("unavailable", `Cannot use ${quotePath(path)}: ${why}; ${advice}`);
  }

  async #keyringKey(options: { make: boolean }): Promise<CryptoKey | undefined> {
    if (this.#key !== undefined) return this.#key;
    const bytes = await keyringKey(this.grants, options);
    if (bytes === undefined) return undefined;
    const usages: KeyUsage[] = ["encrypt", "decrypt"];
    return this.#key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, usages);
  }
}

async function seal(text: string, key: CryptoKey): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const bytes = new TextEncoder().encode(text);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, bytes);
  return new Uint8Array([...iv, ...new Uint8Array(sealed)]).toBase64();
}
