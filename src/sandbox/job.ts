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

/** A call on its way. */
export interface Running {
  /** What the tool returns; rejects with a `CallError`. */
  content: Promise<string | ContentBlock[]>;
  /** Ends it at once, whatever it does. */
  stop(): void;
}

/** What a Worker is told: a job, once, and later perhaps to stop. */
export type Order = { job: Job } | { stop: { message: string; name: string } };

/** What a Worker answers. */
export type Answer =
  | { content: string | ContentBlock[] }
  | { code: FailureCode; message: string; details: Record<string, unknown> };
