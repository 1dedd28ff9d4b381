import { ToolDisabledError, ToolNotFoundError } from "../../registry/registry_errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ToolGroup } from "../../registry/define.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import type { JsonObject } from "./definition.ts";

/** The formats that have tools of the vendor. */
export const vendorFormats = ["anthropic", "responses"] as const;

/** The entry of a tool in a request to the vendor's API, and the tool that runs its calls. */
interface VendorTool {
  tool: string;
  /** The name that the model calls, if it is another one. */
  called?: string;
  /** The group of the tool. A configured tool with the same name has none. */
  offered?: ToolGroup;
  entry: JsonObject;
  /** The tool that newer models call instead. The entry is only for a list without that one. */
  insteadOf?: string;
}

const vendorTools: Readonly<Record<(typeof vendorFormats)[number], readonly VendorTool[]>> = {
  anthropic: [
    { tool: "Bash", called: "bash", entry: { type: "bash_20250124", name: "bash" } },
    {
      tool: "str_replace_based_edit_tool",
      offered: "vendor",
      entry: { type: "text_editor_20250728", name: "str_replace_based_edit_tool" },
    },
    { tool: "memory", offered: "vendor", entry: { type: "memory_20250818", name: "memory" } },
  ],
  responses: [
    { tool: "shell.run", entry: { type: "shell", environment: { type: "local" } } },
    { tool: "shell.exec", entry: { type: "local_shell" }, insteadOf: "shell.run" },
    { tool: "apply_patch", entry: { type: "apply_patch" } },
  ],
};

/**
 * The entries for a request to the vendor's API, of the tools that are not disabled and chosen. An
 * API refuses some entries for all models but an old one. They are left out if the tool of newer
 * models could be called.
 */
export async function vendorDefinitions(
  format: (typeof vendorFormats)[number],
  registry: Registry,
  { isNamed, isAllowed }: Record<"isNamed" | "isAllowed", (tool: ToolMetadata) => boolean>,
): Promise<JsonObject[]> {
  const entries: JsonObject[] = [];
  for (const { tool, called = tool, offered, entry, insteadOf } of vendorTools[format]) {
    const newer = insteadOf === undefined ? undefined : await declarationOf(insteadOf, registry);
    if (newer !== undefined && isNamed(newer)) continue;
    const found = await declarationOf(called, registry);
    const isVendors = found?.name === tool && found.offered === offered;
    if (isVendors && isNamed(found) && isAllowed(found)) entries.push(entry);
  }
  return entries;
}

/** The declaration of a tool, or undefined if it is disabled. */
async function declarationOf(name: string, registry: Registry): Promise<ToolMetadata | undefined> {
  try {
    return (await registry.get(name).load()).metadata;
  } catch (error) {
    if (error instanceof ToolDisabledError || error instanceof ToolNotFoundError) return undefined;
    throw error;
  }
}
