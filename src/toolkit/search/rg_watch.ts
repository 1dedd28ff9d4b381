/**
 * Detects a blocked ripgrep: it opens any file named like an ignore file, even a pipe or device.
 */

import { fileTypeOf } from "../../base/fs/system_file.ts";

/** The interval between checks, in milliseconds. */
const LOOK_MS = 250;

/** Checks at intervals whether a process of ripgrep is blocked. */
export class RgWatch {
  readonly #pid: number;
  readonly #timer: ReturnType<typeof setInterval>;
  #asleep = new Map<string, string>();

  /** Starts the checks. `stuck` is called at each check that finds the process blocked. */
  constructor(pid: number, stuck: () => void) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#isStuck() && stuck(), LOOK_MS);
  }

  /** Reports output: a process that waits for its output to be read is not blocked. */
  hasMoved(): void {
    this.#asleep.clear();
  }

  /** Stops the checks. */
  close(): void {
    clearInterval(this.#timer);
  }

  #isStuck(): boolean {
    try {
      return this.#readsNoFile() || this.#sleepsOn();
    } catch {
      // The process has ended, or /proc is not available: then the time limit applies.
      return false;
    }
  }

  /**
   * Returns whether it has opened something other than a file; inherited descriptors do not count.
   */
  #readsNoFile(): boolean {
    const directory = `/proc/${this.#pid}/fd`;
    return [...Deno.readDirSync(directory)].some(({ name }) => {
      if (Number(name) <= 2 || isInherited(`${directory}/${name}`, name)) return false;
      const kind = fileTypeOf(Deno.statSync(`${directory}/${name}`));
      return kind !== "file" && kind !== "directory";
    });
  }

  /** Returns whether one of its threads has slept since the last check, as in a blocked open. */
  #sleepsOn(): boolean {
    const before = this.#asleep;
    this.#asleep = new Map(this.#sleepers());
    return [...this.#asleep].some(([thread, switches]) => before.get(thread) === switches);
  }

  /** The sleeping threads, with the number of times that each has gone to sleep. */
  *#sleepers(): Generator<[thread: string, switches: string]> {
    const directory = `/proc/${this.#pid}/task`;
    const threads = [...Deno.readDirSync(directory)].map(({ name }) => name);
    for (const thread of threads) {
      // The first thread only waits for the others, if there are others.
      if (threads.length > 1 && thread === String(this.#pid)) continue;
      const status = Deno.readTextFileSync(`${directory}/${thread}/status`);
      const switches = /^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1];
      if (switches !== undefined && /^State:\s*S/m.test(status)) yield [thread, switches];
    }
  }
}

function isInherited(path: string, descriptor: string): boolean {
  try {
    return Deno.readLinkSync(path) === Deno.readLinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return false;
  }
}
