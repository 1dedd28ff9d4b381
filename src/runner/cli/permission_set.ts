import { pathRules } from "../../base/fs/path_rules.ts";
import { type ConfigPlace, configPlace, usualPlaces } from "../config/config_files.ts";
import { Configuration } from "../config/configuration.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import type { PermissionKind } from "../registry/define.ts";
import { hint, nearest } from "../../base/text/nearest.ts";
import { realPathIfAny } from "../sandbox/policy/paths.ts";
import type { Scope } from "../sandbox/policy/scope.ts";
import { flagArguments } from "./flag_arguments.ts";
import type { CommandLine } from "./command.ts";
import { widened } from "./parse_command_line.ts";
import { realGrants } from "./call_options.ts";
import { UsageError } from "../../base/errors.ts";

/** One side of a permission in a set: everything, nothing, or a list. */
type Scopes = boolean | readonly string[];
type PermissionEntry = Scopes | { allow?: Scopes; deny?: Scopes };

/** The set that a bare `-P` means. */
const DEFAULT_SET = "default";

/**
 * Replaces `-P[=NAME]` by the permissions of that set and adds them to those of the other flags. If
 * two sets have the same name, the user's own is used. Throws {@link UsageError} for an unknown
 * set, and `unavailable` for a configuration that cannot be used.
 */
export async function withPermissionSet(line: CommandLine): Promise<CommandLine> {
  const place = configPlace(line);
  const name = line.options.get("permission-set") || DEFAULT_SET;
  const configuration = new Configuration(place);
  const none = { all: false, allow: {}, deny: {} };
  const sections = configuration.sections("permissions", none).reverse();
  const section = sections.find(({ value }) => Object.hasOwn(value, name));
  if (section === undefined) {
    const known = [...new Set(sections.flatMap(({ value }) => Object.keys(value)))];
    throw unknownSet(name, known, place);
  }
  if (section.refusal !== undefined) throw section.refusal(name);
  const set = section.value[name] as Record<string, PermissionEntry>;
  const { grants } = line;
  const [allow, deny] = (["allow", "deny"] as const).map((side) => {
    const scopes = { ...grants[side] };
    for (const [name, said] of Object.entries(set)) {
      const [kind, part] = [name as PermissionKind, sideOf(said, side)];
      if (name === "all" || part === undefined || part === false) continue;
      scopes[kind] = widened(scopes[kind], scopeOf(kind, part, section.directory));
    }
    return scopes;
  });
  // A host named beside a bare `--allow-net` may be a private one, so it is not redundant.
  const named = sideOf(set["net"], "allow");
  const hosts = [...grants.hosts ?? [], ...(Array.isArray(named) ? named : [])];
  const all = grants.all || set["all"] === true;
  const merged = { all, allow: allow!, deny: deny!, ...(hosts.length > 0 && { hosts }) };
  // `all` comes from the file itself, so it must not excuse the file from the check.
  configuration.check(section, "permissions", {
    ...await realGrants({ ...merged, all: grants.all }, Deno.cwd()),
    ...(place.file !== undefined && { config: realPathIfAny(section.path) ?? section.path }),
  });
  const options = new Map(line.options);
  options.delete("permission-set");
  return { ...line, grants: merged, options, flags: flagArguments(merged, options) };
}

/** One side of a permission. A value without sides is the `allow` side. */
function sideOf(said: PermissionEntry | undefined, side: "allow" | "deny"): Scopes | undefined {
  const sides: Readonly<Record<string, unknown>> = isObject(said) ? said : { allow: said };
  return sides[side] as Scopes | undefined;
}

/** The scope of a part of the set. Relative paths start from the directory of the file. */
function scopeOf(kind: PermissionKind, part: true | readonly string[], directory: string): Scope {
  if (part === true) return true;
  const isPath = (value: string) =>
    kind === "read" || kind === "write" || kind === "run" && value.includes("/");
  return part.map((value) => isPath(value) ? pathRules.resolve(directory, value) : value);
}

function unknownSet(name: string, known: readonly string[], place: ConfigPlace): UsageError {
  const where = place.file === undefined ? usualPlaces(place) : quote(place.file);
  const near = nearest(name, known);
  const why = known.length === 0
    ? `none is configured; add it under "permissions" in ${where}`
    : near === undefined
    ? `available: ${known.join(", ")}`
    : hint(near, "");
  return new UsageError(`Unknown permission set ${quote(name)}; ${why}`);
}
