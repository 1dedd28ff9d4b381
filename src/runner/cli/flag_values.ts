import { readVariable } from "../../base/environment.ts";
import { lookupTable } from "../../base/lookup_table.ts";
import { basename } from "@std/path/posix/basename";
import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { pathRules } from "../../base/fs/path_rules.ts";
import { quote } from "../../base/text/quote.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import { programsMayWrite } from "../sandbox/policy/may_write.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import { CallError, UsageError } from "../../base/errors.ts";
import { findOutsideProgram } from "../sandbox/policy/programs.ts";
import type { Limits } from "../sandbox/linux/kernel.ts";
import type { GuardOptions } from "../mcp/server/http_guard.ts";
import { isLoopback } from "../../base/host.ts";

/**
 * The file of `--audit`. Symlinks in its directory are resolved, but a symlink at the end stays:
 * opening it fails. Throws {@link UsageError} when the directory is missing, or when child
 * processes could write the file under `grants`.
 */
export function auditFile(
  given: string,
  { here, grants }: { here: string; grants?: Grants },
): string {
  const path = pathRules.resolve(here, given);
  const fail = (why: string) => new UsageError(`Cannot use the log ${quote(given, 4096)}: ${why}`);
  if (grants !== undefined && programsMayWrite(path, grants)) {
    throw fail("programs that a call starts may write to it; keep it elsewhere");
  }
  try {
    return join(Deno.realPathSync(dirname(path)), basename(path));
  } catch (error) {
    throw fail(`its directory: ${osErrorMessage(error).toLowerCase()}`);
  }
}

/** The smallest size of a log that is renamed. */
const MIN_LOG_SIZE = 1024;

/** The option of `--audit-max-size=NUMBER[K|M|G]`. Throws {@link UsageError}, also without a log. */
export function logSize(
  { options }: { options: ReadonlyMap<string, string> },
): { auditMaxSize: number } {
  if (!options.has("audit")) throw new UsageError("The flag --audit-max-size needs --audit=FILE");
  const given = options.get("audit-max-size")!;
  const [, number, unit = ""] = /^(\d{1,12})([KMG]?)$/.exec(given) ?? [];
  const size = Number(number) * UNITS[unit]!;
  if (size >= MIN_LOG_SIZE && Number.isSafeInteger(size)) return { auditMaxSize: size };
  throw new UsageError(
    `Cannot use --audit-max-size=${quote(given)}: write a size of 1K or more, such as 10M`,
  );
}

/** Throws a `CallError` for `given` paths that contain symlinks. */
export function refuseLinks(given: Grants, real: Grants): void {
  for (const side of ["allow", "deny"] as const) {
    for (const kind of ["read", "write", "run"] as const) {
      const [paths, found] = [given[side][kind], real[side][kind]];
      for (const path of Array.isArray(paths) ? paths : []) {
        if (kind === "run" && !pathRules.isPath(path)) continue;
        if (found === true ? path === "/" : found?.includes(path)) continue;
        const flag = `--${side}-${kind}`;
        const why = `the path ${quote(path)} of ${flag} goes through a symbolic link`;
        throw new CallError(
          "unavailable",
          `Cannot use the flags: ${why}; give the path that it leads to`,
        );
      }
    }
  }
}

/**
 * The absolute path of the program in a value of `--ask`. The value names it by a path relative to
 * the working directory, or by a name in PATH. The program runs outside of the sandbox. A program
 * in a writable directory is therefore rejected: a call could have put it there. Throws
 * {@link UsageError}.
 */
export function askingProgram(value: string, { all, allow }: Grants): string {
  const writable = all ? undefined : allow.write;
  const name = value.startsWith("exec:") ? value.slice("exec:".length) : "";
  if (name === "") {
    throw new UsageError(
      `Invalid --ask=${value}; expected exec:PROGRAM or terminal`,
    );
  }
  const isPath = pathRules.isPath(name);
  const program = findOutsideProgram(isPath ? pathRules.resolve(Deno.cwd(), name) : name, writable);
  if (program !== undefined && "path" in program) return program.found;
  const why = program === undefined
    ? isPath ? "it does not exist or cannot be executed" : "not in PATH"
    : program.step === program.found
    ? "calls may write to it"
    : `${quote(program.step, 4096)} on the way to it is writable by calls`;
  throw new UsageError(`Cannot ask with the program ${quote(name)}: ${why}`);
}

