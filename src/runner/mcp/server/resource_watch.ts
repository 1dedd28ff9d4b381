import { delay } from "@std/async/delay";
import type { CallOptions } from "../../call/call.ts";
import { CallError } from "../../../base/errors.ts";
import { decide } from "../../sandbox/policy/grants.ts";
import { realPathIfAny } from "../../sandbox/policy/paths.ts";
import { pathsOfResource } from "./resources.ts";

/** The pause between two looks at the watched files, in milliseconds. */
const LOOK_MS = 500;
/** The most resources that one client watches. */
const MAX_WATCHED = 200;

/** A watched file: its path, and how it was at the last look. */
interface WatchedFile {
  path: string;
  state: string;
}

/**
 * Tells when watched resources change. It looks at the files from time to time: so a file can be
 * missing at first, be replaced, and lie on any file system.
 */
export class ResourceWatch {
  #files = new Map<string, WatchedFile[]>();
  #isLooking = false;

  /** Takes the options of the calls, and a receiver of the addresses of changed resources. */
  constructor(readonly options: CallOptions, readonly onChanged: (uri: string) => void) {}

  /** Watches a resource. Rejects with a `CallError` for one that the flags do not let calls read. */
  async add(uri: string): Promise<void> {
    if (this.#files.has(uri)) return;
    if (this.#files.size >= MAX_WATCHED) {
      const why = `${MAX_WATCHED} resources are the most; unsubscribe from another one`;
      throw new CallError("unavailable", `Cannot watch the resource: ${why}`);
    }
    const paths = await pathsOfResource(uri, this.options);
    this.#files.set(uri, paths.map((path) => ({ path, state: this.#stateOf(path) })));
    void this.#look();
  }

  /** Watches a resource no more. */
  remove(uri: string): void {
    this.#files.delete(uri);
  }

  /** Watches nothing more. */
  close(): void {
    this.#files.clear();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#files.size > 0) {
      await delay(LOOK_MS, { persistent: false });
      for (const [uri, files] of this.#files) {
        const states = files.map(({ path }) => this.#stateOf(path));
        if (states.every((state, at) => state === files[at]!.state)) continue;
        states.forEach((state, at) => files[at]!.state = state);
        this.onChanged(uri);
      }
    }
    this.#isLooking = false;
  }

  /** Describes a file. A file that may not be read by now is like a missing one. */
  #stateOf(path: string): string {
    const real = realPathIfAny(path);
    if (real === undefined) return "";
    if (!decide({ name: "read", path: real }, this.options.grants).granted) return "";
    try {
      const { ino, size, mtime, ctime } = Deno.statSync(real);
      return [real, ino, size, mtime?.getTime(), ctime?.getTime()].join();
    } catch {
      return "";
    }
  }
}
