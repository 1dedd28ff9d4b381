/**
 * Programs that the C library starts for a call. The first use of the runtime's own processes costs
 * 3 ms, and each of them 1 ms more than these.
 */

import type { ProgramOutput } from "../../../base/program_output.ts";
import { NativeStarter } from "./native_starter.ts";

/** A program that was started. */
export interface StartedProgram {
  /** The number of its process, which leads a session and a group. */
  readonly pid: number;
  /** Its stdout. */
  readonly stdout: ProgramOutput;
  /** Its stderr. */
  readonly stderr: ProgramOutput;
  /** Resolves when it has ended. */
  readonly status: Promise<{ code: number; signal: string | null }>;
}

/** A process beside this one that is read and written. */
export interface Bystander {
  /** The number of its process. */
  readonly pid: number;
  /** Its stdin. */
  readonly input: Deno.FsFile;
  /** Its stdout. */
  readonly output: Deno.FsFile;
}

/** The options of a start. */
interface StartOptions {
  /** The working directory. */
  cwd: string;
  /** The environment. */
  env: Readonly<Record<string, string>>;
  /** Whether its stderr is the same pipe as its stdout. */
  mergesOutput: boolean;
}

/** Starts the programs of calls, and one process beside them. */
export class NativePrograms {
  /** The stdin of a program without input. It is opened before the sandbox is entered. */
  readonly #nothing: number;

  private constructor(readonly starter: NativeStarter) {
    this.#nothing = starter.openNull();
  }

  /** Returns `undefined` on other systems than Linux, and without the GNU C library. */
  static open(): NativePrograms | undefined {
    const starter = NativeStarter.open();
    try {
      return starter && new NativePrograms(starter);
    } catch {
      return undefined;
    }
  }

  /** Starts a process beside this one in `/`, with only this environment. Throws an Error. */
  startBeside(command: readonly string[], env: Readonly<Record<string, string>>): Bystander {
    const { starter } = this;
    const [input, output] = [starter.pipe(0), starter.pipe(1)];
    try {
      const streams = [input.read, output.write, this.#nothing];
      const pid = starter.spawn(command, { cwd: "/", env, streams, leads: true });
      return {
        pid,
        input: this.#file(input.write, { write: true }),
        output: this.#file(output.read),
      };
    } finally {
      this.#close([...Object.values(input), ...Object.values(output)]);
    }
  }

  /**
   * Starts a program as the leader of a new session, without input. Returns `undefined` if the system
   * refuses it: the runtime then tells why.
   */
  start(
    command: readonly string[],
    { cwd, env, mergesOutput }: StartOptions,
  ): StartedProgram | undefined {
    const { starter } = this;
    const open = new Set<number>();
    const openPipe = (index: number) => {
      const pipe = starter.pipe(index);
      open.add(pipe.read).add(pipe.write);
      return pipe;
    };
    try {
      const [output, errors] = [openPipe(0), openPipe(1)];
      const streams = [this.#nothing, output.write, mergesOutput ? output.write : errors.write];
      const pid = starter.spawn(command, { cwd, env, streams, leads: true });
      const status = starter.ended(pid).then(statusOf);
      for (const end of [output.read, errors.read]) open.delete(end);
      return {
        pid,
        stdout: this.#outputOf(output.read),
        stderr: this.#outputOf(errors.read),
        status,
      };
    } catch {
      return undefined;
    } finally {
      this.#close([...open]);
    }
  }

  /** The output of a program at the end of a pipe. */
  #outputOf(pipe: number): ProgramOutput {
    let isOver = false;
    let waiting: { resolve(bytes: undefined): void } | undefined;
    return {
      read: () => {
        if (isOver) return Promise.resolve(undefined);
        const next = Promise.withResolvers<Uint8Array | undefined>();
        waiting = next;
        this.starter.readNext(pipe).then((bytes) => {
          waiting = undefined;
          isOver ||= bytes.length === 0;
          if (isOver) this.#close([pipe]);
          next.resolve(bytes.length === 0 ? undefined : bytes);
        });
        return next.promise;
      },
      // A thread that waits for the pipe cannot be woken. Until it returns, the number of the pipe must
      // not be given to another one.
      cancel: () => {
        if (!isOver && waiting === undefined) this.#close([pipe]);
        isOver = true;
        waiting?.resolve(undefined);
        return Promise.resolve();
      },
    };
  }

  /** Opens what a descriptor leads to as a file of the runtime. */
  #file(descriptor: number, options: Deno.OpenOptions = { read: true }): Deno.FsFile {
    return Deno.openSync(`/proc/self/fd/${descriptor}`, options);
  }

  #close(descriptors: readonly number[]): void {
    for (const descriptor of descriptors) this.starter.call("close", descriptor);
  }
}

/** The numbers of signals that are told by name (`signal(7)`), the same on x86-64 and aarch64. */
// deno-fmt-ignore
const SIGNALS = [
  "", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
  "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU",
  "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

/** The status of `wait(2)` in the runtime's form. */
function statusOf(status: number): { code: number; signal: string | null } {
  const signal = status & 0x7f;
  if (signal === 0) return { code: status >> 8 & 0xff, signal: null };
  return { code: 128 + signal, signal: `SIG${SIGNALS[signal] ?? signal}` };
}
