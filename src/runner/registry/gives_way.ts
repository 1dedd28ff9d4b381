import type { RegistryEntry } from "./registered_tool.ts";

/**
 * Whether a tool leaves a name to a configured tool: it is one of a group, or the name is that of the
 * bash that a model's vendor defines.
 */
export function givesWay({ name, offered }: RegistryEntry, wanted: string): boolean {
  if (offered !== undefined) return true;
  return wanted === "bash" && ["Bash", "shell.run", "shell.exec"].includes(name);
}