/** The limits by their names in the flag. */
const NAMES = new Map<string, keyof Limits>([
  ["files", "files"],
  ["processes", "processes"],
  ["file-size", "fileSize"],
  ["memory", "memory"],
]);

const UNITS = lookupTable<number>({ "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 });

/** The fewest files that this program needs itself. */
const MIN_FILES = 64;

/** The limits of `--limit=NAME=NUMBER[K|M|G],…`. Throws {@link UsageError}. */
export function limitsOf(list: string): Limits {
  const limits: Limits = {};
  for (const each of list.split(",")) {
    const [, name = "", number, unit = ""] = /^([\w-]+)=(\d{1,15})([KMG]?)$/.exec(each) ?? [];
    const limit = NAMES.get(name);
    if (limit === undefined || Number(number) < 1) {
      throw new UsageError(
        `Unknown limit ${quote(each)}; one is NAME=NUMBER, with K, M or G for sizes, ` +
          `and NAME one of ${[...NAMES.keys()].join(", ")}`,
      );
    }
    const value = Number(number) * UNITS[unit]!;
    if (!Number.isSafeInteger(value)) throw new UsageError(`The limit ${quote(each)} is too high`);
    if (name === "files" && Number(number) < MIN_FILES) {
      throw new UsageError(
        `The limit ${quote(each)} is too low; files needs ${MIN_FILES} at least`,
      );
    }
    limits[limit] = value;
  }
  return limits;
}

/** The length of a generated token, in bytes. */
const TOKEN_BYTES = 32;

/** The flags that go with `--http` only. */
export const HTTP_FLAGS: readonly string[] = ["token-env", "no-token", "origin"];

/**
 * The address and the rules of `--http=ADDRESS` and its flags. The port 0 selects a free one. A
 * token that was generated (`isGenerated`) must be printed. Throws {@link UsageError}.
 */
export function httpAddress(
  address: string,
  options: ReadonlyMap<string, string>,
): GuardOptions & { port: number; isGenerated: boolean } {
  const [, bracketed, name, port] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(address) ??
    [];
  const hostname = bracketed ?? name;
  if (hostname === undefined || Number(port) > 65_535) {
    throw new UsageError(
      `Cannot listen on ${quote(address)}: expected HOST:PORT, such as --http=127.0.0.1:8123`,
    );
  }
  const variable = options.get("token-env");
  if (options.has("no-token")) {
    if (variable !== undefined) {
      throw new UsageError("The flags --token-env and --no-token exclude each other");
    }
    if (!isLoopback(hostname)) {
      throw new UsageError(
        `Cannot listen on ${quote(address)} without a token: other machines can reach it; ` +
          "leave --no-token out",
      );
    }
  }
  const token = options.has("no-token")
    ? undefined
    : variable === undefined
    ? crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toHex()
    : tokenIn(variable);
  return {
    ...{ hostname, port: Number(port), origins: originsIn(options.get("origin")) },
    ...(token !== undefined && { token }),
    isGenerated: token !== undefined && variable === undefined,
  };
}

function tokenIn(variable: string): string {
  const token = readVariable(variable);
  if (token) return token;
  throw new UsageError(`The variable ${quote(variable)} of --token-env is not set`);
}

/** The origins in a list, in the form that browsers use. Throws {@link UsageError}. */
function originsIn(list: string | undefined): string[] {
  const origins = list?.split(",") ?? [];
  const wrong = origins.find((each) => !/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#*]+$/.test(each));
  if (wrong === undefined) return origins;
  throw new UsageError(
    `Invalid origin in --origin: ${quote(wrong)}; expected SCHEME://HOST[:PORT], such as ` +
      "--origin=http://localhost:6274",
  );
}
