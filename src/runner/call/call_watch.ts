import type { AuditDetails } from "../audit/audit_line.ts";
import type { Redactor } from "../../base/text/redact.ts";
import { logRedactor, logValue } from "../audit/log_value.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import { type Confinement, describeConfinement } from "../sandbox/describe_confinement.ts";
import type { CallOptions, Listeners, Prepared, ToolCall } from "./call.ts";
import type { CallResult } from "./failure.ts";
import { planFor } from "./authorise.ts";

/** The system's errors for access that the sandbox or the file's mode refuses. */
const REFUSALS = ["EACCES", "EPERM"];

/** Follows one call and collects the details of its audit line. */
export class CallWatch {
  /** Replaces secrets in strings. */
  readonly mask: Redactor;
  /** The options to execute the call with, so that this watch sees its steps. */
  readonly options: CallOptions;
  #call: Partial<ToolCall>;
  #tool: RegisteredTool | undefined;
  #prepared: Prepared | undefined;
  #confinements: { files?: Confinement; network?: Confinement } = {};

  /** Takes the call, as far as it could be read. Create it before the sandbox restricts this process. */
  constructor(call: Partial<ToolCall>, options: CallOptions) {
    this.#call = call;
    this.mask = logRedactor(callersEnvironment());
    const onStep: Listeners["onStep"] = async (step) => {
      await options.listeners.onStep?.(step);
      const { tool, prepared } = step;
      if (prepared !== undefined) this.#prepared = prepared;
      if (tool === undefined) return;
      this.#tool = tool;
      // The call may restrict this process, which then could not look at the machine.
      const describe = async (hosts: string[]) =>
        describeConfinement(await planFor(tool, options, { hosts }), {
          ...options,
          ...{ hosts, writes: [] },
        });
      this.#confinements = { files: await describe([]), network: await describe(["a host"]) };
    };
    this.options = { ...options, listeners: { ...options.listeners, onStep } };
  }

  /** The details for the audit line of a call with this result. */
  details(result: CallResult): AuditDetails {
    const { name, arguments: args } = this.#call;
    const tool = this.#tool?.metadata;
    const { mask } = this;
    const decisions = this.#prepared?.decisions;
    const refused = decisions?.some(({ granted }) => !granted);
    const kind = (this.#prepared?.hosts.length ?? 0) > 0 ? "network" : "files";
    const confinement = refused === false ? this.#confinements[kind] : undefined;
    const { runtime, kernel } = confinement ?? {};
    const details: Omit<AuditDetails, "refusedBy"> = {
      tool: tool?.name ?? null,
      ...(name !== undefined && name !== tool?.name && {
        asked: logValue(name, { mask }) as string,
      }),
      arguments: args === undefined ? null : logValue(args, { mask, schema: tool?.inputSchema }),
      needs: decisions === undefined ? null : logValue(
        decisions.map(({ permission, granted, denied, flag }) => ({
          ...permission,
          granted,
          ...(!granted && { denied, flag }),
        })),
        { mask },
      ) as unknown[],
      plan: confinement === undefined ? null : this.#prepared!.plan.executor,
      sandbox: {
        flags: refused === undefined ? null : refused ? "refused" : "granted",
        runtime: runtime === undefined ? null : runtime === "open" ? "open" : "entered",
        kernel: kernel === undefined ? null : typeof kernel === "string" ? kernel : "entered",
      },
    };
    const isMissing = confinement?.missing === true;
    return { ...details, refusedBy: refuserOf(result, { sandbox: details.sandbox, isMissing }) };
  }
}

/** Returns the sandbox layer that refused the call, or that the call needs and the machine lacks. */
function refuserOf(
  { _meta }: CallResult,
  { sandbox, isMissing }: { sandbox: AuditDetails["sandbox"]; isMissing: boolean },
): AuditDetails["refusedBy"] {
  const error = _meta?.["toolcall/error"];
  if (sandbox.flags === "refused") return "flags";
  if (error === undefined || sandbox.flags === null) return null;
  // The flags guard settings. The runtime has no permission for them.
  if (error.code === "permission_denied") return "setting" in error ? "flags" : "runtime";
  if (isMissing && error.code === "unavailable") return "kernel";
  if (sandbox.kernel !== "entered") return null;
  const isRefused = "perhapsRefused" in error || REFUSALS.includes(String(error["systemError"]));
  return isRefused ? "kernel" : null;
}
