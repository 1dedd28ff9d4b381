import type { RegistryEntry } from "../../../../../src/runner/registry/registered_tool.ts";

// The path is not a literal because `scripts/generate.ts --tools` has to write the file first.
const index = new URL("tools/_generated/index.ts", import.meta.url).href;

/** The tools of the policy tests. */
export const entries: readonly RegistryEntry[] = (await import(index)).entries;
