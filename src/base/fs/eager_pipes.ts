import { asWord, loadCLibrary } from "./c_library.ts";

/** Events of `poll(2)`: something can be read or the end has come, and something can be written. */
const [POLLIN, POLLOUT, POLLHUP] = [1, 4, 16];

/**
 * The bytes that can be written without waiting once the system says that some can be. It says so for
 * a pipe if that has room for a page, and for a socket if that has room for many.
 */
const WRITABLE_BYTES = 4096;

/** Waits for the events in a `struct pollfd`, for the time in a `struct timespec`. */
type Poll = (events: Uint8Array<ArrayBuffer>, time: Uint8Array<ArrayBuffer>) => number;

/**
 * Asks the system whether a descriptor can be read or written without waiting. Asking, and reading in
 * this thread, takes a fifth of the time of an asynchronous read, which wakes two threads.
 */
class Readiness {
  readonly #poll: Poll;
  readonly #request = new DataView(new ArrayBuffer(8));
  readonly #bytes = new Uint8Array(this.#request.buffer);
  readonly #time = new BigInt64Array(2);
  readonly #timeBytes = new Uint8Array(this.#time.buffer);

  private constructor(poll: Poll) {
    this.#poll = poll;
  }

  /** Loads the system's function. Returns `undefined` where {@link loadCLibrary} does. */
  static load(): Readiness | undefined {
    const symbols = loadCLibrary("ppoll")?.symbols;
    return symbols &&
      new Readiness((events, time) => symbols.ppoll(events, 1n, time, asWord(0)));
  }

  /** Whether `descriptor` can be read, or has ended, within so many microseconds. */
  isReadable(descriptor: number, microseconds: number): boolean {
    return this.#wait(descriptor, POLLIN, microseconds);
  }

  /** Whether {@link WRITABLE_BYTES} can be written to `descriptor` without waiting. */
  isWritable(descriptor: number): boolean {
    return this.#wait(descriptor, POLLOUT, 0);
  }

  #wait(descriptor: number, events: number, microseconds: number): boolean {
    this.#request.setInt32(0, descriptor, true);
    this.#request.setInt16(4, events, true);
    this.#request.setInt16(6, 0, true);
    this.#time[1] = BigInt(microseconds) * 1000n;
    if (this.#poll(this.#bytes, this.#timeBytes) !== 1) return false;
    return (this.#request.getInt16(6, true) & (events | POLLHUP)) !== 0;
  }
}

/** The descriptors of this process. */
const [STDIN, STDOUT] = [0, 1];
/**
 * How long this thread waits for the next bytes of somebody who has all answers, in microseconds.
 * Most send them in that time.
 */
const NEXT_US = 200;
/** After so many reads in a row, signals and timers have their turn. */
const MAX_IN_ROW = 100;

/** The part of stdin and of stdout that is used here. */
interface Stdin {
  read(buffer: Uint8Array): Promise<number | null>;
  readSync(buffer: Uint8Array): number | null;
}
interface Stdout {
  writeSync(data: Uint8Array): number;
}

/** Reads stdin and writes stdout in this thread while nothing else is to be done there. */
export class EagerPipes {
  readonly #readiness = Readiness.load();
  #inRow = 0;

  /** Reads what comes next. `isWaiting` tells that this process has nothing else to do. */
  async read(
    stdin: Stdin,
    buffer: Uint8Array,
    isWaiting: () => boolean,
  ): Promise<number | null> {
    // The answers that are ready are written first.
    await null;
    const isEager = this.#inRow++ < MAX_IN_ROW && isWaiting();
    if (isEager && this.#readiness?.isReadable(STDIN, NEXT_US)) return stdin.readSync(buffer);
    this.#inRow = 0;
    return await stdin.read(buffer);
  }

  /** Writes a few bytes if that can be done without waiting. Returns how many it has written. */
  write(stdout: Stdout, bytes: Uint8Array): number {
    if (bytes.length > WRITABLE_BYTES || !this.#readiness?.isWritable(STDOUT)) return 0;
    return stdout.writeSync(bytes);
  }
}
