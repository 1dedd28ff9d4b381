import { CallError } from "../call_error.ts";
import { quote } from "../quote.ts";
import type { ToolMetadata } from "../registry/registered_tool.ts";
import { State } from "../state/state.ts";
import type { Settings } from "./call.ts";

/**
 * Refuses a tool that changes things while the session is in plan mode. Throws
 * `permission_denied`.
 */
export function refuseInPlanMode(
  { name }: ToolMetadata,
  { folder, session }: { folder: string; session: Settings["session"] },
): void {
  const state = new State(folder, session);
  try {
    if (!state.settings.isPlanning()) return;
  } finally {
    state.close();
  }
  throw new CallError(
    "permission_denied",
    `Cannot run ${quote(name)} in plan mode, because it changes things; finish the plan with the ` +
      "tools that only read, then call ExitPlanMode",
    { tool: name, planMode: true },
  );
}
