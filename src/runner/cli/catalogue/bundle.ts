import type { CapabilitySetup } from "../../capability/capability.ts";
import type { CallOptions } from "../../call/call.ts";
import { callersEnvironment } from "../../sandbox/executors/environment.ts";
import type { CommandLine } from "../command.ts";
import { CallError } from "../../../base/errors.ts";
import { checkBundle, type MissingTool } from "../../capability/bundle_state.ts";
import { Capabilities } from "../../capability/capabilities.ts";
import { withServersOf } from "../../call/servers.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Bundle } from "../../registry/bundles.ts";
import { namesTool } from "../../registry/name_pattern.ts";

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

/**
 * Checks the required tools of a bundle and disables the optional tools that cannot be used.
 * Rejects with `unavailable`. The error names each required tool that is missing and how to get it.
 */
export async function useBundle(
  bundle: Bundle,
  settings: CallOptions,
  line: CommandLine,
): Promise<void> {
  const { registry } = settings;
  const reasons = await withServersOf(bundle.required, settings);
  const capabilities = new Capabilities(capabilitySetup(settings, line));
  const { missing, leftOut } = await checkBundle(bundle, { registry, capabilities, reasons });
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
  for (const lack of leftOut) {
    const entry = registry.entries().find((entry) => namesTool(lack.tool, entry));
    const why = `the bundle ${name} leaves it out: ${describe(lack)}`;
    if (entry !== undefined) registry.disable(entry.name, why);
  }
}

function describe({ why, advice }: MissingTool): string {
  return advice === undefined ? why : `${why}: ${advice}`;
}
