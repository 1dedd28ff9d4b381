/** The part of a call's audit line that comes from the process that ran it. */
export interface AuditDetails {
  /** The tool's name; `null` if no tool was found. */
  tool: string | null;
  /** The name in the call, if it differs from the tool's. */
  asked?: string;
  /** The arguments, bounded and without secrets; `null` if the call has none. */
  arguments: unknown;
  /** The permissions that it needs, each with the decision; `null` if it failed before that. */
  needs: unknown[] | null;
  /** The executor that ran the call; `null` if the call did not run. */
  plan: string | null;
  /** The state of each sandbox layer; `null` if the call failed before it. */
  sandbox: {
    flags: "granted" | "refused" | null;
    runtime: "entered" | "open" | null;
    kernel: "entered" | "open" | "none" | null;
  };
  /** The sandbox layer that refused the call; `null` if none did. */
  refusedBy: "flags" | "runtime" | "kernel" | null;
}

/** The audit line of a call, as data. */
export interface AuditRecord extends AuditDetails {
  /** The time of the call, in ISO 8601 and UTC. */
  time: string;
  /** The error code; `null` for a success. */
  code: string | null;
  /** The exit code. */
  exit: number;
  /** Its duration, in milliseconds. */
  durationMs: number;
  /** The session. */
  session: string;
  /** The process id of the process that answered it. */
  pid: number;
  /** The working directory. */
  cwd: string;
  /** The id of the background task that it started. */
  task?: string;
  /** The trace context of the caller. */
  trace?: string;
}

/** Returns the line, with a newline, in printable ASCII: other characters are escaped as in JSON. */
export function auditLine(record: AuditRecord): string {
  const json = JSON.stringify(record).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${json}\n`;
}
