import type { Program } from "../program.ts";
import type { Registry } from "../registry/registry.ts";

/**
 * Adds the tools of a tools directory whose names are free, for a command that calls none of them.
 * A directory or file that cannot be used adds nothing: `list` and calls say why.
 */
export async function addUsableTools(
  registry: Registry,
  directory: string | undefined,
  program: Program,
): Promise<void> {
  if (directory === undefined) return;
  const { toolsOfDirectory } = await import("./tools_directory.ts");
  const taken = new Set(registry.all().flatMap(({ name, aliases }) => [name, ...aliases]));
  for (const entry of await toolsOfDirectory(directory, program)) {
    const names = [entry.name, ...entry.aliases];
    if (names.some((name) => taken.has(name))) continue;
    for (const name of names) taken.add(name);
    registry.register(entry);
  }
}
