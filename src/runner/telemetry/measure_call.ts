import type { CallOptions, Listeners } from "../call/call.ts";
import type { CallResult } from "../call/failure.ts";
import { isUnrestricted } from "../sandbox/policy/grants.ts";
import type { RecordedPhase } from "./recorded_call.ts";
import type { Telemetry } from "./telemetry.ts";

/**
 * Executes a call with `run`, and gives its phases, its code and its duration to `telemetry`. A
 * background task is recorded when it starts. Throws the errors of `run`.
 */
export async function measureCall(
  options: CallOptions,
  telemetry: Telemetry,
  run: (options: CallOptions) => Promise<CallResult>,
): Promise<CallResult> {
  const isHidden = telemetry.start();
  // Without a sandbox, a program could look into the environment of the exporter.
  if (isUnrestricted(options.grants) || options.unconfinedRun) await isHidden;
  const begin = now();
  const phases: RecordedPhase[] = [];
  let tool = "unknown";
  let executor: string | undefined;
  const endPhase = (at: number) => {
    const last = phases.at(-1);
    if (last !== undefined) last.end = at;
  };
  const onPhase: Listeners["onPhase"] = (name) => {
    const at = now();
    endPhase(at);
    phases.push({ name, begin: at, end: at });
  };
  const onStep: Listeners["onStep"] = async (step) => {
    await options.listeners.onStep?.(step);
    tool = step.tool?.metadata.name ?? tool;
    executor = step.prepared?.plan.executor ?? executor;
  };
  const listeners = { ...options.listeners, onPhase, onStep };
  let code = "internal";
  try {
    const result = await run({ ...options, listeners });
    code = result._meta?.["toolcall/error"]?.code ?? "ok";
    return result;
  } finally {
    const end = now();
    endPhase(end);
    telemetry.record({
      ...{ tool, code, begin, end, phases },
      ...(executor !== undefined && { executor }),
      ...(options.trace !== undefined && { trace: options.trace }),
    });
  }
}

/** The time in milliseconds since 1970, with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
