import type { RegisteredTool } from "../registry/registered_tool.ts";
import type { Repair, ToolCall } from "./call.ts";

/**
 * Replaces the arguments of a call of a tool that stands for another tool, in place, and returns the
 * name of the other tool. The schema of the first tool checks the arguments before. Throws
 * `invalid_arguments`.
 */
export async function forwardCall(
  call: ToolCall,
  tool: RegisteredTool,
  { cwd, strict, repairs }: { cwd: string; strict: boolean; repairs: Repair[] },
): Promise<string> {
  if (!tool.validate(call.arguments)) {
    const { repairOrReject } = await import("./validate.ts");
    repairOrReject(tool, call.arguments, { strict, repairs });
  }
  const { ignores = [] } = tool.metadata;
  call.ignored = ignores.filter((name) => Object.hasOwn(call.arguments, name));
  const { tool: name, args } = tool.standsFor!(call.arguments, cwd);
  call.arguments = args;
  return name;
}
