/** The C library's way to start programs, and memory for it. */

import { asWord, WORD } from "../../../base/fs/c_library.ts";

const FUNCTIONS = {
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64", WORD], result: "i64" },
  posix_spawn: { parameters: ["i64", "i64", "i64", "i64", "i64", WORD], result: "i32" },
  posix_spawn_file_actions_init: { parameters: [WORD], result: "i32" },
  posix_spawn_file_actions_destroy: { parameters: [WORD], result: "i32" },
  posix_spawn_file_actions_adddup2: { parameters: ["i64", "i32", WORD], result: "i32" },
  posix_spawn_file_actions_addchdir_np: { parameters: ["i64", WORD], result: "i32" },
  posix_spawnattr_setflags: { parameters: ["i64", WORD], result: "i32" },
  posix_spawnattr_setsigdefault: { parameters: ["i64", WORD], result: "i32" },
  /** `waitpid(2)`, which another thread waits in. */
  waitpid: { parameters: ["i32", "buffer", "i32"], result: "i32", nonblocking: true },
  /** `read(2)`, which another thread waits in. */
  readLater: {
    name: "read",
    parameters: ["i32", "buffer", "i64"],
    result: "i32",
    nonblocking: true,
  },
} as const;

const NUMBERS = {
  // deno-fmt-ignore
  x86_64: {
    read: 0, close: 3, wait4: 61, kill: 62, fcntl: 72, clock_gettime: 228, openat: 257, ppoll: 271,
    pipe2: 293, close_range: 436,
  },
  // deno-fmt-ignore
  aarch64: {
    read: 63, close: 57, wait4: 260, kill: 129, fcntl: 25, clock_gettime: 113, openat: 56, ppoll: 73,
    pipe2: 59, close_range: 436,
  },
};

type SystemCall = keyof typeof NUMBERS["x86_64"];
/** The two descriptors of a pipe. */
export interface Pipe {
  /** The end that is read. */
  read: number;
  /** The end that is written. */
  write: number;
}

/** How a program is started. */
interface SpawnOptions {
  /** The working directory. */
  cwd: string;
  /** The descriptors that become its first streams. */
  streams: readonly number[];
  /** Its environment. */
  env?: Readonly<Record<string, string>>;
  /** Whether it leads a new session, and gets no ignored SIGPIPE and no blocked signal from here. */
  leads?: boolean;
}

/** The most bytes that are read at once: as many as a pipe holds. */
const PIPE_BYTES = 65_536;
const [O_RDWR, O_CLOEXEC] = [2, 0o2000000];
const POLLIN = 1;
/** The threads that wait for the end and the two outputs of a program, and one more. */
const WAITING_THREADS = 4;
const SIGPIPE = 13;
/** `POSIX_SPAWN_SETSIGDEF`, `POSIX_SPAWN_SETSIGMASK` and `POSIX_SPAWN_SETSID`. */
const LEADER_FLAGS = 0x04 | 0x08 | 0x80;

/**
 * The parts of the memory that the system reads and writes, by their offsets. `ATTRIBUTES` stays
 * zero but for what the C library sets, so its mask of blocked signals is empty.
 */
const [NUMBER, PIPES, CLOCK, POLLED, TIME, ACTIONS] = [0, 16, 48, 64, 96, 128];
const [ATTRIBUTES, SIGNALS] = [256, 768];
const [ARGUMENTS, OUTPUT, BYTES] = [1024, 1024 + 512 * 1024, 1024 + 768 * 1024];

/** Starts programs, one after the other, through the C library. Its memory belongs to the program that was started last. */
export class NativeStarter {
  /** Words that the filter of system calls wants behind the arguments of `fcntl`, if there is one. */
  key: readonly number[] = [];
  readonly #library: Deno.DynamicLibrary<typeof FUNCTIONS>["symbols"];
  readonly #bytes = new Uint8Array(BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #at: number;

