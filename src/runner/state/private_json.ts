import { atomicWrite } from "../../base/fs/atomic_write.ts";
import { cannot, type FileTarget } from "../../base/fs/system_error.ts";
import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import { quote } from "../../base/text/quote.ts";

/** The largest file that is read, in bytes. */
const MAX_BYTES = 2 ** 20;

/** A file of the state directory with a JSON object. Only the user can read it, and no call can write it. */
export class PrivateJson {
  /** The path of the file. */
  readonly path: string;

  /** `purpose` and `advice` are parts of the error about a file that cannot be used. */
  constructor(
    readonly directory: string,
    readonly name: string,
    readonly words: { purpose: string; advice: string },
  ) {
    this.path = `${directory}/${name}`;
  }

  /**
   * Returns the object, or `undefined` without a file. Throws `unavailable` for a file that somebody
   * else could have written.
   */
  read(): Record<string, unknown> | undefined {
    const info = this.#info();
    if (info === undefined) return undefined;
    const { isFile, uid, mode, size } = info;
    if (!isFile) throw this.#unusable("it is not a regular file");
    if (uid !== Deno.uid()) throw this.#unusable("it belongs to another user");
    if (((mode ?? 0) & 0o077) !== 0) throw this.#unusable("other users can read or write it");
    if (size > MAX_BYTES) throw this.#unusable(`it is larger than ${MAX_BYTES} bytes`);
    try {
      const value: unknown = JSON.parse(Deno.readTextFileSync(this.path));
      if (isObject(value)) return value;
    } catch { /* The error below reports it. */ }
    throw this.#unusable("it is not a JSON object");
  }

  /** Replaces the file. Throws `unavailable` if the system refuses it. */
  write(value: Record<string, unknown>): void {
    const target: FileTarget = { path: this.path, given: this.path, action: "write" };
    const like = { mode: 0o600, uid: Deno.uid(), gid: Deno.gid() };
    const bytes = new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
    try {
      Deno.mkdirSync(this.directory, { recursive: true, mode: 0o700 });
      atomicWrite(target, { bytes, like });
    } catch (error) {
      throw this.#refused("keep", osErrorMessage(error).replace(`${cannot(target)}: `, ""));
    }
  }

  /** Removes the file, if it exists. Throws `unavailable` if the system refuses it. */
  remove(): void {
    if (this.#info() === undefined) return;
    try {
      Deno.removeSync(this.path);
    } catch (error) {
      throw this.#refused("remove", osErrorMessage(error));
    }
  }

  #info(): Deno.FileInfo | undefined {
    try {
      return Deno.lstatSync(this.path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw this.#unusable(osErrorMessage(error));
    }
  }

  #refused(action: "keep" | "remove", why: string): CallError {
    const what = `Cannot ${action} ${this.words.purpose} in ${quote(this.path, 4096)}: ${why}`;
    return new CallError("unavailable", `${what}; choose another directory with --state-dir=DIR`);
  }

  #unusable(why: string): CallError {
    const what = `Cannot use ${this.words.purpose} in ${quote(this.path, 4096)}: ${why}`;
    return new CallError("unavailable", `${what}; ${this.words.advice}`);
  }
}
