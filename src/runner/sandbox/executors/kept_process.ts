import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { ByteLines } from "../../mcp/byte_lines.ts";
import { ownEnvironment } from "../../own_environment.ts";
import type { Program } from "../../program.ts";
import { sandboxState } from "../linux/sandbox_state.ts";
import type { Grants } from "../policy/grants.ts";
import type { ExecutorOutput, Job, ProcessMessage, Ready, RunOptions } from "./executor.ts";
import { ownCommand, spawnOwn } from "./own_process.ts";
import { RemoteExecutor } from "./remote_executor.ts";
import { signalProcess } from "./spawn.ts";
import { endedEarly } from "./start_failure.ts";

/** The longest line that is read of the process, in bytes. */
const MAX_LINE_BYTES = 100_000_000;
/** The time that the process has to end the running job and itself, in milliseconds. */
const END_MS = 3_000;

/** The calls that a process can take: those of the same flags and the same working directory. */
export interface ProcessKind {
  /** This program. */
  program: Program;
  /** The flags as arguments. */
  flags: readonly string[];
  /** The permissions of the flags. */
  grants: Grants;
  /** The working directory. */
  cwd: string;
}

/** Another process of this program, `toolcall run-programs`, which takes jobs that start programs. */
export class KeptProcess {
  /** Resolves when it has entered its sandbox. Rejects with a `CallError` if it cannot. */
  readonly ready: Promise<void>;
  #child: Deno.ChildProcess;
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  #remote: RemoteExecutor;
  #ready: Ready | undefined;
  #isFree = true;
  #isEnded = false;

  /** Starts it with these flags. Throws `unavailable`. */
  constructor(program: Program, flags: readonly string[]) {
    const [path, ...args] = [...ownCommand(program), ...flags, "run-programs"];
    const env = ownEnvironment({ parent: String(Deno.pid) });
    this.#child = spawnOwn(path!, args, { env });
    this.#writer = this.#child.stdin.getWriter();
    const send = (order: unknown) => {
      const line = new TextEncoder().encode(`${JSON.stringify(order)}\n`);
      // The end of the process is noticed by the end of its output.
      this.#writer.write(line).catch(() => {});
    };
    this.#remote = new RemoteExecutor({ send, close: () => this.end() });
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    // Nobody may be waiting for a process that was started in advance.
    this.ready.catch(() => {});
    this.#readAll((message) => {
      if ("ready" in message) {
        this.#ready = message.ready;
        ready.resolve();
      } else if ("free" in message) this.#isFree = true;
      else {
        // Before it is ready, the only answer is the reason why it cannot be.
        if ("code" in message) {
          ready.reject(new CallError(message.code, message.message, message.details));
        }
        this.#remote.receive(message);
      }
    }).catch(() => {}).finally(() => {
      const error = endedEarly(`The process for programs, ${quote(path!)},`);
      ready.reject(error);
      this.#remote.fail(error);
      this.end();
    });
  }

  /** Whether it can take a job: it has none, and nothing of the last one is left. */
  get isFree(): boolean {
    return this.#isFree && !this.#isEnded;
  }

  /** Whether it can take a job of this kind: a new sandbox would be the same as the one it has. */
  isCurrent({ grants, program, cwd }: ProcessKind): boolean {
    if (!this.isFree || this.#ready === undefined) return false;
    const { state, temporary } = this.#ready;
    if (state === "") return true;
    const programDirectory = Deno.realPathSync(program.directory);
    return sandboxState({ grants, programDirectory, temporary, cwd }) === state;
  }

  /** Runs a job. Rejects with a `CallError`. */
  async run(job: Job, options: RunOptions): Promise<ExecutorOutput> {
    this.#isFree = false;
    try {
      return await this.#remote.run(job, options);
    } catch (error) {
      if (this.#isEnded && error instanceof CallError && error.code === "unavailable") {
        throw endedEarly(`The call of ${quote(job.tool)}`);
      }
      throw error;
    }
  }

  /** Ends it, and the running job with its programs. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    // It ends with its input.
    this.#writer.close().catch(() => {});
    const timer = setTimeout(() => signalProcess(this.#child.pid, "SIGKILL"), END_MS);
    Deno.unrefTimer(timer);
    this.#child.status.catch(() => {}).finally(() => clearTimeout(timer));
  }

  async #readAll(take: (message: ProcessMessage) => void): Promise<void> {
    const lines = new ByteLines(MAX_LINE_BYTES);
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stdout) {
      for (const line of lines.add(chunk)) take(JSON.parse(decoder.decode(line)));
    }
  }
}
