import { ownVariable } from "../../own_environment.ts";
import type { Program } from "../../program.ts";

/** The parts of the program with their versions, one line each. */
export function versionDetails(program: Program): string[] {
  const { commit, ripgrep } = buildFacts(program);
  return [
    `commit: ${commit}`,
    `format: ${formatOf(program)}`,
    `platform: ${Deno.build.target}`,
    `deno: ${Deno.version.deno}`,
    `v8: ${Deno.version.v8}`,
    `ripgrep: ${ripgrep}`,
  ];
}

function formatOf({ isBundled }: Program): string {
  if (!isBundled) return "sources";
  if (Deno.build.standalone) return "compile";
  return ownVariable("executable") === undefined ? "bundle" : "self-extracting";
}

/** The facts that the build has written beside the program. */
function buildFacts({ directory }: Program): { commit: string; ripgrep: string } {
  try {
    return JSON.parse(Deno.readTextFileSync(`${directory}/build.json`));
  } catch {
    return { commit: "unknown", ripgrep: "unknown" };
  }
}
