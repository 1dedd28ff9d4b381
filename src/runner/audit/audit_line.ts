/** What the log says of a call that its own process knows best. */
export interface Told {
  /** The tool's name; `null` when no tool was found. */
  tool: string | null;
  /** The name that was called, where it is another. */
  asked?: string;
  /** The arguments, bounded and without secrets; `null` when there are none to speak of. */
  arguments: unknown;
  /** What the call needed, and whether the flags granted it; `null` when it did not come so far. */
  needs: unknown[] | null;
  /** The executor of its plan; `null` for a call that was not to run. */
  plan: string | null;
  /** What each wall did: `null` for one that the call did not come to. */
  walls: {
    flags: "granted" | "refused" | null;
    runtime: "entered" | "open" | null;
    kernel: "entered" | "open" | "none" | null;
  };
  /** The wall that refused it, if one did. */
  refusedBy: "flags" | "runtime" | "kernel" | null;
}

/** The line about a call, as data. */
export interface AuditRecord extends Told {
  /** When the call came, as ISO 8601 in UTC. */
  time: string;
  /** The code of its failure; `null` for a success. */
  code: string | null;
  /** The exit code that goes with it. */
  exit: number;
  /** How long it took, in milliseconds. */
  durationMs: number;
  /** Its session. */
  session: string;
  /** The process that answered it. */
  pid: number;
  /** Its working folder. */
  cwd: string;
  /** The background task that it became. */
  task?: string;
}

/** The line itself, with its end: of printable ASCII alone, all else escaped as JSON escapes it. */
export function auditLine(record: AuditRecord): string {
  const json = JSON.stringify(record).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${json}\n`;
}
