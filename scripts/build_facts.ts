import { join } from "node:path";

/** Facts about a build, which the program reads from `build.json` beside it. */
export interface BuildFacts {
  /** The commit of the sources. */
  commit: string;
  /** The version of ripgrep, or "missing". */
  ripgrep: string;
}

/** Writes the facts into the directory of a bundle. */
export async function writeBuildFacts(directory: string, facts: BuildFacts): Promise<void> {
  await Deno.writeTextFile(join(directory, "build.json"), `${JSON.stringify(facts)}\n`);
}

/** The version that a ripgrep of this platform prints. "missing" if it cannot be run. */
export async function ripgrepVersion(): Promise<string> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    const { stdout } = await new Deno.Command(rgPath, { args: ["--version"] }).output();
    return /\d+(?:\.\d+)+/.exec(new TextDecoder().decode(stdout))?.[0] ?? "missing";
  } catch {
    return "missing";
  }
}
