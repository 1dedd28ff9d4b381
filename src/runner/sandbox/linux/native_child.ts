/**
 * A program that the C library starts, without the runtime's own processes. Those need a permission
 * for programs, a timer and an event for each piece: a cold call takes milliseconds longer with
 * them.
 */

import type { HelperPiece } from "../../registry/tool_context.ts";
import type { NativeStarter } from "./native_starter.ts";

const CLOSE_RANGE_CLOEXEC = 4;
const [F_SETFL, F_SETOWN, F_SETSIG, F_SETPIPE_SZ, O_ASYNC] = [4, 8, 10, 1031, 0o20000];
const SIGKILL = 9;
const WNOHANG = 1;

/** How long messages wait for output, in milliseconds, and the size of their pipe, in bytes. */
const [MESSAGES_MS, MESSAGES_BYTES] = [5, 1024 * 1024];

/** How long a program may take to end after it has closed its output, in milliseconds. */
const MAX_END_MS = 1_000;
/** How long to wait before the next look at it, in milliseconds. */
const WAIT_MS = 0.1;

/** Starts a program without an environment, in the directory `cwd`. Throws an Error. */
export function startNative(
  starter: NativeStarter,
  command: readonly string[],
  cwd: string,
): NativeChild {
  const [life, output, messages] = [starter.pipe(0), starter.pipe(1), starter.pipe(2)];
  starter.call("close_range", 3, 0xffffffff, CLOSE_RANGE_CLOEXEC);
  starter.call("fcntl", messages.write, F_SETPIPE_SZ, MESSAGES_BYTES);
  // The kernel kills the program when this process ends in any way, because nobody else has the
  // other end of its stdin.
  starter.call("fcntl", life.read, F_SETFL, O_ASYNC);
  starter.call("fcntl", life.read, F_SETSIG, SIGKILL);
  try {
    const pid = starter.spawn(command, {
      cwd,
      streams: [life.read, output.write, messages.write],
    });
    const [a = 0, b = 0, c = 0] = starter.key;
    starter.call("fcntl", life.read, F_SETOWN, pid, a, b, c);
    const pipes = { output: output.read, messages: messages.read, life: life.write };
    return new NativeChild(starter, pid, pipes);
  } catch (error) {
    for (const end of [life.write, output.read, messages.read]) starter.call("close", end);
    throw error;
  } finally {
    for (const end of [life.read, output.write, messages.write]) starter.call("close", end);
  }
}

/** A program that was started, with the ends of its pipes. */
export class NativeChild {
  #status: number | undefined;
  #open: number[];

  /** Takes its process ID, and the descriptors of its stdout, its stderr and its life. */
  constructor(
    readonly starter: NativeStarter,
    readonly pid: number,
    readonly pipes: { output: number; messages: number; life: number },
  ) {
    this.#open = [pipes.output, pipes.messages];
  }

  /**
   * The next piece of its output, or `undefined` if none comes within `ms` milliseconds or it has
   * ended.
   */
  read(ms: number): HelperPiece | undefined {
    const { output, messages } = this.pipes;
    for (let left = ms; !this.hasEnded; left -= MESSAGES_MS) {
      // Messages come word by word, so they are taken together, after some time or at the end.
      const isOpen = this.#open.includes(output);
      const wait = isOpen ? Math.min(left, MESSAGES_MS) : left;
      const ready = this.starter.poll([isOpen ? output : messages], wait) === 0;
      const mayHave = isOpen && !ready && this.#open.includes(messages);
      const hasMessages = mayHave && this.starter.poll([messages], 0) === 0;
      if (!ready && !hasMessages) {
        if (left <= wait) return undefined;
        continue;
      }
      const descriptor = hasMessages || !isOpen ? messages : output;
      const bytes = this.starter.read(descriptor);
      if (bytes.length > 0) return { bytes, isMessage: descriptor === messages };
      this.starter.call("close", descriptor);
      this.#open = this.#open.filter((each) => each !== descriptor);
    }
    return undefined;
  }

  /** Whether all of its output was read. */
  get hasEnded(): boolean {
    return this.#open.length === 0;
  }

  /** The time that it has used the processor, in nanoseconds. */
  processorTime(): bigint {
    return this.starter.processorTime(this.pid);
  }

  /** Waits for its end, which follows the end of its output, and returns its status. */
  status(): { code: number; signal: number | null } {
    const { starter, pid } = this;
    for (let waited = 0; this.#status === undefined && waited < MAX_END_MS; waited += WAIT_MS) {
      this.#status = starter.wait(pid, WNOHANG);
      if (this.#status === undefined) starter.poll([], WAIT_MS);
    }
    this.close();
    const status = this.#status!;
    const signal = status & 0x7f;
    return { code: signal === 0 ? status >> 8 : 128 + signal, signal: signal || null };
  }

  /** Kills it if it still runs, and gives back what the system keeps for it. */
  close(): void {
    const { starter, pid, pipes } = this;
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const end of [...this.#open, pipes.life]) starter.call("close", end);
    this.#open = [];
    if (this.#status !== undefined) return;
    starter.call("kill", pid, SIGKILL);
    this.#status = starter.wait(pid, 0) ?? SIGKILL;
  }

  #isClosed = false;
}
