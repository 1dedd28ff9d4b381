import type { AuditDetails } from "../audit/audit_line.ts";
import type { Redactor } from "../../base/text/redact.ts";
import { logRedactor, logValue } from "../audit/log_value.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import { type Confinement, describeConfinement } from "../sandbox/describe_confinement.ts";
import type { CallOptions, Listeners, Prepared, ToolCall } from "./call.ts";
import type { CallResult } from "./failure.ts";
import { planFor } from "./plan_call.ts";

/** What the system says to what a wall, or the file's own mode, refuses. */
const REFUSALS = ["EACCES", "EPERM"];

/** Follows one call on its way, for the line about it. */
export class CallWatch {
  /** Takes secrets out of texts. */
  readonly mask: Redactor;
  /** The settings with which the call is to be answered. */
  readonly settings: CallOptions;
  #call: Partial<ToolCall>;
  #tool: RegisteredTool | undefined;
  #prepared: Prepared | undefined;
  #confinements: { files?: Confinement; network?: Confinement } = {};

  /** Takes the call, as far as there is one. To be made before walls keep it from looking around. */
  constructor(call: Partial<ToolCall>, settings: CallOptions) {
    this.#call = call;
    this.mask = logRedactor(callersEnvironment());
    const onStep: Listeners["onStep"] = async ({ tool, prepared }) => {
      if (prepared !== undefined) this.#prepared = prepared;
      if (tool === undefined) return;
      this.#tool = tool;
      // The call may restrict this process, which then could not look at the machine.
      const describe = async (hosts: string[]) =>
        describeConfinement(await planFor(tool, settings, { hosts }), {
          ...settings,
          ...{ hosts, writes: [] },
        });
      this.#confinements = { files: await describe([]), network: await describe(["a host"]) };
    };
    this.settings = { ...settings, listeners: { ...settings.listeners, onStep } };
  }

  /** What there is to tell of it, now that it has come to this. */
  told(result: CallResult): AuditDetails {
    const { name, arguments: args } = this.#call;
    const tool = this.#tool?.metadata;
    const { mask } = this;
    const decisions = this.#prepared?.decisions;
    const refused = decisions?.some(({ granted }) => !granted);
    const kind = (this.#prepared?.hosts.length ?? 0) > 0 ? "network" : "files";
    const walls = refused === false ? this.#confinements[kind] : undefined;
    const told: Omit<AuditDetails, "refusedBy"> = {
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
      plan: walls === undefined ? null : this.#prepared!.plan.executor,
      walls: {
        flags: refused === undefined ? null : refused ? "refused" : "granted",
        runtime: walls === undefined ? null : walls.runtime === "open" ? "open" : "entered",
        kernel: walls === undefined
          ? null
          : typeof walls.kernel === "string"
          ? walls.kernel
          : "entered",
      },
    };
    return {
      ...told,
      refusedBy: refuserOf(result, { walls: told.walls, isMissing: walls?.missing === true }),
    };
  }
}

/** The wall that refused the call; one that it needs and the machine does not have did so too. */
function refuserOf(
  { _meta }: CallResult,
  { walls, isMissing }: { walls: AuditDetails["walls"]; isMissing: boolean },
): AuditDetails["refusedBy"] {
  const error = _meta?.["toolcall/error"];
  if (walls.flags === "refused") return "flags";
  if (error === undefined || walls.flags === null) return null;
  // What only --allow-all grants is no permission of the runtime's.
  if (error.code === "permission_denied") return "setting" in error ? "flags" : "runtime";
  if (isMissing && error.code === "unavailable") return "kernel";
  if (walls.kernel !== "entered") return null;
  const isRefused = "perhapsRefused" in error || REFUSALS.includes(String(error["systemError"]));
  return isRefused ? "kernel" : null;
}
