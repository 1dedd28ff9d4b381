import { quote } from "../../../base/text/quote.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { ToolDisabledError, ToolNotFoundError } from "../../registry/registry_errors.ts";
import { UsageError } from "../../../base/errors.ts";

/** The tool of that name or alias. Throws {@link UsageError} that names the nearest. */
export async function findTool(
  registry: Registry,
  name: string,
): Promise<ToolMetadata> {
  try {
    return (await registry.get(name).load()).metadata;
  } catch (error) {
    if (error instanceof ToolDisabledError) throw new UsageError(error.message);
    if (!(error instanceof ToolNotFoundError)) throw error;
    const { hint, nearest } = await import("../../../base/text/nearest.ts");
    const near = nearest(name, registry.names());
    throw new UsageError(`Unknown tool ${quote(name)}; ${hint(near, "toolcall list")}`);
  }
}
