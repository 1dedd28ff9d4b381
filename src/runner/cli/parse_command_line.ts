import { UsageError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { PermissionKind } from "../registry/define.ts";
import type { Scope } from "../sandbox/policy/scope.ts";
import type { CommandLine } from "./command.ts";
import type { Flag } from "./flag.ts";
import { flags } from "./flags.ts";

/**
 * Parses a command line. Permission flags follow Deno's grammar: they take values only after `=`,
 * separated by commas, with `,,` for a comma in a value. `@std/cli/parse-args` has neither optional
 * values nor this grammar. Rejects with {@link UsageError} for an unknown flag, and for a flag
 * without its value.
 */
export async function parseCommandLine(args: readonly string[]): Promise<CommandLine> {
  const positionals: string[] = [];
  const given: string[] = [];
  const bareFlags = new Map<number, string>();
  let bareFlag: string | undefined;
  const options = new Map<string, string>();
  const allow: Partial<Record<PermissionKind, Scope>> = {};
  const deny: Partial<Record<PermissionKind, Scope>> = {};
  const hosts: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === "--") {
      positionals.push(...args.slice(at + 1));
      break;
    }
    if (!arg.startsWith("-") || arg === "-") {
      if (bareFlag !== undefined) bareFlags.set(positionals.length, bareFlag);
      bareFlag = undefined;
      positionals.push(arg);
      continue;
    }
    const { named, value } = await flagsOf(arg);
    // Letters in a cluster such as `-AR` never stand for such a flag.
    const isOwn = named.some((flag) => flag.ownOnly);
    if (!isOwn) given.push(arg);
    bareFlag = value === undefined && named.at(-1)?.isOptional === true ? arg : undefined;
    for (const [index, flag] of named.entries()) {
      const own = index === named.length - 1 ? value : undefined;
      if (flag.isOnce && options.has(flag.name)) {
        throw new UsageError(`The flag --${flag.name} is given twice; it takes one value`);
      }
      if (flag.permission !== undefined) {
        const scopes = flag.permission.effect === "allow" ? allow : deny;
        const { kind } = flag.permission;
        const scope = scopeOf(flag, own);
        scopes[kind] = widened(scopes[kind], scope);
        // A host named beside a bare `--allow-net` may be a private one, so it is not redundant.
        if (kind === "net" && scopes === allow && scope !== true) hosts.push(...scope);
      } else if (flag.metavar !== undefined && !flag.isOptional) {
        if (own === undefined && !isOwn) given.push(...args.slice(at + 1, at + 2));
        const text = requiredValue(flag, own ?? args[++at]);
        const before = options.get(flag.name);
        // The values of a list may be given in several flags, as for permission flags.
        const isList = before !== undefined && flag.metavar?.endsWith(",…") === true;
        options.set(flag.name, isList ? `${before},${text}` : text);
      } else if (own !== undefined && flag.metavar === undefined) {
        throw new UsageError(`The flag --${flag.name} takes no value`);
      } else if (own === "") {
        throw missingValue(flag);
      } else {
        options.set(flag.name, own ?? "");
      }
    }
  }
  return {
    positionals,
    bareFlags,
    flags: given,
    options,
    grants: { all: options.has("allow-all"), allow, deny, ...(hosts.length > 0 && { hosts }) },
  };
}

/** The flags in one argument, and the text after its `=`. */
async function flagsOf(arg: string): Promise<{ named: Flag[]; value: string | undefined }> {
  const equals = arg.indexOf("=");
  const head = equals < 0 ? arg : arg.slice(0, equals);
  const named = head.startsWith("--")
    ? [flags.find(({ name }) => name === head.slice(2))]
    : [...head.slice(1)].map((letter) => flags.find(({ short }) => short === letter));
  if (!named.every((flag) => flag !== undefined)) throw await unknownFlag(head);
  return { named, value: equals < 0 ? undefined : arg.slice(equals + 1) };
}

/** The scope of a permission flag: everything without a value, else the values of its list. */
function scopeOf(flag: Flag, list: string | undefined): Scope {
  if (list === undefined) return true;
  if (list === "") throw missingValue(flag);
  const values = list.replaceAll(",,", "\0").split(",").map((each) => each.replaceAll("\0", ","));
  if (!values.includes("")) return values;
  throw new UsageError(`The flag --${flag.name}=${list} contains an empty value`);
}

/** The union of two scopes. */
export function widened(scope: Scope | undefined, more: Scope): Scope {
  return scope === true || more === true ? true : [...scope ?? [], ...more];
}

function requiredValue(flag: Flag, value: string | undefined): string {
  if (value === undefined || value === "" || value.startsWith("-")) throw missingValue(flag);
  return value;
}

function missingValue({ name, metavar }: Flag): UsageError {
  return new UsageError(`The flag --${name} needs a value: --${name}=${metavar}`);
}

async function unknownFlag(given: string): Promise<UsageError> {
  const { hint, nearest } = await import("../../base/text/nearest.ts");
  const near = nearest(given.replace(/^-+/, ""), flags.map(({ name }) => name));
  const shown = near === undefined ? undefined : `--${near}`;
  return new UsageError(`Unknown flag ${quote(given)}; ${hint(shown, "toolcall --help")}`);
}
