/** The findings of `doctor` about what the configuration adds: MCP servers and tools. */

import { planFor } from "../call/authorise.ts";
import type { CallOptions } from "../call/call.ts";
import type { CapabilitySetup } from "../capability/capability.ts";
import type { DoctorFinding, ReportSection } from "./print/doctor_report.ts";

/** The state of the MCP servers, and the fault of the configuration. */
export async function checkServers(
  setup: CapabilitySetup,
  fault: Error | undefined,
): Promise<ReportSection[]> {
  try {
    const { examineServers } = await import("../capability/servers.ts");
    const { path, servers } = await examineServers(setup);
    const findings = servers.map((server): DoctorFinding => ({ kind: "server", ...server }));
    const title = path === undefined ? "MCP servers" : `MCP servers of ${path}`;
    return [{ title, findings }, ...(fault === undefined ? [] : [configurationSection(fault)])];
  } catch (error) {
    return [configurationSection(error as Error)];
  }
}

function configurationSection({ message: detail }: Error): ReportSection {
  const kind = "configuration";
  return { title: "Configuration", findings: [{ kind, name: kind, ok: false, detail }] };
}

/** The tools by the executor of their calls, as far as that depends on no argument. */
export async function toolsByExecutor(
  options: CallOptions,
): Promise<Record<string, string[]>> {
  const tools: Record<string, string[]> = {};
  for (const entry of options.registry.entries()) {
    // An unusable tool of the configuration is a finding of its own.
    const tool = await entry.load().catch(() => undefined);
    if (tool === undefined) continue;
    const { executor } = await planFor(tool, options);
    (tools[executor] ??= []).push(tool.metadata.name);
  }
  return tools;
}
