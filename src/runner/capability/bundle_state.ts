import type { Bundle } from "../registry/bundles.ts";
import { isPattern, namesTool } from "../registry/name_pattern.ts";
import type { RegistryEntry } from "../registry/registered_tool.ts";
import type { Registry } from "../registry/registry.ts";
import type { Capabilities } from "./capabilities.ts";

/** A tool of a bundle that cannot be used. */
export interface MissingTool {
  /** The name in the bundle. */
  tool: string;
  /** The reason. */
  why: string;
  /** How to get it, if it is known. */
  advice?: string;
}

/** The tools of a bundle that cannot be used. */
export interface BundleState {
  /** The required tools: they are unknown or disabled, or a capability is missing. */
  missing: MissingTool[];
  /** The optional tools. The bundle works without them. */
  leftOut: MissingTool[];
}

/**
 * Checks each tool of a bundle and the capabilities that it requires. `reasons` explains, by name,
 * why tools are not in the registry. Starts no program. Never rejects.
 */
export async function checkBundle(
  { required, optional }: Bundle,
  { registry, capabilities, reasons }: {
    registry: Registry;
    capabilities: Capabilities;
    reasons: ReadonlyMap<string, string>;
  },
): Promise<BundleState> {
  const missing = await Promise.all(required.map((name) => findMissing(name)));
  const some = optional.flatMap((pattern) =>
    isPattern(pattern)
      ? registry.entries().filter((tool) => namesTool(pattern, tool)).map(({ name }) => name)
      : [pattern]
  );
  const leftOut = await Promise.all([...new Set(some)].map((name) => findMissing(name)));
  return { missing: missing.flat(), leftOut: leftOut.flat() };

  async function findMissing(name: string): Promise<MissingTool[]> {
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
      // Commands get their own lines, so that they can be copied.
      const help = advice.startsWith("toolcall ") ? `to get it:\n${advice}` : advice;
      return [{ tool: name, why: `it needs ${capability}`, advice: `${detail}; ${help}` }];
    }
    return [];
  }
}
