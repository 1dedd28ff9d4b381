import { type ConfigSection, Configuration } from "../../config/configuration.ts";
import type { ConfigPlace } from "../../config/config_files.ts";
import type { ToolNames } from "../../registry/api_names.ts";
import type { Policy } from "../../registry/define.ts";
import { isPattern, namesTool, toolNameFault } from "../../registry/name_pattern.ts";
import { builtInBundles, type Bundle } from "../../registry/bundles.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import type { CommandLine } from "../command.ts";
import { quote } from "../../../base/text/quote.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import type { RegistryEntry } from "../../registry/registered_tool.ts";
import { UsageError } from "../../../base/errors.ts";

/** The settings of flags and configuration files for tools. */
export interface ToolConfiguration {
  /** The policy for the calls of a tool. Missing if no file has one. */
  policyOf?(tool: string): Policy;
  /** The bundle of `--bundle`. */
  bundle?: Bundle;
}

/**
 * Disables the tools that flags and configuration files leave out, and returns their other
 * settings. Throws `UsageError` for invalid flags and `unavailable` for invalid files.
 */
export function applyConfiguration(
  registry: Registry,
  { line, place, grants }: { line: CommandLine; place: ConfigPlace; grants: Grants },
): ToolConfiguration {
  const tools = registry.entries();
  const configuration = new Configuration(place, tools);
  const bundle = filterTools(registry, { options: line.options, configuration, grants });
  // The user's own file comes before the file of the root directory.
  const policies = configuration.sections("policy", grants)
    .map(({ value }) => value as Record<string, Policy>).reverse();
  const named = (name: string) => tools.find((tool) => tool.name === name) ?? { name, aliases: [] };
  return {
    ...(bundle !== undefined && { bundle }),
    ...(policies.length > 0 && { policyOf: (name) => policyOf(named(name), policies) }),
  };
}

/** The policy of a tool. An exact name wins over patterns, and a long pattern over a short one. */
function policyOf(tool: ToolNames, files: readonly Record<string, Policy>[]): Policy {
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

/** The sources of the filter. */
export interface Selection {
  /** The flags. */
  options: CommandLine["options"];
  /** The configuration. */
  configuration: Configuration;
  /** The permissions. A file that child processes may write is rejected. */
  grants: Grants;
}

/**
 * Disables the tools that a flag or a configuration file leaves out. All filters apply together.
 * Returns the bundle of `--bundle`. Throws {@link UsageError} for an unknown name in a flag, and
 * `unavailable` for one in a file.
 */
export function filterTools(
  registry: Registry,
  { options, configuration, grants }: Selection,
): Bundle | undefined {
  const tools = registry.entries();
  const only = parseNames("tools", { options, tools });
  const none = parseNames("no-tools", { options, tools });
  if (only !== undefined) allowOnly(registry, only, "--tools does not name it");
  if (none !== undefined) exclude(registry, none, "--no-tools names it");
  for (const { path, value } of configuration.sections("tools", grants)) {
    const { enabled, disabled } = value as { enabled?: string[]; disabled?: string[] };
    const where = `of ${quote(path, 4096)}`;
    if (enabled !== undefined) {
      allowOnly(registry, enabled, `"tools.enabled" ${where} does not name it`);
    }
    if (disabled !== undefined) exclude(registry, disabled, `"tools.disabled" ${where} names it`);
  }
  const name = options.get("bundle");
  if (name === undefined) return undefined;
  const bundle = findBundle(name, { tools, sections: configuration.sections("bundles", grants) });
  const { required, optional } = bundle;
  allowOnly(registry, [...required, ...optional], `the bundle ${quote(name)} does not hold it`);
  return bundle;
}

/** All bundles: the built-in ones and those of the configuration. */
export function allBundles(
  { tools, sections }: { tools: readonly RegistryEntry[]; sections: readonly ConfigSection[] },
): Bundle[] {
  const own = sections.toReversed().flatMap(({ value }) =>
    Object.entries(value as Record<string, Partial<Bundle>>).map(([name, said]): Bundle => (
      { name, description: "", required: [], optional: [], ...said }
    ))
  );
  const builtIn = builtInBundles(tools);
  const names = new Set(builtIn.map(({ name }) => name));
  // If two bundles have the same name, the built-in one is used, then the user's own.
  return [...builtIn, ...own.filter(({ name }) => !names.has(name) && names.add(name))];
}

function findBundle(
  name: string,
  catalogue: { tools: readonly RegistryEntry[]; sections: readonly ConfigSection[] },
): Bundle {
  const bundles = allBundles(catalogue);
  const bundle = bundles.find((each) => each.name === name);
  if (bundle !== undefined) return bundle;
  const names = bundles.map((each) => each.name);
  const near = nearest(name, names);
  const said = near === undefined ? `known are ${names.join(", ")}` : hint(near, "");
  throw new UsageError(`Unknown bundle ${quote(name)}; ${said}`);
}

/** The names in a flag. An unknown name is an error, because it is probably misspelled. */
function parseNames(
  flag: string,
  { options, tools }: { options: CommandLine["options"]; tools: readonly RegistryEntry[] },
): string[] | undefined {
  const names = options.get(flag)?.split(",").map((name) => name.trim());
  for (const name of names ?? []) {
    const fault = toolNameFault(name, tools);
    if (fault !== undefined) throw new UsageError(`Cannot use --${flag}: ${fault}`);
  }
  return names;
}

function allowOnly(registry: Registry, names: readonly string[], why: string): void {
  registry.addFilter((tool) => names.some((name) => namesTool(name, tool)) ? undefined : why);
}

function exclude(registry: Registry, names: readonly string[], why: string): void {
  registry.addFilter((tool) => names.some((name) => namesTool(name, tool)) ? why : undefined);
}
