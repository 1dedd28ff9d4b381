import type { Grants } from "../sandbox/policy/grants.ts";
import type { Scope } from "../sandbox/policy/scope.ts";
import { flags } from "./flags.ts";

/**
 * The flags that give a child process the same grants and options. Flags that do not go with `call`
 * are left out.
 */
export function flagArguments(
  { all, allow, deny, hosts }: Grants,
  options: ReadonlyMap<string, string>,
): string[] {
  const scopes = [
    ...Object.entries(allow).map(([kind, scope]) => scopeFlag(`--allow-${kind}`, scope)),
    ...Object.entries(deny).map(([kind, scope]) => scopeFlag(`--deny-${kind}`, scope)),
    ...(allow.net === true ? scopeFlag("--allow-net", hosts ?? []) : []),
  ];
  const others = [...options].filter(([name]) => {
    const flag = flags.find((each) => each.name === name);
    return name !== "allow-all" && flag?.commands?.includes("call") && !flag.ownOnly;
  });
  return [
    ...(all ? ["--allow-all"] : []),
    ...scopes.flat(),
    ...others.map(([name, value]) => value === "" ? `--${name}` : `--${name}=${value}`),
  ];
}

function scopeFlag(flag: string, scope: Scope): string[] {
  if (scope === true) return [flag];
  // A comma at the start of a value would be parsed as part of the value before it.
  const apart = scope.filter((value) => value.startsWith(","));
  const together = scope.filter((value) => !value.startsWith(","));
  const lists = [...(together.length > 0 ? [together] : []), ...apart.map((value) => [value])];
  return lists.map((list) =>
    `${flag}=${list.map((value) => value.replaceAll(",", ",,")).join(",")}`
  );
}
