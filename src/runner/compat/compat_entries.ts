import { quote } from "../../base/text/quote.ts";
import type { Registry } from "../registry/registry.ts";
import type { RegisteredTool, RegistryEntry, ToolMetadata } from "../registry/registered_tool.ts";
import { type CompatTool, compatTools } from "./compat_tools.ts";

/** The tools of the bundle `compat` for a catalogue, which has the tools that they stand for. */
export function compatEntries(registry: Registry): RegistryEntry[] {
  return Object.entries(compatTools).map(([name, tool]) => {
    let loaded: Promise<RegisteredTool> | undefined;
    const target = () => registry.all().find((entry) => entry.name === tool.target)!;
    return {
      ...{ name, aliases: [], offered: "compat" as const },
      async metadata() {
        const entry = target();
        return metadataOf(name, tool, await entry.metadata?.() ?? (await entry.load()).metadata);
      },
      load: () => loaded ??= target().load().then((of) => registeredTool(name, tool, of)),
    };
  });
}

/** Disables each tool whose target is disabled: its calls would fail. */
export function disableWithoutTarget(registry: Registry): void {
  const enabled = registry.entries();
  for (const { name, offered } of enabled) {
    const target = Object.hasOwn(compatTools, name) ? compatTools[name]!.target : undefined;
    if (offered !== "compat" || enabled.some((entry) => entry.name === target)) continue;
    registry.disable(name, `it calls ${quote(String(target))}, which is disabled`);
  }
}

/** The declaration of the target with the name, the texts and the arguments of the tool. */
function metadataOf(name: string, tool: CompatTool, target: ToolMetadata): ToolMetadata {
  const { bounded: _b, helper: _h, outputSchema: _o, background: _t, ...same } = target;
  const { description, inputSchema, ignores, differs } = tool;
  return {
    ...{ ...same, ...differs, name, description, inputSchema, ignores },
    ...{ aliases: [], examples: [], offered: "compat" as const },
    usageHint: `${target.usageHint}. It does the same as ${target.name}`,
  };
}

async function registeredTool(
  name: string,
  tool: CompatTool,
  target: RegisteredTool,
): Promise<RegisteredTool> {
  const { compileSchema } = await import("../mcp/client/compile_schema.ts");
  const validate = await compileSchema(tool.inputSchema, `the arguments of "${name}"`);
  return {
    ...{ metadata: metadataOf(name, tool, target.metadata), validate },
    load: () => target.load(),
    standsFor: (args, cwd) => ({ tool: tool.target, args: tool.rewrite(args, cwd) }),
  };
}
