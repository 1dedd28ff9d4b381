import { CallError } from "../../../base/errors.ts";
import { AT_FDCWD, type Kernel, pathBytes } from "../linux/kernel.ts";

const [O_DIRECTORY_CLOEXEC, AT_REMOVEDIR] = [0o2000000, 0x200];
const MODE = 0o700;
/** Enough for the names of the extended attributes of a directory, in bytes. */
const MAX_NAMES_BYTES = 4_096;

/**
 * The directories for temporary files of calls that follow one another in one process. Each is new,
 * in a directory that the sandbox opens. They are made and removed through a descriptor, because
 * the runtime has given up the permission to write by then.
 */
export class CallDirectories {
  #kernel: Kernel;
  #path: string;
  #descriptor: number;
  #attributes: string;
  #count = 0;

  /** Takes the directory that has them all. Must be made before the sandbox is entered. */
  constructor(kernel: Kernel, path: string) {
    this.#kernel = kernel;
    this.#path = path;
    // The slash at the end makes openat fail unless this is a directory.
    this.#descriptor = kernel.call("openat", AT_FDCWD, pathBytes(`${path}/`), O_DIRECTORY_CLOEXEC);
    this.#attributes = this.#attributeNames();
  }

  /** Makes the directory of the next call and returns its path. Throws `unavailable`. */
  begin(): string {
    this.#count++;
    if (this.#kernel.call("mkdirat", this.#descriptor, this.#name(), MODE) === 0) {
      return `${this.#path}/${this.#count}`;
    }
    throw new CallError("unavailable", "Cannot create a private directory for the call; try again");
  }

  /**
   * Removes the directory of the last call. Returns whether the call left nothing: no file, and no
   * change of the directory above, whose mode and attributes the next directory would inherit.
   */
  end(): boolean {
    const removed = this.#kernel.call("unlinkat", this.#descriptor, this.#name(), AT_REMOVEDIR);
    if (removed !== 0) return false;
    try {
      const { isDirectory, mode } = Deno.lstatSync(this.#path);
      return isDirectory && ((mode ?? 0) & 0o7777) === MODE &&
        this.#attributeNames() === this.#attributes &&
        [...Deno.readDirSync(this.#path)].length === 0;
    } catch {
      return false;
    }
  }

  /** The name of the call's directory. */
  #name(): Uint8Array<ArrayBuffer> {
    return pathBytes(String(this.#count));
  }

  #attributeNames(): string {
    const names = new Uint8Array(MAX_NAMES_BYTES);
    const length = this.#kernel.call("flistxattr", this.#descriptor, names, names.length);
    return length < 0 ? "unknown" : new TextDecoder().decode(names.subarray(0, length));
  }
}
