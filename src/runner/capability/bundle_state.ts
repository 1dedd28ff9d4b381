import type { Bundle } from "../registry/bundles.ts";
import { isPattern, namesTool } from "../registry/name_pattern.ts";
import type { RegistryEntry } from "../registry/registered_tool.ts";
import type { Registry } from "../registry/registry.ts";
import type { Capabilities } from "./capabilities.ts";

/** A tool of a bundle that cannot be used here. */
export interface MissingTool {
  /** The name that the bundle says. */
  tool: string;
  /** Why. */
  why: string;
  /** What would help, where there is more to say. */
  advice?: string;
}

/** What of a bundle can be used here. */
export interface BundleState {
  /** The required tools that are not there, are disabled, or lack what they require. */
  missing: MissingTool[];
  /** The optional ones: without them the bundle goes on. */
  leftOut: MissingTool[];
}

/**
 * Looks at each tool of a bundle and at what it requires; `reasons` says why tools are not in the
 * registry, by their names. No program is started. Never rejects.
 */
export async function checkBundle(
  { required, optional }: Bundle,
  { registry, capabilities, reasons }: {
    registry: Registry;
    capabilities: Capabilities;
    reasons: ReadonlyMap<string, string>;
  },
): Promise<BundleState> {
  const missing = await Promise.all(required.map((name) => lackOf(name)));
  const some = optional.flatMap((pattern) =>
    isPattern(pattern)
      ? registry.entries().filter((tool) => namesTool(pattern, tool)).map(({ name }) => name)
      : [pattern]
  );
  const leftOut = await Promise.all([...new Set(some)].map((name) => lackOf(name)));
  return { missing: missing.flat(), leftOut: leftOut.flat() };

  async function lackOf(name: string): Promise<MissingTool[]> {
    let entry: RegistryEntry;
    try {
      entry = registry.get(name);
    } catch (error) {
      return [{ tool: name, why: reasons.get(name) ?? (error as Error).message }];
    }
    for (const capability of entry.requires ?? []) {
      const found = await capabilities.find(capability);
      if (found.ok) continue;
      const { detail, advice } = found;
      // Commands stand in lines of their own, to be copied.
      const help = advice.startsWith("toolcall ") ? `to get it:\n${advice}` : advice;
      return [{ tool: name, why: `it needs ${capability}`, advice: `${detail}; ${help}` }];
    }
    return [];
  }
}
