import { brokenRules } from "../../src/runner/call/invalid_arguments.ts";
import type { Permission, ToolDefinition } from "../../src/runner/registry/define.ts";
import type { SettingValues } from "../../src/runner/registry/services.ts";

/** The permissions that a call needs. Throws the problems of arguments that break rules of the tool. */
export function checkedNeeds<Args>(
  tool: ToolDefinition<Args>,
  args: Args,
  cwd: string,
  settings: SettingValues = {},
): Permission[] {
  const problems = tool.rules?.(args, cwd) ?? [];
  if (problems.length > 0) throw brokenRules(tool, problems);
  return tool.permissions.needs(args, cwd, settings);
}
