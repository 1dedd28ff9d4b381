import type { RegistryEntry } from "../../../src/runner/registry/registered_tool.ts";

// The specifier is not a literal, because `scripts/generate.ts --tools` writes the module later.
const index = new URL("tools/_generated/index.ts", import.meta.url).href;

/** The tools that the conformance suite calls. */
export const entries: readonly RegistryEntry[] = (await import(index)).entries;
