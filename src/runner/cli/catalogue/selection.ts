import type { Configuration, Section } from "../../config/configuration.ts";
import { quote } from "../../../base/text/quote.ts";
import { builtInBundles, type Bundle } from "../../registry/bundles.ts";
import { namesTool } from "../../registry/name_pattern.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import type { RegistryEntry } from "../../registry/registered_tool.ts";
import type { Registry } from "../../registry/registry.ts";
import { unknownTool } from "../../registry/unknown_tool.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import type { CommandLine } from "../parse.ts";
import { UsageError } from "../../../base/errors.ts";

/** What may be listed and called, as flags and files say it. */
export interface Selection {
  /** The flags. */
  options: CommandLine["options"];
  /** The configuration. */
  configuration: Configuration;
  /** What the flags allow: a file that programs of a call may write is refused. */
  grants: Grants;
}

/**
 * Disables the tools that a flag or a file of the configuration leaves out; each of them holds,
 * whatever the others say. Returns the bundle, if one is asked for. Throws {@link UsageError} for
 * a name of the flags that is none, and `unavailable` for one of the configuration.
 */
export function limitTools(
  registry: Registry,
  { options, configuration, grants }: Selection,
): Bundle | undefined {
  const tools = registry.entries();
  const only = namesOf("tools", { options, tools });
  const none = namesOf("no-tools", { options, tools });
  if (only !== undefined) keepTo(registry, only, "--tools does not name it");
  if (none !== undefined) leaveOut(registry, none, "--no-tools names it");
  for (const { path, value } of configuration.sections("tools", grants)) {
    const { enabled, disabled } = value as { enabled?: string[]; disabled?: string[] };
    const where = `of ${quote(path, 4096)}`;
    if (enabled !== undefined) {
      keepTo(registry, enabled, `"tools.enabled" ${where} does not name it`);
    }
    if (disabled !== undefined) leaveOut(registry, disabled, `"tools.disabled" ${where} names it`);
  }
  const name = options.get("bundle");
  if (name === undefined) return undefined;
  const bundle = bundleNamed(name, { tools, sections: configuration.sections("bundles", grants) });
  const { required, optional } = bundle;
  keepTo(registry, [...required, ...optional], `the bundle ${quote(name)} does not hold it`);
  return bundle;
}

/** Every bundle: those of the program, and those of the configuration. */
export function allBundles(
  { tools, sections }: { tools: readonly RegistryEntry[]; sections: readonly Section[] },
): Bundle[] {
  const own = sections.toReversed().flatMap(({ value }) =>
    Object.entries(value as Record<string, Partial<Bundle>>).map(([name, said]): Bundle => (
      { name, description: "", required: [], optional: [], ...said }
    ))
  );
  const builtIn = builtInBundles(tools);
  const names = new Set(builtIn.map(({ name }) => name));
  // Of two of one name the program's counts, then the user's own.
  return [...builtIn, ...own.filter(({ name }) => !names.has(name) && names.add(name))];
}

function bundleNamed(
  name: string,
  catalogue: { tools: readonly RegistryEntry[]; sections: readonly Section[] },
): Bundle {
  const bundles = allBundles(catalogue);
  const bundle = bundles.find((each) => each.name === name);
  if (bundle !== undefined) return bundle;
  const names = bundles.map((each) => each.name);
  const near = nearest(name, names);
  const said = near === undefined ? `known are ${names.join(", ")}` : hint(near, "");
  throw new UsageError(`Unknown bundle ${quote(name)}; ${said}`);
}

/** The names that a flag lists. One that no tool has is refused: it was meant for one. */
function namesOf(
  flag: string,
  { options, tools }: { options: CommandLine["options"]; tools: readonly RegistryEntry[] },
): string[] | undefined {
  const names = options.get(flag)?.split(",").map((name) => name.trim());
  for (const name of names ?? []) {
    const fault = unknownTool(name, tools);
    if (fault !== undefined) throw new UsageError(`Cannot use --${flag}: ${fault}`);
  }
  return names;
}

function keepTo(registry: Registry, names: readonly string[], why: string): void {
  registry.limit((tool) => names.some((name) => namesTool(name, tool)) ? undefined : why);
}

function leaveOut(registry: Registry, names: readonly string[], why: string): void {
  registry.limit((tool) => names.some((name) => namesTool(name, tool)) ? why : undefined);
}
