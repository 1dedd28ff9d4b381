import type { RegistryEntry } from "../../../../../src/runner/registry/registered_tool.ts";

// Not a literal: the directory is there once `scripts/generate.ts --tools` has written it.
const index = new URL("tools/_generated/index.ts", import.meta.url).href;

/** The tools of the tests of policy. */
export const entries: readonly RegistryEntry[] = (await import(index)).entries;
