import type { FailureCode } from "../call_error.ts";
import type { ContentBlock } from "../registry/define.ts";
import type { Grants } from "./grants.ts";

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
  /** What the flags allow. */
  grants: Grants;
}

/** Where a call runs. */
export interface Place {
  /** Runs the job; rejects with a `CallError`. Aborting `signal` tells the tool to end. */
  run(job: Job, signal: AbortSignal): Promise<string | ContentBlock[]>;
  /** Ends what runs there at once. */
  close(): void;
}

/** What a Worker is told: a job, once, and later perhaps to stop. */
export type Order = { job: Job } | { stop: { message: string; name: string } };

/** What a Worker answers. */
export type Answer =
  | { content: string | ContentBlock[] }
  | { code: FailureCode; message: string; details: Record<string, unknown> };
