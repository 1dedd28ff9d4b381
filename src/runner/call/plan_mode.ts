import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { RegisteredTool, ToolMetadata } from "../registry/registered_tool.ts";
import { hasPlanMark, usualStateDirectory } from "../state/state_directory.ts";
import type { CallOptions, Prepared } from "./call.ts";

/**
 * Throws in plan mode, for a tool that may change things. Some calls of a tool only read: for such
 * a tool it returns a function that refuses the other calls, once their arguments are valid.
 * Outside of plan mode it only checks whether the mark file exists. Call it only for tools with
 * side effects.
 */
export async function planModeRefusal(
  tool: RegisteredTool,
  { stateDir, session }: Pick<CallOptions, "stateDir" | "session">,
): Promise<((call: Prepared) => void) | undefined> {
  const directory = stateDir ?? usualStateDirectory();
  if (directory === undefined || !hasPlanMark(directory)) return undefined;
  if (!await isPlanning(directory, session)) return undefined;
  const { changes } = await tool.load();
  if (changes === undefined) throw refusedInPlanMode(tool.metadata);
  return ({ args }) => {
    if (changes(args)) throw refusedInPlanMode(tool.metadata);
  };
}

/** Whether the session is in plan mode, in which nothing may be changed. */
async function isPlanning(directory: string, session: string): Promise<boolean> {
  const { State } = await import("../state/state.ts");
  const state = new State(directory, session);
  try {
    return state.settings.isPlanning();
  } finally {
    state.close();
  }
}

function refusedInPlanMode({ name }: ToolMetadata): CallError {
  return new CallError(
    "permission_denied",
    `Cannot run ${quote(name)} in plan mode, because it changes something; complete the plan ` +
      `with read-only tools, then call ExitPlanMode`,
    { tool: name, planMode: true },
  );
}
