import { UsageError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { parseCommandLine } from "../cli/parse_command_line.ts";
import { flags } from "../cli/flags.ts";
import type { PermissionKind } from "../registry/define.ts";
import type { Grants } from "../sandbox/policy/grants.ts";

/** The kinds of permission of a runner. */
const KINDS: readonly RunnerKind[] = ["read", "write", "net", "run", "env", "sys"];

/** A kind of permission that a runner can grant. A runner has no MCP servers. */
export type RunnerKind = Exclude<PermissionKind, "mcp">;

/** The granted or denied values by kind. `true` is everything of the kind. */
export type RunnerScopes = { readonly [kind in RunnerKind]?: true | readonly string[] };

/**
 * The permissions of a runner as an object. The values are those of the flags. `deny` overrides the
 * others.
 *
 * @example
 * ```ts
 * import { createRunner, type RunnerPermissions } from "@toolcall/toolcall";
 *
 * const permissions: RunnerPermissions = { read: ["."], deny: { read: ["./secrets"] } };
 * createRunner({ tools: [], permissions });
 * createRunner({ tools: [], permissions: ["--allow-read=.", "--deny-read=./secrets"] });
 * ```
 */
export interface RunnerPermissions extends RunnerScopes {
  /** Whether everything is allowed that `deny` does not name. The default is false. */
  readonly all?: boolean;
  /** The denied values. */
  readonly deny?: RunnerScopes;
}

/**
 * The command line of permissions: an object, or the flags in a list or in one text with blanks
 * between them. Throws {@link UsageError} for anything else.
 */
export function permissionArguments(
  given: RunnerPermissions | string | readonly string[],
): string[] {
  if (typeof given !== "string" && !isList(given)) return flagsOf(given);
  const args = typeof given === "string" ? given.split(/\s+/).filter((arg) => arg !== "") : given;
  for (const arg of args) {
    if (typeof arg === "string" && isPermissionFlag(arg)) continue;
    throw new UsageError(
      `Cannot use ${quote(String(arg), 80)} as a permission of a runner; ` +
        'use flags such as "--allow-read=PATH" and "--deny-net"',
    );
  }
  return [...args];
}

/** The grants of a command line of permissions. */
export async function grantsOf(args: readonly string[]): Promise<Grants> {
  return (await parseCommandLine(args)).grants;
}

function isList(given: RunnerPermissions | readonly string[]): given is readonly string[] {
  return Array.isArray(given);
}

function isPermissionFlag(arg: string): boolean {
  const [head = ""] = arg.split("=", 1);
  const named = head.startsWith("--")
    ? [flags.find(({ name }) => name === head.slice(2))]
    : [...head.slice(1)].map((letter) => flags.find(({ short }) => short === letter));
  return head.startsWith("-") && named.length > 0 &&
    named.every((flag) =>
      flag?.name === "allow-all" ||
      flag?.permission !== undefined && flag.permission.kind !== "mcp"
    );
}

function flagsOf(given: RunnerPermissions): string[] {
  const { all = false, deny = {}, ...allow } = given;
  if (typeof all !== "boolean") throw wrongValue("all", "true or false");
  return [
    ...(all ? ["--allow-all"] : []),
    ...scopeFlags("allow", allow),
    ...scopeFlags("deny", deny),
  ];
}

function scopeFlags(effect: "allow" | "deny", scopes: RunnerScopes): string[] {
  return Object.entries(scopes).flatMap(([kind, scope]) => {
    if (!KINDS.some((each) => each === kind)) {
      throw new UsageError(
        `Unknown permission ${quote(kind, 80)} of a runner; available: ${KINDS.join(", ")}`,
      );
    }
    if (scope === undefined) return [];
    if (scope === true) return [`--${effect}-${kind}`];
    if (!Array.isArray(scope) || scope.some((value) => typeof value !== "string" || value === "")) {
      throw wrongValue(kind, "true or a list of strings");
    }
    if (scope.length === 0) return [];
    return [`--${effect}-${kind}=${scope.map((each) => each.replaceAll(",", ",,")).join(",")}`];
  });
}

function wrongValue(name: string, wanted: string): UsageError {
  return new UsageError(`The permission ${quote(name)} of a runner must be ${wanted}`);
}
