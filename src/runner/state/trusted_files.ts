import { sha256 } from "@noble/hashes/sha2.js";
import { isObject } from "../../base/json/is_object.ts";
import { PrivateJson } from "./private_json.ts";

/**
 * The configuration files whose content the user trusts: their paths and the SHA-256 of their texts. A
 * text that was changed by anybody else is not trusted any more.
 */
export class TrustedFiles {
  readonly #file: PrivateJson;

  /** Takes the state directory. */
  constructor(directory: string) {
    this.#file = new PrivateJson(directory, "trusted.json", {
      purpose: "the list of trusted files",
      advice: 'remove the file, and run "toolcall config trust" again',
    });
  }

  /** The path of the list. */
  get path(): string {
    return this.#file.path;
  }

  /** Whether this text is trusted at this path. Throws `unavailable` for a list that cannot be used. */
  has(path: string, text: string): boolean {
    const hashes = this.#hashes();
    return Object.hasOwn(hashes, path) && hashes[path] === hashOf(text);
  }

  /** Adds a file, or its new text. */
  add(path: string, text: string): void {
    this.#file.write({ files: { ...this.#hashes(), [path]: hashOf(text) } });
  }

  /** Removes a file. Returns whether it was trusted with any text. */
  remove(path: string): boolean {
    const { [path]: removed, ...others } = this.#hashes();
    if (removed !== undefined) this.#file.write({ files: others });
    return removed !== undefined;
  }

  #hashes(): Record<string, unknown> {
    const files = this.#file.read()?.["files"];
    return isObject(files) ? files : {};
  }
}

function hashOf(text: string): string {
  return sha256(new TextEncoder().encode(text)).toHex();
}
