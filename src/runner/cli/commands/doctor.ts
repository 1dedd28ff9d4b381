import { checkBundle, type MissingTool } from "../../capability/bundle_state.ts";
import { Capabilities } from "../../capability/capabilities.ts";
import type { CapabilitySetup } from "../../capability/capability.ts";
import { runBriefly } from "../../capability/program.ts";
import { capabilityNamed } from "../../capability/table.ts";
import { Configuration } from "../../config/configuration.ts";
import type { CallOptions } from "../../call/call.ts";
import { planFor } from "../../call/authorise.ts";
import { withServersOf } from "../../call/servers.ts";
import type { Bundle } from "../../registry/bundles.ts";
import { isPattern } from "../../registry/name_pattern.ts";
import type { Scope } from "../../sandbox/policy/scope.ts";
import { procState } from "../../sandbox/linux/proc.ts";
import { trySandbox } from "../../sandbox/try_sandbox.ts";
import { capabilitySetup } from "../catalogue/bundle.ts";
import { allBundles, applyConfiguration } from "../catalogue/tool_filter.ts";
import {
  type Command,
  type CommandLine,
  type Process,
  refuseOperands,
  unknownFormat,
} from "../command.ts";
import { type DoctorFinding, doctorReport, type ReportSection } from "../print/doctor_report.ts";
import { configPlace } from "../../config/config_files.ts";
import { readCallOptions } from "../call_options.ts";
import { writeAll } from "../streams.ts";

/** The capabilities that are checked even if no tool requires them. */
const USUAL = ["bash", "git", "rg", ...(Deno.build.os === "linux" ? ["bwrap"] : []), "state"];

/**
 * `toolcall doctor`: tests the sandbox on this machine, the capabilities that tools need, and the
 * MCP servers. The exit code is 0 when the sandbox works, else 1. The process is sandboxed
 * afterwards.
 */
export const doctorCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 0);
  const format = line.options.get("format") ?? "text";
  if (format !== "text" && format !== "json") throw unknownFormat(format, ["text", "json"]);
  // A configuration that cannot be used is reported with the other findings.
  const settings = await readCallOptions(line, process, { isConfigured: false });
  const setup = capabilitySetup(settings, line);
  const capabilities = new Capabilities(setup);
  // This comes first, because the process cannot leave the sandbox again.
  const needed = await checkCapabilities(settings, capabilities);
  const { all, fault } = findBundles(line, settings);
  const others = [
    needed,
    await checkBundles(all, { settings, capabilities }),
    ...await checkServers(setup, fault),
  ];
  const planned = await planTools(settings);
  const { write } = settings.grants.allow;
  const walls = await testSandbox(capabilities, process, write);
  const ok = walls.every((wall) => wall.ok || wall.optional);
  const title = "Walls around the programs that a call starts";
  const sections = [{ title, findings: walls }, ...others];
  const findings = sections.flatMap((section) => section.findings);
  await writeAll(
    process.stdout,
    format === "json"
      ? `${JSON.stringify({ ok, findings, plans: planned })}\n`
      : doctorReport([...sections, planSection(planned)], process.stdout) + advice(ok),
  );
  return ok ? 0 : 1;
};

/** The capabilities that tools require, and those that improve some tools. */
async function checkCapabilities(
  { registry }: CallOptions,
  capabilities: Capabilities,
): Promise<ReportSection> {
  const tools = await registry.list();
  const names = [...new Set([...USUAL, ...tools.flatMap(({ requires }) => requires)])];
  const findings = await Promise.all(names.map(async (name): Promise<DoctorFinding> => ({
    ...{ kind: "capability", name },
    ...await capabilities.examine(name),
    what: capabilityNamed(name)?.what ?? "nothing that is known",
    tools: tools.filter(({ requires }) => requires.includes(name)).map((tool) => tool.name),
  })));
  return { title: "What tools need", findings };
}

/** The tools by the executor of their calls, as far as that depends on no argument. */
async function planTools(options: CallOptions): Promise<Record<string, string[]>> {
  const tools: Record<string, string[]> = {};
  for (const entry of options.registry.entries()) {
    const tool = await entry.load();
    const { executor } = await planFor(tool, options);
    (tools[executor] ??= []).push(tool.metadata.name);
  }
  return tools;
}

function planSection(tools: Record<string, string[]>): ReportSection {
  const lines = Object.entries(tools).map(([executor, names]) =>
    `${executor}: ${names.join(", ")}`
  );
  const title = "Where calls run under these flags (toolcall check tells it of one call)";
  return { title, findings: [], note: lines.join("\n") };
}

