import { parseArgs } from "@std/cli/parse-args";
import type { Grants, Scope } from "../sandbox/grants.ts";
import { quote } from "../quote.ts";
import { type Flag, flags } from "./flags.ts";
import { UsageError } from "./usage_error.ts";

/** A command line, taken apart. */
export interface CommandLine {
  /** What is not a flag, in order. */
  positionals: string[];
  /** The permission flags; paths as they were given. */
  grants: Grants;
  /** `--root`. */
  root?: string;
  /** `--format`. */
  format?: string;
  /** `--help` was given. */
  help: boolean;
  /** `--version` was given. */
  version: boolean;
}

const byName = new Map(flags.map((flag) => [flag.name, flag]));
const byShort = new Map(
  flags.flatMap((flag) => flag.short ? [[flag.short, flag] as const] : []),
);

/**
 * Takes a command line apart. Permission flags follow Deno's grammar: a value
 * only after `=`, several separated by commas, `,,` for a comma in a value.
 * Throws {@link UsageError} for an unknown flag or one without its value.
 */
export async function parseCommandLine(
  args: readonly string[],
): Promise<CommandLine> {
  const { normal, unknown } = normalize(args);
  if (unknown !== undefined) throw await unknownFlag(unknown);
  const parsed = parseArgs(normal, {
    "--": true,
    boolean: flags.filter(({ value }) => value === "none").map(({ name }) => name),
    string: [
      "_",
      ...flags.filter(({ value }) => value !== "none").map(({ name }) => name),
    ],
    collect: flags.filter(({ permission }) => permission).map(({ name }) => name),
  });
  const grants: Grants = {
    all: parsed["allow-all"] === true,
    ...scopes(parsed as Record<string, unknown>),
  };
  for (const { name, value } of flags) {
    if (value === "required" && parsed[name] === "") throw missingValue(name);
  }
  return {
    positionals: [...parsed._.map(String), ...parsed["--"] ?? []],
    grants,
    root: parsed["root"],
    format: parsed["format"],
    help: parsed["help"] === true,
    version: parsed["version"] === true,
  };
}

/**
 * Spells every flag out, `-RW=x` as `--allow-read= --allow-write=x`, so that
 * only flags that take a value are followed by one; names the first flag that
 * does not exist.
 */
function normalize(
  args: readonly string[],
): { normal: string[]; unknown?: string } {
  const normal: string[] = [];
  for (const [index, arg] of args.entries()) {
    if (arg === "--") return { normal: [...normal, ...args.slice(index)] };
    if (!arg.startsWith("-") || arg === "-") {
      normal.push(arg);
      continue;
    }
    const equals = arg.indexOf("=");
    const head = equals < 0 ? arg : arg.slice(0, equals);
    const value = equals < 0 ? undefined : arg.slice(equals + 1);
    const named = head.startsWith("--")
      ? [byName.get(head.slice(2))]
      : [...head.slice(1)].map((letter) => byShort.get(letter));
    if (named.some((flag) => flag === undefined)) {
      return { normal, unknown: head };
    }
    const list = named as Flag[];
    normal.push(
      ...list.map((flag, i) => spell(flag, i === list.length - 1 ? value : undefined)),
    );
  }
  return { normal };
}

function spell(flag: Flag, value: string | undefined): string {
  if (flag.value === "none") {
    if (value !== undefined) {
      throw new UsageError(`The flag --${flag.name} takes no value`);
    }
    return `--${flag.name}`;
  }
  if (value === "") throw missingValue(flag.name);
  if (value !== undefined) return `--${flag.name}=${value}`;
  return flag.value === "optional" ? `--${flag.name}=` : `--${flag.name}`;
}

function scopes(
  parsed: Record<string, unknown>,
): Pick<Grants, "allow" | "deny"> {
  const found: { allow: Record<string, Scope>; deny: Record<string, Scope> } = {
    allow: {},
    deny: {},
  };
  for (const { name, permission } of flags) {
    const given = (permission ? parsed[name] : undefined) as
      | string[]
      | undefined;
    if (permission === undefined || given === undefined || given.length === 0) {
      continue;
    }
    found[permission.effect][permission.kind] = given.includes("")
      ? true
      : given.flatMap((list) => splitList(list, name));
  }
  return found;
}

/** The values of a list, in which `,,` is a comma. */
function splitList(list: string, name: string): string[] {
  const values = list.replaceAll(",,", "\0").split(",").map((each) => each.replaceAll("\0", ","));
  if (values.includes("")) {
    throw new UsageError(`The flag --${name}=${list} holds an empty value`);
  }
  return values;
}

function missingValue(name: string): UsageError {
  const { metavar } = byName.get(name)!;
  return new UsageError(
    `The flag --${name} needs a value: --${name}=${metavar}`,
  );
}

async function unknownFlag(given: string): Promise<UsageError> {
  const { nearest } = await import("../registry/nearest.ts");
  const near = nearest(given.replace(/^-+/, ""), [...byName.keys()]);
  const hint = near === undefined ? 'see "toolcall --help"' : `the nearest is --${near}`;
  return new UsageError(`Unknown flag ${quote(given)}; ${hint}`);
}
