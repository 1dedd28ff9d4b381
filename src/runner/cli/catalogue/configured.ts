import { Configuration } from "../../config/configuration.ts";
import type { ConfigPlace } from "../../config/files.ts";
import type { Named } from "../../registry/api_names.ts";
import type { Policy } from "../../registry/define.ts";
import { isPattern, namesTool } from "../../registry/name_pattern.ts";
import type { Bundle } from "../../registry/bundles.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import type { CommandLine } from "../parse.ts";
import { limitTools } from "./selection.ts";

/** What flags and files say of the catalogue and of calls. */
export interface Configured {
  /** What is said of how the calls of a tool are treated, if anything is. */
  policyOf?(tool: string): Policy;
  /** The bundle that is asked for. */
  bundle?: Bundle;
}

/**
 * Disables what flags and files leave out of the catalogue, and returns what else they say.
 * Throws `UsageError` for flags that cannot be used, `unavailable` for files.
 */
export function configured(
  registry: Registry,
  { line, place, grants }: { line: CommandLine; place: ConfigPlace; grants: Grants },
): Configured {
  const tools = registry.entries();
  const configuration = new Configuration(place, tools);
  const bundle = limitTools(registry, { options: line.options, configuration, grants });
  // What the user's own file says counts before what that of the root folder does.
  const policies = configuration.sections("policy", grants)
    .map(({ value }) => value as Record<string, Policy>).reverse();
  const named = (name: string) => tools.find((tool) => tool.name === name) ?? { name, aliases: [] };
  return {
    ...(bundle !== undefined && { bundle }),
    ...(policies.length > 0 && { policyOf: (name) => policyOf(named(name), policies) }),
  };
}

/** What is said of a tool: by its name before patterns, by long ones before short ones. */
function policyOf(tool: Named, files: readonly Record<string, Policy>[]): Policy {
  const said = files.flatMap((file) =>
    Object.entries(file)
      .filter(([pattern]) => namesTool(pattern, tool))
      .sort(([a], [b]) => rank(b) - rank(a))
      .map(([, policy]) => policy)
  );
  return Object.assign({}, ...said.reverse());
}

function rank(pattern: string): number {
  return isPattern(pattern) ? pattern.length : Infinity;
}