/** The bundles that can be used, and the tools that each leaves out. */
async function checkBundles(
  all: readonly Bundle[],
  { settings, capabilities }: { settings: CallOptions; capabilities: Capabilities },
): Promise<ReportSection> {
  const { registry } = settings;
  const names = all.flatMap(({ required, optional }) => [...required, ...optional]);
  const reasons = await withServersOf(names.filter((name) => !isPattern(name)), settings);
  await settings.servers.close();
  const findings = await Promise.all(all.map(async (bundle): Promise<DoctorFinding> => {
    const { missing, leftOut } = await checkBundle(bundle, { registry, capabilities, reasons });
    const said = [...listMissing("missing", missing), ...listMissing("left out", leftOut)];
    return {
      ...{ kind: "bundle", name: bundle.name, ok: missing.length === 0 },
      detail: [bundle.description, ...said].filter((text) => text !== "").join("; "),
      ...(leftOut.length > 0 && { leftOut: leftOut.map(({ tool }) => tool) }),
    };
  }));
  return { title: "Bundles of tools (--bundle=NAME)", findings };
}

/**
 * All bundles. If the configuration is usable, its bundles are included and its filters are
 * applied.
 */
function findBundles(
  line: CommandLine,
  { registry, grants }: CallOptions,
): { all: Bundle[]; fault?: Error } {
  const tools = registry.entries();
  const place = configPlace(line);
  try {
    applyConfiguration(registry, { line, place, grants });
    const sections = new Configuration(place, tools).sections("bundles", grants);
    return { all: allBundles({ tools, sections }) };
  } catch (error) {
    return { all: allBundles({ tools, sections: [] }), fault: error as Error };
  }
}

function listMissing(how: string, tools: readonly MissingTool[]): string[] {
  if (tools.length === 0) return [];
  return [`${how}: ${tools.map(({ tool, why }) => `${tool} (${why})`).join(", ")}`];
}

/** The state of the MCP servers, and the fault of the configuration. */
async function checkServers(
  setup: CapabilitySetup,
  fault: Error | undefined,
): Promise<ReportSection[]> {
  try {
    const { examineServers } = await import("../../capability/servers.ts");
    const { path, servers } = await examineServers(setup);
    const findings = servers.map((server): DoctorFinding => ({ kind: "server", ...server }));
    const title = path === undefined ? "MCP servers" : `MCP servers of ${path}`;
    return [{ title, findings }, ...(fault === undefined ? [] : [configurationSection(fault)])];
  } catch (error) {
    return [configurationSection(error as Error)];
  }
}

function configurationSection({ message: detail }: Error): ReportSection {
  const finding: DoctorFinding = {
    kind: "configuration",
    name: "configuration",
    ok: false,
    detail,
  };
  return { title: "Configuration", findings: [finding] };
}

async function testSandbox(
  capabilities: Capabilities,
  { program }: Process,
  writable: Scope | undefined,
): Promise<DoctorFinding[]> {
  const { os } = Deno.build;
  if (os === "darwin") return [await testSandboxExec()];
  if (os !== "linux") {
    const detail = `toolcall has none on this system (${os})`;
    return [{ kind: "wall", name: "walls", ok: false, detail }];
  }
  const landlock = await capabilities.find("landlock");
  const proc = procFinding();
  const tried = await trySandbox({ program, limits: {}, writable });
  const findings = [{ name: "landlock", ...landlock }, ...proc, ...tried];
  return findings.map((each) => ({ kind: "wall", ...each }));
}

/** The fault of /proc, if any. The sandbox needs /proc to start and to end programs. */
function procFinding(): { name: string; ok: false; detail: string }[] {
  const faults = {
    missing: "/proc is not mounted, and so the sandbox cannot be entered; mount it " +
      "(mount -t proc proc /proc)",
    other: "/proc is that of another PID namespace, or cannot be read: programs that leave their " +
      "process group may outlive a call; mount it in this namespace (mount -t proc proc /proc)",
  };
  const state = procState();
  return state === "own" ? [] : [{ name: "proc", ok: false, detail: faults[state] }];
}

async function testSandboxExec(): Promise<DoctorFinding> {
  const wall = { kind: "wall", name: "walls" } as const;
  const args = ["-p", "(version 1)(allow default)", "/usr/bin/true"];
  const { code, said } = await runBriefly("/usr/bin/sandbox-exec", args);
  if (code === 0) return { ...wall, ok: true, detail: "sandbox-exec works and is used" };
  const why = said === "" ? `exit code ${code}` : said;
  return { ...wall, ok: false, detail: `sandbox-exec is used, and does not work: ${why}` };
}

function advice(ok: boolean): string {
  if (ok) return "";
  return "\nNot every wall holds. A tool that starts programs is refused where the walls cannot be\n" +
    "entered; --unconfined-run starts programs without them, under the flags' own check of the call.\n";
}
