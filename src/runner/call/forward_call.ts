import type { RegisteredTool } from "../registry/registered_tool.ts";
import { argumentErrors } from "./argument_errors.ts";
import type { CallOptions, Repair, ToolCall } from "./call.ts";
import { findCalledTool } from "./find_tool.ts";

/**
 * Finds the tool that a called tool stands for, and replaces the arguments of the call in place. The
 * schema of the called tool checks them before. Throws `invalid_arguments` and `tool_not_found`.
 */
export async function forwardCall(
  call: ToolCall,
  tool: RegisteredTool,
  { options, stop, repairs }: { options: CallOptions; stop: AbortController; repairs: Repair[] },
): Promise<RegisteredTool> {
  if (argumentErrors(tool, call.arguments).length > 0) {
    const { repairOrReject } = await import("./validate.ts");
    await repairOrReject(tool, call.arguments, { strict: options.strict === true, repairs });
  }
  const { ignores = [] } = tool.metadata;
  call.ignored = ignores.filter((name) => Object.hasOwn(call.arguments, name));
  const { tool: name, args } = tool.standsFor!(call.arguments, options.cwd);
  call.arguments = args;
  return await findCalledTool(name, options, stop);
}
