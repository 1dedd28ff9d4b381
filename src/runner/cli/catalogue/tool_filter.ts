import { type ConfigSection, Configuration, type SectionName } from "../../config/configuration.ts";
import { addApiTools } from "../../api_tools/api_entries.ts";
import { addCommandTools } from "../../command_tools/command_entries.ts";
import { compatEntries, disableWithoutTarget } from "../../compat/compat_entries.ts";
import type { Program } from "../../program.ts";
import type { ConfigPlace } from "../../config/config_files.ts";
import type { ToolNames } from "../../registry/api_names.ts";
import type { ConfiguredPolicy } from "../../registry/define.ts";
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
  policyOf?(tool: string): ConfiguredPolicy;
  /** The bundle of `--bundle`. */
  bundle?: Bundle;
  /** Messages about sections that do not count. */
  problems: readonly string[];
}

/**
 * Disables the tools that flags and configuration files leave out, and returns their other
 * settings. Throws `UsageError` for invalid flags and `unavailable` for invalid files.
 */
export function applyConfiguration(
  registry: Registry,
  { line, place, grants, program }: {
    line: CommandLine;
    place: ConfigPlace;
    grants: Grants;
    program: Pick<Program, "commands">;
  },
): ToolConfiguration {
  const configuration = new Configuration(place, () => registry.declared());
  const sections = (name: SectionName) => configuration.sections(name, grants);
  // The user's own file comes first: a project cannot replace a tool of the user.
  addCommandTools(registry, sections("commands").reverse(), program);
  addApiTools(registry, sections("apis").reverse(), grants);
  registry.registerLater(() => compatEntries(registry));
  const bundle = filterTools(registry, line.options, sections);
  // The user's own file comes before the file of the root directory.
  const policies = sections("policy").map(({ value }) => value as Record<string, ConfiguredPolicy>)
    .reverse();
  const named = (name: string) =>
    registry.all().find((tool) => tool.name === name) ?? { name, aliases: [] };
  return {
    problems: configuration.untrusted(["commands", "apis", "prompts"]),
    ...(bundle !== undefined && { bundle }),
    ...(policies.length > 0 && { policyOf: (name) => policyOf(named(name), policies) }),
  };
}

/** The policy of a tool. An exact name wins over patterns, and a long pattern over a short one. */
function policyOf(
  tool: ToolNames,
  files: readonly Record<string, ConfiguredPolicy>[],
): ConfiguredPolicy {
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

/**
 * Disables the tools that a flag or a configuration file leaves out. All filters apply together.
 * Returns the bundle of `--bundle`. Throws {@link UsageError} for an unknown name in a flag, and
 * `unavailable` for one in a file.
 */
function filterTools(
  registry: Registry,
  options: CommandLine["options"],
  sections: (name: SectionName) => ConfigSection[],
): Bundle | undefined {
  const tools = () => registry.all();
  const bundle = findBundle(options.get("bundle"), tools, sections);
  if (bundle?.adds !== undefined) registry.offer(bundle.adds, bundle.optional);
  const [only, none] = ["tools", "no-tools"].map((flag) => parseNames(flag, options, tools));
  allowOnly(registry, only, "--tools does not name it");
  exclude(registry, none, "--no-tools names it");
  for (const { path, value } of sections("tools")) {
    const { enabled, disabled } = value as { enabled?: string[]; disabled?: string[] };
    const where = `of ${quote(path, 4096)}`;
    allowOnly(registry, enabled, `"tools.enabled" ${where} does not name it`);
    exclude(registry, disabled, `"tools.disabled" ${where} names it`);
  }
  if (bundle?.adds !== undefined) disableWithoutTarget(registry);
  if (bundle === undefined || bundle.adds !== undefined) return bundle;
  const { name, required, optional } = bundle;
  allowOnly(registry, [...required, ...optional], `the bundle ${quote(name)} does not hold it`);
  return bundle;
}

/** The bundle of that name, if a name is given. Throws {@link UsageError} for an unknown one. */
function findBundle(
  name: string | undefined,
  tools: () => readonly RegistryEntry[],
  sections: (name: SectionName) => ConfigSection[],
): Bundle | undefined {
  if (name === undefined) return undefined;
  const bundles = allBundles(tools(), sections("bundles"));
  const bundle = bundles.find((each) => each.name === name);
  if (bundle !== undefined) return bundle;
  const names = bundles.map((each) => each.name);
  const near = nearest(name, names);
  const said = near === undefined ? `available: ${names.join(", ")}` : hint(near, "");
  throw new UsageError(`Unknown bundle ${quote(name)}; ${said}`);
}

/** All bundles: the built-in ones and those of the configuration. */
export function allBundles(
  tools: readonly RegistryEntry[],
  sections: readonly ConfigSection[],
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

/** The names in a flag. An unknown name is an error, because it is probably misspelled. */
function parseNames(
  flag: string,
  options: CommandLine["options"],
  tools: () => readonly RegistryEntry[],
): string[] | undefined {
  const names = options.get(flag)?.split(",").map((name) => name.trim());
  for (const name of names ?? []) {
    const fault = toolNameFault(name, tools());
    if (fault !== undefined) throw new UsageError(`Cannot use --${flag}: ${fault}`);
  }
  return names;
}

function allowOnly(registry: Registry, names: readonly string[] | undefined, why: string): void {
  if (names === undefined) return;
  registry.addFilter((tool) => names.some((name) => namesTool(name, tool)) ? undefined : why);
}

function exclude(registry: Registry, names: readonly string[] | undefined, why: string): void {
  if (names === undefined) return;
  registry.addFilter((tool) => names.some((name) => namesTool(name, tool)) ? why : undefined);
}
