/**
 * A phase of a call: `find` the tool, `validate` the arguments, `authorise` by the flags, prepare the
 * `sandbox`, and `run`.
 */
export type CallPhase = "find" | "validate" | "authorise" | "sandbox" | "run";

/** A call as it is given to the process that exports it. It has nothing that a caller wrote. */
export interface RecordedCall {
  /** The tool's name; `unknown` if no tool was found. */
  tool: string;
  /** The error code; `ok` for a success. */
  code: string;
  /** The executor that ran the call, if one did. */
  executor?: string;
  /** The time of its begin, in milliseconds since 1970. */
  begin: number;
  /** The time of its end. */
  end: number;
  /** The trace context of the caller, as W3C's `traceparent`. */
  trace?: string;
  /** Its phases, in order. */
  phases: RecordedPhase[];
}

/** A phase of a call. */
export interface RecordedPhase {
  /** Its name. */
  name: CallPhase;
  /** The time of its begin, in milliseconds since 1970. */
  begin: number;
  /** The time of its end. */
  end: number;
}
