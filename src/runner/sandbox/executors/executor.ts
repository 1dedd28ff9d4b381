import type { FailureCode } from "../../../base/errors.ts";
import type { ContentBlock, StructuredOutput, ToolOutput } from "../../../base/content.ts";
import type { Grants } from "../policy/grants.ts";
import type { PrintLevel, TakePrint } from "./prints.ts";

/** A file that a call was authorised to write. */
export interface FileToWrite {
  /** Its real path. */
  path: string;
  /** The folder in which those are made that are missing on the way to it; else none is. */
  foldersIn?: string;
}

/** The checked addresses of hosts, by `host:port`. */
export type Addresses = Readonly<Record<string, readonly string[]>>;

/** One call as a Worker gets it: plain data. */
export interface Job {
  /** The tool's name. */
  tool: string;
  /** The arguments, checked and complete. */
  args: Record<string, unknown>;
  /** The working folder. */
  cwd: string;
  /** The real path of each path that was authorised, by its absolute spelling. */
  paths: Record<string, string>;
  /** The directories above those that hold a repository, where the call cannot look itself. */
  repositories?: readonly string[];
  /** The files among them that it may write. */
  writes: readonly FileToWrite[];
  /** What the flags allow. */
  grants: Grants;
  /** Each `host:port` that was authorised. */
  hosts: string[];
  /** Their checked addresses, where the call runs in a place that looks them up. */
  addresses?: Addresses;
  /** Whether it runs as a background task. */
  background: boolean;
  /** Whether somebody is told how far the call is. */
  isFollowed: boolean;
  /** Whether its structured data is wanted. */
  structured?: boolean;
}

/**
 * Does what a service of the engine is asked for, by its name, such as `store.get`.
 * What goes in and comes out is plain data. Rejects with a `CallError`.
 */
export type Serve = (service: string, args: unknown[]) => Promise<unknown>;

/** What goes with a job. */
export interface RunOptions {
  /** Aborted when the call has to end. */
  signal: AbortSignal;
  /** What the engine does for the tool meanwhile. */
  serve: Serve;
  /** Takes what the tool prints; without it that goes to stderr. */
  onPrint?: TakePrint | undefined;
}

/** The output of a call, with data about the call itself. */
export interface AnnotatedOutput extends Partial<StructuredOutput> {
  /** The content that a model reads. */
  content: string | ContentBlock[];
  /** The data, under keys that start with `toolcall/`. */
  meta: Record<`toolcall/${string}`, unknown>;
}

/** The output of a place: a tool's output, perhaps with data about the call. */
export type ExecutorOutput = ToolOutput | AnnotatedOutput;

/** Where a call runs. */
export interface Executor {
  /**
   * Runs the job; rejects with a `CallError`. Aborting the signal tells the tool to end. One that
   * has ended may be run again, but for that of a tool that starts programs.
   */
  run(job: Job, options: RunOptions): Promise<ExecutorOutput>;
  /** Ends what runs there at once. */
  close(): void;
  /** Whether what runs there keeps the time limit itself and tells what it had by then. */
  enforcesTimeout?: true;
}

/** The kernel's wall, as a Worker is told to enter it before its first job. */
export interface WorkerLandlock {
  /** The folder of the program's own files, a real path, which stays readable. */
  programFolder: string;
}

/** A failure as plain data. */
export interface Failure {
  /** Its kind. */
  code: FailureCode;
  /** The text for people. */
  message: string;
  /** Data for programs. */
  details: Record<string, unknown>;
}

/** A question of a Worker's for a service of the engine. */
export interface Ask {
  /** The question's number. */
  ask: number;
  /** The service's name. */
  service: string;
  /** What it is asked with. */
  args: unknown[];
}

/** A print of a tool in a Worker. */
export interface Printed {
  /** How urgent it is. */
  level: PrintLevel;
  /** The printed text. */
  print: string;
}

/** The answer to the question of that number. */
export type Reply = { reply: number; value: unknown } | { reply: number; error: Failure };

/** What a Worker is told: a job, answers to its questions, and perhaps to stop. */
export type Order = { job: Job; landlock?: WorkerLandlock } | {
  stop: { message: string; name: string };
} | Reply;

/** What a Worker answers. */
export type Answer = { output: ToolOutput } | Failure;
