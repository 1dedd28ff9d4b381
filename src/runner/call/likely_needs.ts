import type { RegisteredTool } from "../registry/registered_tool.ts";
import { decide, type Decision, type Grants } from "../sandbox/policy/grants.ts";

/**
 * The permissions that a call probably needs besides its needs, and that the flags do not grant: the
 * programs that a shell command names. They are a hint for people and decide nothing.
 */
export async function likelyNeeds(
  tool: RegisteredTool,
  args: Record<string, unknown>,
  grants: Grants,
): Promise<Decision[]> {
  const { permissions } = await tool.load();
  return (permissions.likely?.(args) ?? [])
    .map((command) => decide({ name: "run", command }, grants))
    .filter(({ granted }) => !granted);
}
