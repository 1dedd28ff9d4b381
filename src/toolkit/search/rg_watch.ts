/** ripgrep opens whatever has the name of an ignore file, and a named pipe or device holds it up. */

import { fileTypeOf } from "../../base/fs/regular_file.ts";

/** How long ripgrep is left alone before each look, in milliseconds. */
const LOOK_MS = 250;

/** Looks after a process of ripgrep from time to time. */
export class RgWatch {
  readonly #pid: number;
  readonly #timer: ReturnType<typeof setInterval>;
  #asleep = new Map<string, string>();

  /** Starts looking. `stuck` is called, again and again, while something holds the process up. */
  constructor(pid: number, stuck: () => void) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#isStuck() && stuck(), LOOK_MS);
  }

  /** Takes note of output: a process that waits for its output to be taken is not stuck. */
  hasMoved(): void {
    this.#asleep.clear();
  }

  /** Stops looking. */
  close(): void {
    clearInterval(this.#timer);
  }

  #isStuck(): boolean {
    try {
      return this.#readsNoFile() || this.#sleepsOn();
    } catch {
      // It has ended, or the system does not tell: then the time limit ends it.
      return false;
    }
  }

  /** Whether it has something open that is no file, besides what every program of ours inherits. */
  #readsNoFile(): boolean {
    const folder = `/proc/${this.#pid}/fd`;
    return [...Deno.readDirSync(folder)].some(({ name }) => {
      if (Number(name) <= 2 || isInherited(`${folder}/${name}`, name)) return false;
      const kind = fileTypeOf(Deno.statSync(`${folder}/${name}`));
      return kind !== "file" && kind !== "folder";
    });
  }

  /** Whether a thread of it has slept from one look to the next, as one does that waits in an open. */
  #sleepsOn(): boolean {
    const before = this.#asleep;
    this.#asleep = new Map(this.#sleepers());
    return [...this.#asleep].some(([thread, switches]) => before.get(thread) === switches);
  }

  /** The threads that sleep, with how often each has gone to sleep so far. */
  *#sleepers(): Generator<[thread: string, switches: string]> {
    const folder = `/proc/${this.#pid}/task`;
    const threads = [...Deno.readDirSync(folder)].map(({ name }) => name);
    for (const thread of threads) {
      // The first thread waits for the others, where there are others.
      if (threads.length > 1 && thread === String(this.#pid)) continue;
      const status = Deno.readTextFileSync(`${folder}/${thread}/status`);
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
