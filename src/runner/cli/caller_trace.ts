import { readVariable } from "../../base/environment.ts";
import { readTraceParent } from "../../base/text/trace_parent.ts";

/** The variable with the trace context of the caller, as OpenTelemetry names it. */
const VARIABLE = "TRACEPARENT";

/** Returns the trace context of the caller of this process, if there is a valid one. */
export function callerTrace(): { trace?: string } {
  const trace = readTraceParent(readVariable(VARIABLE));
  return trace === undefined ? {} : { trace };
}
