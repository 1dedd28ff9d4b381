import type { Capabilities } from "../capability/capabilities.ts";
import { serverIn } from "../mcp/client/tool_names.ts";
import type { Permission } from "../registry/define.ts";
import type { RegisteredTool, ToolMetadata } from "../registry/registered_tool.ts";
import type { InnerTool, SettingValues } from "../registry/services.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import { decide, type Grants } from "../sandbox/policy/grants.ts";
import type { CallOptions } from "./call.ts";
import { withServers } from "./servers.ts";

/** The side effects of tools of which several may run at the same time. */
const READING = ["none", "read_only", "network"];

/**
 * The tools that a tool may call, by the names that `tools/list` has for them. Tools that these
 * flags, this machine or these `values` of the settings can only refuse are left out.
 */
export async function innerTools(
  settings: CallOptions,
  values: SettingValues,
): Promise<InnerTool[]> {
  const { registry, grants, program, cwd: root, stateDir } = settings;
  await withServers(settings);
  const { Capabilities } = await import("../capability/capabilities.ts");
  const capabilities = new Capabilities({
    ...{ program, root, grants, environment: callersEnvironment },
    ...(stateDir !== undefined && { stateDir }),
  });
  const names = registry.namesForApis();
  const tools = await Promise.all((await registry.list()).map(async (tool) => {
    const { name, description = "", inputSchema, sideEffect } = tool;
    const isUsable = name.startsWith("mcp__")
      ? decide({ name: "mcp", server: serverIn(name)! }, grants).granted
      : await hasAll(tool, settings, capabilities) &&
        await mayBeGranted(await registry.get(name).load(), settings, values);
    const readOnly = READING.includes(sideEffect);
    return isUsable ? [{ name: names.get(name)!, description, inputSchema, readOnly }] : [];
  }));
  return tools.flat();
}

async function hasAll(
  { requires }: ToolMetadata,
  { servers }: CallOptions,
  capabilities: Capabilities,
): Promise<boolean> {
  const found = await Promise.all(requires.map(async (name) => {
    // The servers know which file names them.
    if (name !== "MCP server") return (await capabilities.find(name)).ok;
    return await servers.open().then((opened) => opened.names().length > 0, () => false);
  }));
  return found.every(Boolean);
}

/** Whether the flags may grant a call, judged by the tool's examples: each shows what one needs. */
async function mayBeGranted(
  tool: RegisteredTool,
  { grants, cwd }: CallOptions,
  values: SettingValues,
): Promise<boolean> {
  const { examples, permissions } = await tool.load();
  if (examples.length === 0) return true;
  return examples.some(({ input }) => {
    const args = structuredClone(input);
    tool.validate(args);
    try {
      return permissions.needs(args, cwd, values).every((need) => isOpen(need, grants));
    } catch {
      // Some examples show a call that is refused.
      return false;
    }
  });
}

/** Whether a flag grants the need, or where it is of a path or a host, another one of its kind. */
function isOpen(need: Permission, grants: Grants): boolean {
  const { name } = need;
  if (name !== "read" && name !== "write" && name !== "net") return decide(need, grants).granted;
  return (grants.all || grants.allow[name] !== undefined) && grants.deny[name] !== true;
}
