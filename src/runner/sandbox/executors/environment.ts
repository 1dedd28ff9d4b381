import { readVariable } from "../../../base/environment.ts";
import type { Grants } from "../policy/grants.ts";
import { programDirectories } from "../policy/programs.ts";
import type { Scope } from "../policy/scope.ts";
import { trustedPath } from "../policy/paths.ts";
import { hiddenVariables, KEPT_PREFIX } from "../../own_environment.ts";

/** The variables of the caller's environment that every program gets, besides PATH. */
const BASE = ["HOME", "LANG", "TERM", "TMPDIR"];

/** Variables that the head of the executable puts aside, because the runtime obeys them. */
const PUT_ASIDE = /^(DENO|NODE|OTEL)_|^RUST_LOG$/;

/** Variables that the head, or a process of this program, may have set. */
const SET_BY_US = ["DENO_DIR", "DENO_NO_UPDATE_CHECK", ...hiddenVariables];

/**
 * The environment of a program: PATH without its relative directories, HOME, LANG,
 * TERM, TMPDIR, the caller's variables that `--allow-env` names and no flag denies, and
 * nothing else.
 */
export function programEnvironment({ allow, deny }: Grants): Record<string, string> {
  const named = Array.isArray(allow.env) ? allow.env : [];
  const names = [
    ...BASE,
    ...named.filter((name) => deny.env !== true && !deny.env?.includes(name)),
  ];
  const variables = names.flatMap((name) => {
    const value = callersVariable(name);
    return value === undefined ? [] : [[name, value]];
  });
  return { PATH: programDirectories().join(":"), ...Object.fromEntries(variables) };
}

/** A variable as the caller set it: the head puts aside those that would change the runtime. */
function callersVariable(name: string): string | undefined {
  const aside = PUT_ASIDE.test(name) ? readVariable(KEPT_PREFIX + name) : undefined;
  return aside ?? (SET_BY_US.includes(name) ? undefined : readVariable(name));
}

/**
 * The environment of a program outside the sandbox: `env`, with PATH reduced to what is trusted.
 * Such a program then never starts, by a name, a program that a call has put there.
 */
export function outsideEnvironment(
  env: Record<string, string>,
  writable: Scope | undefined,
): Record<string, string> {
  return { ...env, PATH: trustedPath(env["PATH"] ?? programDirectories().join(":"), writable) };
}

/** All of the caller's environment, as it was before the head of the executable. */
export function callersEnvironment(): Record<string, string> {
  const names = Object.keys(Deno.env.toObject()).map((name) =>
    name.startsWith(KEPT_PREFIX) ? name.slice(KEPT_PREFIX.length) : name
  );
  return Object.fromEntries(names.flatMap((name) => {
    const value = callersVariable(name);
    return value === undefined ? [] : [[name, value]];
  }));
}
