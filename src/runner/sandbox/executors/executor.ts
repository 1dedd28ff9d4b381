import type { CallError } from "../../../base/errors.ts";
import type { ContentBlock, StructuredOutput, ToolOutput } from "../../../base/content.ts";
import type { Permission } from "../../registry/define.ts";
import type { ModuleAnswer, ModuleQuestion } from "../../registry/tool_module.ts";
import type { Grants } from "../policy/grants.ts";
import type { PrintLevel, TakePrint } from "./prints.ts";

/** A file that a call was authorised to write, by its real path. */
export type FileToWrite = Omit<Extract<Permission, { name: "write" }>, "name">;

/** The checked addresses of hosts, by `host:port`. */
export type Addresses = Readonly<Record<string, readonly string[]>>;

/** One call as an executor gets it. It is plain data, so that it can go to a Worker. */
export interface Job {
  /** The tool's name. */
  tool: string;
  /** The arguments, checked and complete. */
  args: Record<string, unknown>;
  /** The working directory. */
  cwd: string;
  /** The real path of each path that was authorised, by its absolute spelling. */
  paths: Record<string, string>;
  /** The directories above those paths with a repository, if the call cannot look itself. */
  repositories?: readonly string[];
  /** The files among them that it may write. */
  writes: readonly FileToWrite[];
  /** The permissions of the flags. */
  grants: Grants;
  /** Each `host:port` that was authorised. */
  hosts: string[];
  /** Their checked addresses, if the executor looks them up. */
  addresses?: Addresses;
  /** The directory of `--memory-dir`, a real path. */
  memoryDirectory?: string;
  /** Whether it runs as a background task. */
  background: boolean;
  /** Whether somebody follows the progress of the call. */
  isFollowed: boolean;
  /** Whether its structured data is wanted. */
  structured?: boolean;
  /** Whether its thread entered its sandbox for an earlier job. */
  isSandboxOld?: boolean;
}

/**
 * Answers a request to a service of the engine, by the service's name, such as `store.get`. The
 * request and the answer are plain data. Rejects with a `CallError`.
 */
export type Serve = (service: string, args: unknown[]) => Promise<unknown>;

/** The options of a run. */
export interface RunOptions {
  /** Aborted when the call has to end. */
  signal: AbortSignal;
  /** Answers the tool's requests to the services of the engine. */
  serve: Serve;
  /** Takes what the tool prints. The default is stderr. */
  onPrint?: TakePrint | undefined;
  /** Takes the output of a program while it runs. */
  onOutput?: ((chunk: Uint8Array) => void) | undefined;
}

/** The output of a call, with data about the call itself. */
export interface AnnotatedOutput extends Partial<StructuredOutput> {
  /** The content that a model reads. */
  content: string | ContentBlock[];
  /** The data, under keys that start with `toolcall/`. */
  meta?: Record<`toolcall/${string}`, unknown>;
}

/** The output of an executor: a tool's output, perhaps with data about the call. */
export type ExecutorOutput = ToolOutput | AnnotatedOutput;

/** Runs calls, in the thread or process and under the restrictions that a plan chooses. */
export interface Executor {
  /**
   * Runs the job; rejects with a `CallError`. Aborting the signal tells the tool to end. A job that
   * has ended may be run again, unless its tool starts programs.
   */
  run(job: Job, options: RunOptions): Promise<ExecutorOutput>;
  /** Answers a question about the tool of a module, in the thread that runs the call. */
  ask?(question: ModuleQuestion): Promise<ModuleAnswer>;
  /** Ends the running job at once. */
  close(): void;
  /** Whether the executor enforces the time limit itself and returns a partial result then. */
  enforcesTimeout?: true;
}

/** The Landlock restrictions that a Worker takes on before its first job. */
export interface WorkerLandlock {
  /** The directory of the program's own files, a real path, which stays readable. */
  programDirectory: string;
  /** Whether further jobs follow, so that the restrictions are not those of the first job alone. */
  isKept: boolean;
}

/** A failure as plain data. */
export type Failure = Pick<CallError, "code" | "message" | "details">;

/** A request of a Worker to a service of the engine. */
export interface Ask {
  /** The question's number. */
  ask: number;
  /** The service's name. */
  service: string;
  /** The arguments of the request. */
  args: unknown[];
}

/** A print of a tool in a Worker. */
export interface Printed {
  /** Its urgency, in MCP's words. */
  level: PrintLevel;
  /** The printed text. */
  print: string;
}

/** The answer to the request of that number. */
export type Reply = { reply: number; value: unknown } | { reply: number; error: Failure };

/** A message to a Worker: a job, an answer to its request, or the order to stop. */
export type Order = { job: Job; landlock?: WorkerLandlock; helperPath?: string | undefined } | {
  stop: { message: string; name: string };
} | Reply;

/** The answer of a Worker or a process to a job, with the stack of the tool's own error. */
export type Answer = { output: ExecutorOutput } | Failure & { stack?: string };

/** The start of a process that takes jobs: the sandbox that it has entered, as a text, if any. */
export interface Ready {
  /** See `sandboxState`; `""` without a sandbox. */
  state: string;
  /** The directory for temporary files that the sandbox opens; `""` without one. */
  temporary: string;
}

/** A message of a process that takes jobs. It says `free` before an answer if it can take another. */
export type ProcessMessage = Answer | Ask | Printed | { ready: Ready } | { free: true };
