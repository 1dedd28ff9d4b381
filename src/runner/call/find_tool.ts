import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import { ToolDisabledError, ToolNotFoundError } from "../registry/registry_errors.ts";
import type { CallOptions } from "./call.ts";
import { withServerOf } from "./servers.ts";

/**
 * Finds a tool by name or alias. It starts the MCP server of the tool if there is one, until `stop`
 * is aborted. Throws `tool_not_found` with the nearest name or the reason.
 */
export async function findCalledTool(
  name: string,
  options: CallOptions,
  stop: AbortController,
): Promise<RegisteredTool> {
  const { registry } = options;
  // Only a name that begins with mcp__ is a server's. For any other name this does nothing.
  await withServerOf(name, options, stop);
  try {
    return await registry.get(name).load();
  } catch (error) {
    if (options.refreshTools !== undefined) {
      // The tools directory may have changed in a way that its names of before do not show.
      const { refreshTools, ...others } = options;
      await refreshTools();
      return await findCalledTool(name, others, stop);
    }
    const tool = name.slice(0, 200);
    if (error instanceof ToolDisabledError) {
      throw new CallError("tool_not_found", error.message, { tool, disabled: true });
    }
    if (!(error instanceof ToolNotFoundError)) throw error;
    const { hint } = await import("../../base/text/nearest.ts");
    const { similarTool } = await import("../registry/similar_tool.ts");
    const near = similarTool(name, registry.names());
    const message = `Unknown tool ${quote(name)}; ${hint(near, "toolcall list")}`;
    throw new CallError("tool_not_found", message, {
      ...{ tool, ...(near !== undefined && { nearest: near }) },
    });
  }
}
