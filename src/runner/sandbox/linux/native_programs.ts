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

/** The pipes of a program that is not started yet. */
interface Prepared {
  nothing: number;
  ends: readonly [output: number, errors: number];
  output: Deno.FsFile;
  errors: Deno.FsFile;
}

/** Starts one program of a call and one process beside it. */
export class NativePrograms {
  #prepared: Prepared | undefined;

  private constructor(readonly starter: NativeStarter) {}

  /** Returns `undefined` on other systems than Linux, without the GNU C library, and without /proc. */
  static open(): NativePrograms | undefined {
    const starter = NativeStarter.open();
    return starter && new NativePrograms(starter);
  }

  /** Starts a process beside this one in `/`, with only this environment. Throws an Error. */
  startBeside(command: readonly string[], env: Readonly<Record<string, string>>): Bystander {
    const { starter } = this;
    const [input, output] = [starter.pipe(0), starter.pipe(1)];
    const nothing = starter.openNull();
    try {
      const streams = [input.read, output.write, nothing];
      const pid = starter.spawn(command, { cwd: "/", env, streams, leads: true });
      return {
        pid,
        input: this.#file(input.write, { write: true }),
        output: this.#file(output.read),
      };
    } finally {
      this.#close([...Object.values(input), ...Object.values(output), nothing]);
    }
  }

  /** Opens the pipes of a program, which a thread cannot do any more in the sandbox. */
  prepare(): void {
    const { starter } = this;
    try {
      const [output, errors] = [starter.pipe(0), starter.pipe(1)];
      this.#prepared = {
        nothing: starter.openNull(),
        ends: [output.write, errors.write],
        output: this.#file(output.read),
        errors: this.#file(errors.read),
      };
      this.#close([output.read, errors.read]);
    } catch { /* The runtime starts the program, or tells why it cannot. */ }
  }

  /**
   * Starts the prepared program as the leader of a new session, without input. Returns `undefined`
   * if no program is prepared, or if the system refuses it: the runtime then tells why.
   */
  start(
    command: readonly string[],
    { cwd, env, mergesOutput }: StartOptions,
  ): StartedProgram | undefined {
    if (this.#prepared === undefined) return undefined;
    const { nothing, ends: [out, err], output, errors } = this.#prepared;
    this.#prepared = undefined;
    try {
      const streams = [nothing, out, mergesOutput ? out : err];
      const pid = this.starter.spawn(command, { cwd, env, streams, leads: true });
      const status = this.starter.ended(pid).then(statusOf);
      return { pid, stdout: outputOf(output), stderr: outputOf(errors), status };
    } catch {
      output.close();
      errors.close();
      return undefined;
    } finally {
      this.#close([nothing, out, err]);
    }
  }

  /** Opens what a descriptor leads to as a file of the runtime. */
  #file(descriptor: number, options: Deno.OpenOptions = { read: true }): Deno.FsFile {
    return Deno.openSync(`/proc/self/fd/${descriptor}`, options);
  }

  #close(descriptors: readonly number[]): void {
    for (const descriptor of descriptors) this.starter.call("close", descriptor);
  }
}

/** The most bytes that are read at once: as many as a pipe holds. */
const PIPE_BYTES = 65_536;

/** The output of a program at the end of a pipe. A thread that waits for it cannot be woken, so `cancel` does not wait. */
function outputOf(pipe: Deno.FsFile): ProgramOutput {
  const cancelled = Promise.withResolvers<null>();
  let isClosed = false;
  const close = () => {
    if (!isClosed) pipe.close();
    isClosed = true;
  };
  return {
    async read() {
      if (isClosed) return undefined;
      const bytes = new Uint8Array(PIPE_BYTES);
      const count = await Promise.race([pipe.read(bytes), cancelled.promise]);
      if (count !== null) return bytes.subarray(0, count);
      close();
      return undefined;
    },
    cancel() {
      cancelled.resolve(null);
      close();
      return Promise.resolve();
    },
  };
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
