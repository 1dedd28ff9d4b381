import { pathRules } from "../../../base/fs/path_rules.ts";
import { decide, type Grants } from "../policy/grants.ts";
import { realPathIfAny } from "../policy/paths.ts";
import { programEnvironment } from "./environment.ts";

/** The variables of programs, without those of the call's own directory. */
export interface HostEnvironment {
  /** The variables by name. */
  variables: Record<string, string>;
  /** Whether HOME is the caller's, and not the call's own directory. */
  keepsHome: boolean;
}

/**
 * The environment of programs. In the sandbox, HOME is the caller's if programs may read it or the
 * flags name it.
 */
export function hostEnvironment(grants: Grants, sandboxed: boolean): HostEnvironment {
  const variables = programEnvironment(grants);
  if (!sandboxed) return { variables, keepsHome: true };
  const given = variables["HOME"] ?? "";
  const home = pathRules.isAbsolute(given) ? realPathIfAny(given) : undefined;
  const { env: named } = grants.allow;
  const keepsHome = Array.isArray(named) && named.includes("HOME") &&
      decide({ name: "env", variable: "HOME" }, grants).granted ||
    home !== undefined && decide({ name: "read", path: home }, grants).granted;
  return { variables, keepsHome };
}
