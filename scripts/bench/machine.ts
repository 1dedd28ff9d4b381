/** Describes the machine of a run. Nothing in it identifies a place: no host name and no path. */
import { programInPath, usedNode, usedPackages } from "./peers.ts";

/** Facts about a machine, as lines of `name: value`. */
export type Machine = readonly (readonly [name: string, value: string])[];

/** The weaknesses of processors whose remedies make system calls and new processes slower. */
const WEAKNESSES = [
  ...["meltdown", "mds", "retbleed", "spec_rstack_overflow", "spec_store_bypass"],
  ...["spectre_v1", "spectre_v2", "tsa", "indirect_target_selection", "vmscape"],
];

/**
 * Describes this machine, and the programs that measure and were measured. `load` is the system's
 * load when the run began.
 */
export async function describeMachine(executable: string, load: number): Promise<Machine> {
  const facts: [string, string | undefined][] = [
    ["date", new Date().toISOString().slice(0, 10)],
    ["cores", String(navigator.hardwareConcurrency)],
    ["processor", processor()],
    ["memory", `${Math.round(Deno.systemMemoryInfo().total / 2 ** 30)} GiB`],
    ["system", `${Deno.build.os} ${Deno.osRelease().split("-")[0]}, ${Deno.build.arch}`],
    ["mitigations", mitigations()],
    ["load before the run", load.toFixed(1)],
    ["toolcall", await versionOf(executable)],
    ["Deno", Deno.version.deno],
    ["Node", await versionOf(await usedNode())],
    ["from npm", usedPackages().join(", ") || undefined],
    ["bwrap", await versionOf(orNothing(() => programInPath("bwrap")))],
  ];
  return facts.flatMap(([name, value]) => value === undefined ? [] : [[name, value]] as const);
}

function processor(): string | undefined {
  const info = readText("/proc/cpuinfo");
  return info?.match(/^model name\s*:\s*(.+)$/m)?.[1] ?? info?.match(/^CPU part\s*:\s*(.+)$/m)?.[1];
}

function mitigations(): string | undefined {
  const found = WEAKNESSES.flatMap((name) => {
    const text = readText(`/sys/devices/system/cpu/vulnerabilities/${name}`)?.trim();
    if (text === undefined || text === "Not affected") return [];
    return [`${name} (${text.replace(/^Mitigation: /, "").split(/[;,]/)[0]})`];
  });
  return found.length === 0 ? undefined : found.join(", ");
}

/** The version that a program prints, without its name. */
async function versionOf(program: string | undefined): Promise<string | undefined> {
  if (program === undefined) return undefined;
  try {
    const { stdout } = await new Deno.Command(program, { args: ["--version"] }).output();
    return new TextDecoder().decode(stdout).match(/\d[\w.]*/)?.[0];
  } catch {
    return undefined;
  }
}

function orNothing(find: () => string): string | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}
