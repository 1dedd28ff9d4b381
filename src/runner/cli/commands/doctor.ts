import { Capabilities } from "../../capability/capabilities.ts";
import { runBriefly } from "../../capability/program.ts";
import { capabilityNamed } from "../../capability/table.ts";
import { Configuration } from "../../config/configuration.ts";
import type { CallOptions } from "../../call/call.ts";
import { withServersOf } from "../../call/servers.ts";
import type { Bundle } from "../../registry/bundles.ts";
import { isPattern } from "../../registry/name_pattern.ts";
import { addUsableTools } from "../../tools_directory/usable_tools.ts";
import { procState } from "../../sandbox/linux/proc.ts";
import { type Finding, trySandbox } from "../../sandbox/try_sandbox.ts";
import { capabilitySetup, checkBundle } from "../catalogue/bundle.ts";
import { allBundles, applyConfiguration } from "../catalogue/tool_filter.ts";
import { type Command, type CommandLine, readFormat } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { type DoctorFinding, doctorReport, type ReportSection } from "../print/doctor_report.ts";
import { checkServers, toolsByExecutor } from "../server_findings.ts";
import { configPlace, toolsDirectory } from "../../config/config_files.ts";
import { writeAll } from "../streams.ts";

/** The capabilities that are checked even if no tool requires them. */
const USUAL = ["bash", "git", "rg", ...(Deno.build.os === "linux" ? ["bwrap"] : []), "state"];

const ADVICE = `
A part of the sandbox does not work. Calls that start programs are refused where the sandbox
is missing. --unconfined-run starts programs without a sandbox; only the call itself is checked.
`;

/**
 * `toolcall doctor`: tests the sandbox on this machine, the capabilities that tools need, and the
 * MCP servers. The exit code is 0 when the sandbox works, else 1. The process is sandboxed
 * afterwards.
 */
export const doctorCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 0);
  const format = readFormat(line, ["text", "json"]);
  // A configuration that cannot be used is reported with the other findings.
  const options = await process.callOptions(line, { isConfigured: false });
  const directory = toolsDirectory(configPlace(line), line.options.get("tools-dir"));
  await addUsableTools(options.registry, directory, options.program);
  const setup = capabilitySetup(options, line);
  const capabilities = new Capabilities(setup);
  // This comes first, because the process cannot leave the sandbox again.
  const { patchSection } = await import("../patch_findings.ts");
  const patches = await patchSection(options.stateDir);
  const needed = await checkCapabilities(options, capabilities);
  const { all, fault } = findBundles(line, options);
  const others = [
    needed,
    patches,
    await checkBundles(all, options, capabilities),
    ...await checkServers(setup, fault),
  ];
  const plans = await toolsByExecutor(options);
  const layers = await testSandbox(capabilities, options);
  const ok = layers.every((layer) => layer.ok || layer.optional);
  const title = "Sandbox of the programs that a call starts";
  const sections = [{ title, findings: layers }, ...others];
  const findings = sections.flatMap((section) => section.findings);
  const planned = {
    title: "Where calls run under these flags (for one call, see toolcall check)",
    findings: [],
    note: Object.entries(plans).map(([executor, names]) => `${executor}: ${names.join(", ")}`)
      .join("\n"),
  };
  await writeAll(
    process.stdout,
    format === "json"
      ? `${JSON.stringify({ ok, findings, plans })}\n`
      : doctorReport([...sections, planned], process.stdout) + (ok ? "" : ADVICE),
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
    purpose: capabilityNamed(name)?.purpose ?? "nothing known",
    tools: tools.filter(({ requires }) => requires.includes(name)).map((tool) => tool.name),
  })));
  return { title: "Requirements of the tools", findings };
}

/** The bundles that can be used, and the tools that each leaves out. */
async function checkBundles(
  all: readonly Bundle[],
  options: CallOptions,
  capabilities: Capabilities,
): Promise<ReportSection> {
  const { registry, servers } = options;
  const names = all.flatMap(({ required, optional }) => [...required, ...optional]);
  const reasons = await withServersOf(names.filter((name) => !isPattern(name)), options);
  await servers.closeAll();
  const findings = await Promise.all(all.map(async (bundle): Promise<DoctorFinding> => {
    const { missing, omitted } = await checkBundle(bundle, { registry, capabilities, reasons });
    const said = Object.entries({ missing, omitted })
      .filter(([, tools]) => tools.length > 0)
      .map(([how, tools]) =>
        `${how}: ${tools.map(({ tool, why }) => `${tool} (${why})`).join(", ")}`
      );
    return {
      ...{ kind: "bundle", name: bundle.name, ok: missing.length === 0 },
      detail: [bundle.description, ...said].filter((text) => text !== "").join("; "),
      ...(omitted.length > 0 && { omitted: omitted.map(({ tool }) => tool) }),
    };
  }));
  return { title: "Bundles of tools (--bundle=NAME)", findings };
}

/** All bundles. A usable configuration adds its own, and its filters are applied. */
function findBundles(
  line: CommandLine,
  { registry, grants, program }: CallOptions,
): { all: Bundle[]; fault?: Error } {
  const place = configPlace(line);
  try {
    const { problems } = applyConfiguration(registry, { line, place, grants, program });
    const tools = () => registry.declared();
    const sections = new Configuration(place, tools).sections("bundles", grants);
    const all = allBundles(registry.all(), sections);
    return { all, ...(problems.length > 0 && { fault: new Error(problems[0]) }) };
  } catch (error) {
    return { all: allBundles(registry.all(), []), fault: error as Error };
  }
}

async function testSandbox(
  capabilities: Capabilities,
  { program, grants }: CallOptions,
): Promise<DoctorFinding[]> {
  const { os } = Deno.build;
  if (os === "darwin") return [await testSandboxExec()];
  if (os !== "linux") {
    const detail = `toolcall has no sandbox for this system (${os})`;
    return [{ kind: "sandbox", name: "sandbox", ok: false, detail }];
  }
  const landlock = await capabilities.find("landlock");
  const proc = procState();
  const tried = await trySandbox({ program, limits: {}, writable: grants.allow.write });
  const findings: Finding[] = [
    { name: "landlock", ...landlock },
    ...(proc === "own" ? [] : [{ name: "proc", ok: false, detail: PROC_FAULTS[proc] }]),
    ...tried,
  ];
  return findings.map((each) => ({ kind: "sandbox", ...each }));
}

/** The faults of /proc. The sandbox needs /proc to start and to end programs. */
const PROC_FAULTS = {
  missing: "/proc is not mounted, so the sandbox cannot be entered; mount it " +
    "(mount -t proc proc /proc)",
  other: "/proc belongs to another PID namespace or cannot be read, so programs that leave their " +
    "process group may outlive a call; mount it in this namespace (mount -t proc proc /proc)",
};

async function testSandboxExec(): Promise<DoctorFinding> {
  const args = ["-p", "(version 1)(allow default)", "/usr/bin/true"];
  const { code, said } = await runBriefly("/usr/bin/sandbox-exec", args);
  const detail = code === 0
    ? "sandbox-exec works and is used"
    : `sandbox-exec does not work: ${said === "" ? `exit code ${code}` : said}`;
  return { kind: "sandbox", name: "sandbox", ok: code === 0, detail };
}
