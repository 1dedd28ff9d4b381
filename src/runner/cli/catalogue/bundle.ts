import type { CapabilitySetup } from "../../capability/capability.ts";
import type { CallOptions } from "../../call/call.ts";
import { callersEnvironment } from "../../sandbox/executors/environment.ts";
import type { CommandLine } from "../command.ts";
import { CallError } from "../../../base/errors.ts";
import { Capabilities } from "../../capability/capabilities.ts";
import { withServersOf } from "../../call/servers.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Bundle } from "../../registry/bundles.ts";
import { isPattern, namesTool } from "../../registry/name_pattern.ts";
import type { RegistryEntry } from "../../registry/registered_tool.ts";
import type { Registry } from "../../registry/registry.ts";

/** The setup by which capabilities are detected for this command line. */
export function capabilitySetup(
  { program, cwd: root, grants, stateDir }: CallOptions,
  { options }: CommandLine,
): CapabilitySetup {
  const config = options.get("config");
  return {
    ...{ program, root, grants, environment: callersEnvironment },
    ...(config !== undefined && { config }),
    ...(stateDir !== undefined && { stateDir }),
  };
}

/** A tool of a bundle that cannot be used. */
export interface MissingTool {
  /** The name in the bundle. */
  tool: string;
  /** The reason. */
  why: string;
  /** How to get it, if it is known. */
  advice?: string;
}

/**
 * Returns the tools of a bundle that cannot be used: they are unknown or disabled, or a capability
 * that they require is missing. The bundle works without those that are `omitted`, because they are
 * optional. `reasons` explains, by name, why tools are not in the registry. Starts no program. Never
 * rejects.
 */
export async function checkBundle(
  { required, optional }: Bundle,
  { registry, capabilities, reasons }: {
    registry: Registry;
    capabilities: Capabilities;
    reasons: ReadonlyMap<string, string>;
  },
): Promise<{ missing: MissingTool[]; omitted: MissingTool[] }> {
  const some = optional.flatMap((pattern) =>
    isPattern(pattern)
      ? registry.entries().filter((tool) => namesTool(pattern, tool)).map(({ name }) => name)
      : [pattern]
  );
  return { missing: await findMissing(required), omitted: await findMissing(new Set(some)) };

  async function findMissing(names: Iterable<string>): Promise<MissingTool[]> {
    return (await Promise.all(Array.from(names, (name) => check(name)))).flat();
  }

  async function check(name: string): Promise<MissingTool[]> {
    let entry: RegistryEntry;
    try {
      entry = registry.get(name);
    } catch (error) {
      return [{ tool: name, why: reasons.get(name) ?? (error as Error).message }];
    }
    let requires: readonly string[];
    try {
      // The entry of a tool of a tools directory does not know them.
      requires = entry.requires ?? (await entry.load()).metadata.requires;
    } catch (error) {
      return [{ tool: name, why: (error as Error).message }];
    }
    for (const capability of requires) {
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

/**
 * Checks the required tools of a bundle and disables the optional tools that cannot be used. Returns
 * a message about these, if there are any. Rejects with `unavailable`. The error names each required
 * tool that is missing and how to get it.
 */
export async function useBundle(
  bundle: Bundle,
  options: CallOptions,
  line: CommandLine,
): Promise<string | undefined> {
  const { registry } = options;
  const reasons = await withServersOf(bundle.required, options);
  const capabilities = new Capabilities(capabilitySetup(options, line));
  const { missing, omitted } = await checkBundle(bundle, { registry, capabilities, reasons });
  const name = quote(bundle.name);
  if (missing.length > 0) {
    const lines = missing.map((lack) =>
      `- ${quote(lack.tool)}: ${describe(lack).replaceAll("\n", "\n  ")}`
    );
    throw new CallError(
      "unavailable",
      `Cannot use the bundle ${name}, which requires tools that are missing here:\n${
        lines.join("\n")
      }`,
      { bundle: bundle.name, missing: missing.map(({ tool }) => tool) },
    );
  }
  for (const lack of omitted) {
    const entry = registry.entries().find((entry) => namesTool(lack.tool, entry));
    const why = `the bundle ${name} does not offer it: ${describe(lack)}`;
    if (entry !== undefined) registry.disable(entry.name, why);
  }
  if (omitted.length === 0) return undefined;
  const tools = omitted.map(({ tool, why }) => `${quote(tool)} (${why})`).join(", ");
  return `The bundle ${name} omits tools that cannot be used: ${tools}; see "toolcall doctor"`;
}

function describe({ why, advice }: MissingTool): string {
  return advice === undefined ? why : `${why}: ${advice}`;
}