  private constructor(library: Deno.DynamicLibrary<typeof FUNCTIONS>["symbols"]) {
    this.#library = library;
    this.#at = Number(Deno.UnsafePointer.value(Deno.UnsafePointer.of(this.#bytes)));
  }

  /**
   * Loads the functions, which stay usable when the thread gives up native code. Returns `undefined`
   * on other systems than Linux, without the GNU C library 2.29, and without the permission.
   */
  static open(): NativeStarter | undefined {
    if (Deno.build.os !== "linux") return undefined;
    try {
      return new NativeStarter(Deno.dlopen("libc.so.6", FUNCTIONS).symbols);
    } catch {
      return undefined;
    }
  }

  /** Makes the pipe of that number, from 0 to 2. Throws an Error. */
  pipe(index: number): Pipe {
    const offset = PIPES + 8 * index;
    if (this.call("pipe2", this.#at + offset, O_CLOEXEC) < 0) {
      throw new Error("no more pipes can be opened");
    }
    const end = (at: number) => this.#view.getInt32(at, true);
    return { read: end(offset), write: end(offset + 4) };
  }

  /** Opens `/dev/null` for reading and writing. Throws an Error. */
  openNull(): number {
    const [path] = this.#texts(["/dev/null"]);
    const descriptor = this.call("openat", 0, path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) throw new Error("/dev/null cannot be opened");
    return descriptor;
  }

  /**
   * Starts a program by its path and arguments. Without `env`, its environment is empty. Returns its
   * process ID. Throws an Error with the reason.
   */
  spawn(
    command: readonly string[],
    { cwd, streams, env = {}, leads = false }: SpawnOptions,
  ): number {
    const [actions, library] = [this.#at + ACTIONS, this.#library];
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const [directory, ...put] = this.#texts([cwd, ...command, ...variables]);
    // The two lists lie one behind the other, each with a zero at its end.
    const list = this.#addresses([
      ...put.slice(0, command.length),
      0,
      ...put.slice(command.length),
      0,
    ]);
    library.posix_spawn_file_actions_init(asWord(actions));
    library.posix_spawn_file_actions_addchdir_np(BigInt(actions), asWord(directory!));
    streams.forEach((end, index) =>
      library.posix_spawn_file_actions_adddup2(BigInt(actions), end, asWord(index))
    );
    const attributes = leads ? this.#leaderAttributes() : 0;
    const environment = asWord(list + 8 * (command.length + 1));
    const [number, path, from] = [this.#at + NUMBER, put[0]!, list].map(BigInt);
    const fault = library.posix_spawn(
      ...[number!, path!, BigInt(actions), BigInt(attributes), from!] as const,
      environment,
    );
    library.posix_spawn_file_actions_destroy(asWord(actions));
    if (fault !== 0) throw new Error(`the system refuses it (error ${fault})`);
    return this.#view.getInt32(NUMBER, true);
  }

  #leaderAttributes(): number {
    const [attributes, signals] = [this.#at + ATTRIBUTES, this.#at + SIGNALS];
    this.#view.setUint32(SIGNALS, 1 << SIGPIPE - 1, true);
    this.#library.posix_spawnattr_setsigdefault(BigInt(attributes), asWord(signals));
    this.#library.posix_spawnattr_setflags(BigInt(attributes), asWord(LEADER_FLAGS));
    return attributes;
  }

  #end = ARGUMENTS;

  /** Writes texts with a NUL into the memory. Returns their addresses. */
  #texts(texts: readonly string[]): number[] {
    this.#end = ARGUMENTS;
    const encoder = new TextEncoder();
    return texts.map((text) => {
      const start = this.#end;
      const { read, written } = encoder.encodeInto(text, this.#bytes.subarray(start, OUTPUT - 1));
      if (read < text.length || text.includes("\0")) throw new Error("an argument is too long");
      this.#end = start + written + 1;
      this.#bytes[this.#end - 1] = 0;
      return this.#at + start;
    });
  }

  #addresses(addresses: readonly number[]): number {
    const start = (this.#end + 7) & ~7;
    if (start + 8 * addresses.length > OUTPUT) throw new Error("there are too many arguments");
    addresses.forEach((each, index) =>
      this.#view.setBigUint64(start + 8 * index, BigInt(each), true)
    );
    return this.#at + start;
  }

  /** Makes a system call. */
  call(name: SystemCall, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0): number {
    const number = BigInt(NUMBERS[Deno.build.arch][name]);
    const words = [BigInt(a), BigInt(b), BigInt(c), BigInt(d), BigInt(e)] as const;
    return Number(this.#library.syscall(number, ...words, asWord(f)));
  }

  /**
   * Waits until one of the open descriptors has something to read, for `ms` milliseconds at most.
   * Returns its index, or -1.
   */
  poll(descriptors: readonly number[], ms: number): number {
    descriptors.forEach((descriptor, index) => {
      this.#view.setInt32(POLLED + 8 * index, descriptor, true);
      this.#view.setInt32(POLLED + 8 * index + 4, POLLIN, true);
    });
    this.#view.setBigInt64(TIME, BigInt(Math.floor(ms / 1_000)), true);
    this.#view.setBigInt64(TIME + 8, BigInt(Math.floor(ms % 1_000 * 1e6)), true);
    const { length } = descriptors;
    if (this.call("ppoll", this.#at + POLLED, length, this.#at + TIME) <= 0) return -1;
    return descriptors.findIndex((_, index) =>
      this.#view.getInt16(POLLED + 8 * index + 6, true) !== 0
    );
  }

  /** Reads what is there. The bytes are valid until the next reading; empty at the end. */
  read(descriptor: number): Uint8Array<ArrayBuffer> {
    const count = this.call("read", descriptor, this.#at + OUTPUT, BYTES - OUTPUT);
    return this.#bytes.subarray(OUTPUT, OUTPUT + Math.max(0, count));
  }

  /** Resolves with the next bytes of a pipe, or with none when nobody has its other end any more. */
  readNext(descriptor: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(PIPE_BYTES);
    // This function keeps the memory until the system has written it, also if nobody awaits it.
    const take = (count: number) => bytes.subarray(0, Math.max(0, count));
    return this.#library.readLater(descriptor, bytes, BigInt(bytes.length)).then(take);
  }

  /** Resolves with the status of a child when it has ended, in the form of `wait(2)`. */
  async ended(pid: number): Promise<number> {
    const status = new Int32Array(1);
    const found = await this.#library.waitpid(pid, new Uint8Array(status.buffer), 0);
    if (found !== pid) throw new Error(`the system does not tell how process ${pid} has ended`);
    return status[0]!;
  }

  /**
   * Makes the threads that later wait for programs, before this thread enters a sandbox. A thread that
   * it makes later is in the sandbox, where programs can send signals to it.
   */
  async makeWaitingThreads(): Promise<void> {
    const { read, write } = this.pipe(2);
    // As long as the pipe is open, each of them waits in another thread.
    const waits = Array.from(
      { length: WAITING_THREADS },
      () => this.#library.readLater(read, new Uint8Array(1), 1n),
    );
    this.call("close", write);
    await Promise.all(waits);
    this.call("close", read);
  }

  /** Returns the status of a child that has ended, in the form of `wait(2)`. */
  wait(pid: number, flags: number): number | undefined {
    const ended = this.call("wait4", pid, this.#at + NUMBER, flags) === pid;
    return ended ? this.#view.getInt32(NUMBER, true) : undefined;
  }

  /** The time that a process has used the processor, in nanoseconds. */
  processorTime(pid: number): bigint {
    // The clock of a process, as `clock_getcpuclockid(3)` makes it.
    const failed = this.call("clock_gettime", ~pid << 3 | 2, this.#at + CLOCK) !== 0;
    if (failed) return -1n;
    const [seconds, nanoseconds] = [CLOCK, CLOCK + 8].map((at) => this.#view.getBigInt64(at, true));
    return seconds! * 1_000_000_000n + nanoseconds!;
  }
}
