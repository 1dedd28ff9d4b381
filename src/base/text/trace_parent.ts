/**
 * Returns a trace context of W3C's `traceparent`, or `undefined` for any other value. Its parts are
 * a version, the id of the trace, the id of the caller's span, and flags.
 */
export function readTraceParent(value: unknown): string | undefined {
  if (typeof value !== "string" || !TRACE_PARENT.test(value)) return undefined;
  return value;
}

/** The standard forbids the version `ff`, and ids of zeros only. */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
