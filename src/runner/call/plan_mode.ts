import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolMetadata } from "../registry/registered_tool.ts";
import { State } from "../state/state.ts";
import type { Settings } from "./call.ts";

/** Whether the session is in plan mode, in which nothing may be changed. */
export function isPlanning(
  { folder, session }: { folder: string; session: Settings["session"] },
): boolean {
  const state = new State(folder, session);
  try {
    return state.settings.isPlanning();
  } finally {
    state.close();
  }
}

/** The failure of a call that would change things in plan mode. */
export function refusedInPlanMode({ name }: ToolMetadata): CallError {
  return new CallError(
    "permission_denied",
    `Cannot run ${quote(name)} in plan mode, because it changes things; finish the plan with the ` +
      "tools that only read, then call ExitPlanMode",
    { tool: name, planMode: true },
  );
}
