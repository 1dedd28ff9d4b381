import { thousands } from "../../base/text/amounts.ts";
import type { CallOptions, CallStep, Prepared, ToolCall } from "../call/call.ts";
import { type Decision, valueOf } from "../sandbox/policy/grants.ts";
import type { Process } from "./command.ts";
import { inline } from "./print/style.ts";
import { writeAll } from "./streams.ts";

/**
 * Returns the options with which each call says on stderr what it needs, what the flags grant, where
 * it runs, how long it takes, and the stack of the error that its tool threw.
 */
export function withVerbose<T extends CallOptions>(options: T, { stderr }: Process): T {
  const { onStep } = options.listeners;
  const starts = new WeakMap<ToolCall, number>();
  const report = async (step: CallStep) => {
    await onStep?.(step);
    const now = performance.now();
    const begun = starts.get(step.call) ?? now;
    starts.set(step.call, begun);
    const start = `toolcall: ${inline(step.call.name)}: `;
    const lines = stepLines(step, { options, ms: Math.round(now - begun) });
    await writeAll(stderr, lines.map((line) => `${start}${inline(line)}\n`).join(""));
  };
  return { ...options, listeners: { ...options.listeners, onStep: report } };
}

function stepLines(
  { prepared, failure, succeeded }: CallStep,
  { options, ms }: { options: CallOptions; ms: number },
): string[] {
  if (prepared !== undefined) {
    return [
      ...needLines(prepared),
      `granted: ${options.flags.filter((flag) => flag.startsWith("-")).join(" ") || "nothing"}`,
      `plan: ${prepared.plan.executor}, ready after ${thousands(ms)} ms`,
    ];
  }
  if (failure !== undefined) return [...stackLines(failure), `failed after ${thousands(ms)} ms`];
  return succeeded === undefined ? [] : [`succeeded after ${thousands(ms)} ms`];
}

function needLines({ decisions }: Prepared): string[] {
  if (decisions.length === 0) return ["needs: nothing"];
  return decisions.map((decision) =>
    `needs: ${needText(decision)}: ${
      decision.granted
        ? "granted"
        : decision.denied
        ? `denied by ${decision.flag}`
        : `missing, needs ${decision.flag}`
    }`
  );
}

/** A permission in words, such as `read /etc/hosts`. */
function needText({ permission }: Pick<Decision, "permission">): string {
  return `${permission.name} ${valueOf(permission)}`;
}

/** The stack of the error that a failure came from. A failure of toolcall itself has no cause. */
function stackLines(failure: unknown): string[] {
  const thrown = failure instanceof Error && failure.cause instanceof Error
    ? failure.cause
    : failure;
  const isOwn = thrown === failure && failure instanceof Error && failure.name === "CallError";
  if (isOwn || !(thrown instanceof Error)) return [];
  return (thrown.stack ?? thrown.message).split("\n");
}
