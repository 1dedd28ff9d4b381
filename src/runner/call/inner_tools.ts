import type { Capabilities } from "../capability/capabilities.ts";
import { serverIn } from "../mcp/client/tool_names.ts";
import type { Permission } from "../registry/define.ts";
import { couldRun, type RegisteredTool, type ToolMetadata } from "../registry/registered_tool.ts";
import type { InnerTool, ModelApiName, SettingValues } from "../registry/services.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import { decide, type Grants } from "../sandbox/policy/grants.ts";
import { needsOf } from "./authorise.ts";
import type { CallOptions } from "./call.ts";
import { withServers } from "./servers.ts";
import { HARMLESS_EFFECTS } from "./run.ts";

/**
 * Lists the tools that a tool may call, with their names in `tools/list` and their definitions for
 * `api`. Leaves out the tools whose every call would fail with these flags, on this machine or with
 * these `values` of the settings.
 */
export async function listInnerTools(
  options: CallOptions,
  values: SettingValues,
  api: ModelApiName,
): Promise<InnerTool[]> {
  const { registry, grants, program, cwd: root, stateDir } = options;
  await options.refreshTools?.();
  await withServers(options);
  const { Capabilities } = await import("../capability/capabilities.ts");
  const capabilities = new Capabilities({
    ...{ program, root, grants, environment: callersEnvironment },
    ...(stateDir !== undefined && { stateDir }),
  });
  const names = registry.namesForApis();
  const { definitionsFor } = await import("../schema/definitions/apis.ts");
  const tools = await Promise.all((await registry.list()).map(async (tool) => {
    const isUsable = tool.name.startsWith("mcp__")
      ? decide({ name: "mcp", server: serverIn(tool.name)! }, grants).granted
      : couldRun(tool, grants) && await hasAll(tool, options, capabilities) &&
        await mayBeGranted(await registry.get(tool.name).load(), options, values);
    if (!isUsable) return [];
    // Without samples: some servers that imitate Anthropic's API refuse a request that has any.
    const [definition] = definitionsFor(api, [tool], names);
    const readOnly = HARMLESS_EFFECTS.includes(tool.sideEffect);
    return [{ name: names.get(tool.name)!, definition: definition!.value, readOnly }];
  }));
  return tools.flat();
}

async function hasAll(
  { requires }: ToolMetadata,
  { servers }: CallOptions,
  capabilities: Capabilities,
): Promise<boolean> {
  const found = await Promise.all(requires.map(async (name) => {
    // A configuration file names the servers, so only they know whether there are any.
    if (name !== "MCP server") return (await capabilities.find(name)).ok;
    return await servers.open().then((opened) => opened.names().length > 0, () => false);
  }));
  return found.every(Boolean);
}

/** Whether the flags may grant a call, judged by the needs of the tool's examples. */
async function mayBeGranted(
  tool: RegisteredTool,
  { grants, cwd }: CallOptions,
  values: SettingValues,
): Promise<boolean> {
  const { examples } = await tool.load();
  if (examples.length === 0) return true;
  for (const { input } of examples) {
    const args = structuredClone(input);
    tool.validate(args);
    try {
      const needs = await needsOf(tool, args, { cwd, values });
      if (needs.every((need) => isOpen(need, grants))) return true;
    } catch { /* Some examples show a call that fails. */ }
  }
  return false;
}

/** Whether the flags grant the need, or, for a path or host, any need of its kind. */
function isOpen(need: Permission, grants: Grants): boolean {
  const { name } = need;
  if (name !== "read" && name !== "write" && name !== "net") return decide(need, grants).granted;
  return (grants.all || grants.allow[name] !== undefined) && grants.deny[name] !== true;
}
