import type { Told } from "../audit/audit_line.ts";
import type { Redactor } from "../../base/text/redact.ts";
import { logRedactor, logValue } from "../audit/log_value.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import { type Walls, wallsOf } from "../sandbox/walls.ts";
import type { Prepared, Settings, ToolCall } from "./call.ts";
import type { CallResult } from "./failure.ts";

/** What the system says to what a wall, or the file's own mode, refuses. */
const REFUSALS = ["EACCES", "EPERM"];

/** Follows one call on its way, for the line about it. */
export class CallWatch {
  /** Takes secrets out of texts. */
  readonly mask: Redactor;
  /** The settings with which the call is to be answered. */
  readonly settings: Settings;
  #call: Partial<ToolCall>;
  #tool: RegisteredTool | undefined;
  #prepared: Prepared | undefined;
  #walls: { [place in "files" | "network"]?: Walls } = {};

  /** Takes the call, as far as there is one. To be made before walls keep it from looking around. */
  constructor(call: Partial<ToolCall>, settings: Settings) {
    this.#call = call;
    this.mask = logRedactor(callersEnvironment());
    const onStep: Settings["onStep"] = (step) => {
      if (step.prepared !== undefined) this.#prepared = step.prepared;
      if (step.tool !== undefined) this.#found(step.tool, settings);
    };
    this.settings = { ...settings, onStep };
  }

  /** What there is to tell of it, now that it has come to this. */
  told(result: CallResult): Told {
    const { name, arguments: args } = this.#call;
    const tool = this.#tool?.metadata;
    const { mask } = this;
    const decisions = this.#prepared?.decisions;
    const refused = decisions?.some(({ granted }) => !granted);
    const hasHosts = (this.#prepared?.hosts.length ?? 0) > 0;
    const walls = refused === false ? this.#walls[hasHosts ? "network" : "files"] : undefined;
    const told: Omit<Told, "refusedBy"> = {
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

  /** The walls are told now: behind one of them nothing of it can be seen. */
  #found(tool: RegisteredTool, settings: Settings): void {
    this.#tool = tool;
    const walls = (hosts: string[]) => wallsOf(tool, { ...settings, hosts, writes: [] });
    this.#walls = { files: walls([]), network: walls(["a host"]) };
  }
}

/** The wall that refused the call; one that it needs and the machine does not have did so too. */
function refuserOf(
  { _meta }: CallResult,
  { walls, isMissing }: { walls: Told["walls"]; isMissing: boolean },
): Told["refusedBy"] {
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
