/**
 * The process that exports traces and metrics, by the exporter of the runtime. It starts with the
 * variables of OpenTelemetry, and reads calls from its stdin, a line of JSON each. It ends with the
 * input, once everything is exported. It has no permission for files and the network: the exporter
 * is native code of the runtime, and connects only to the endpoint in the variables.
 */

import { version } from "../../base/version.ts";
import { takeOtelVariables } from "./otel_variables.ts";
import type { RecordedCall } from "./recorded_call.ts";

/** The part of the OpenTelemetry API that is used here. */
interface Span {
  setStatus(status: { code: number }): Span;
  end(time: number): void;
}

/** The context of OpenTelemetry, with the span that is the parent of a new span. */
interface SpanContext {
  getValue(key: symbol): unknown;
}

interface Tracer {
  startSpan(
    name: string,
    options: { startTime: number; attributes?: Record<string, string> },
    parent?: SpanContext,
  ): Span;
}

type Attributes = Record<string, string>;

interface Meter {
  createCounter(name: string, options: object): { add(n: number, attributes: Attributes): void };
  createHistogram(
    name: string,
    options: object,
  ): { record(value: number, attributes: Attributes): void };
}

/** The key of the span in a context, and the status of a failure, as the API defines them. */
const SPAN_KEY = Symbol.for("OpenTelemetry Context Key SPAN");
const ERROR = 2;

/** The bounds of the histogram, in seconds. A short read takes less than a millisecond. */
const BOUNDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];

const { tracerProvider, meterProvider } = Deno.telemetry;
const tracer: Tracer = tracerProvider.getTracer("toolcall", version);
const meter: Meter = meterProvider.getMeter("toolcall", version);
const calls = meter.createCounter("toolcall.calls", {
  unit: "{call}",
  description: "Calls by tool and code",
});
const durations = meter.createHistogram("toolcall.call.duration", {
  unit: "s",
  description: "Duration of calls by tool and code",
  advice: { explicitBucketBoundaries: BOUNDS },
});

/** Exports a call as a span with a child for each phase. */
function exportSpans({ tool, code, executor, begin, end, trace, phases }: RecordedCall): void {
  const span = tracer.startSpan(`execute_tool ${tool}`, {
    startTime: begin,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "toolcall.code": code,
      ...(executor !== undefined && { "toolcall.plan": executor }),
      ...(code !== "ok" && { "error.type": code }),
    },
  }, trace === undefined ? undefined : remoteParent(trace));
  for (const phase of phases) {
    tracer.startSpan(phase.name, { startTime: phase.begin }, contextOf(span)).end(phase.end);
  }
  if (code !== "ok") span.setStatus({ code: ERROR });
  span.end(end);
}

function countCall({ tool, code, begin, end }: RecordedCall): void {
  calls.add(1, { tool, code });
  durations.record((end - begin) / 1_000, { tool, code });
}

function contextOf(span: object): SpanContext {
  return { getValue: (key) => key === SPAN_KEY ? span : undefined };
}

/** Returns the span of the caller, which is in another program. */
function remoteParent(trace: string): SpanContext {
  const [, traceId, spanId, flags] = trace.split("-");
  const context = { traceId, spanId, traceFlags: parseInt(flags!, 16), isRemote: true };
  return contextOf({ spanContext: () => context });
}

// The process ends with its input. A signal is for the program that writes it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  if (Deno.build.os !== "windows") Deno.addSignalListener(signal, () => {});
}
const { OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER } = takeOtelVariables();
try {
  // The program waits for this line where a tool could look at this process.
  Deno.stdout.writeSync(new TextEncoder().encode("ready\n"));
} catch { /* The program was killed. Its calls are in the pipe. */ }
let rest = "";
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split("\n");
  rest = lines.pop()!;
  for (const line of lines) {
    const call: RecordedCall = JSON.parse(line);
    if (OTEL_TRACES_EXPORTER !== "none") exportSpans(call);
    if (OTEL_METRICS_EXPORTER !== "none") countCall(call);
  }
}
Deno.exit(0);
