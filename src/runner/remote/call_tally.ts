/** Counts the calls of a worker, for the services protocol and for OpenMetrics. */

import type { CallResult } from "../call/failure.ts";

/** The calls of one tool. */
export interface ToolTally {
  /** The number of calls. */
  calls: number;
  /** The number of failed calls. */
  errors: number;
  /** The time of all calls together, in milliseconds. */
  ms: number;
  /** The text of the last failure. */
  lastError?: string;
  /** The number of calls by code; `ok` for success. */
  codes: Map<string, number>;
}

/** The counts of a worker, by tool. */
export class CallTally {
  /** The time when counting began. */
  readonly started = new Date();
  /** The counts by tool. */
  readonly tools = new Map<string, ToolTally>();

  /** Counts a call with its duration in milliseconds. */
  add(tool: string, result: CallResult, ms: number): void {
    let own = this.tools.get(tool);
    if (own === undefined) {
      own = { calls: 0, errors: 0, ms: 0, codes: new Map() };
      this.tools.set(tool, own);
    }
    const code = result._meta?.["toolcall/error"]?.code ?? "ok";
    own.calls++;
    own.ms += ms;
    own.codes.set(code, (own.codes.get(code) ?? 0) + 1);
    if (!result.isError) return;
    own.errors++;
    const [first] = result.content;
    own.lastError = first?.type === "text" ? first.text.slice(0, 200) : code;
  }
}
