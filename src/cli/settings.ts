import { resolve } from "@std/path/posix/resolve";
import { CallError } from "../call_error.ts";
import type { Settings } from "../engine/call.ts";
import { Servers } from "../engine/servers.ts";
import { quote } from "../quote.ts";
import { Registry } from "../registry/registry.ts";
import { callersEnvironment } from "../sandbox/environment.ts";
import { type Grants, isUnrestricted, realScopes } from "../sandbox/grants.ts";
import { canonicalGrant } from "../sandbox/hosts.ts";
import { withOwn } from "../sandbox/own_paths.ts";
import { isInside, placesOf, realPathIfAny } from "../sandbox/paths.ts";
import type { Scope } from "../sandbox/scope.ts";
import { usualStateFolder } from "../state/state_folder.ts";
import type { Process } from "./command.ts";
import type { CommandLine } from "./parse.ts";
import { UsageError } from "./usage_error.ts";

/** How often a call of another process of ours looks whether that is there, in milliseconds. */
const LOOK_MS = 500;

const hasLimits = Deno.build.os === "linux";

/** What the command line says of how to answer calls. Throws {@link UsageError}. */
export async function settingsOf(line: CommandLine, process: Process): Promise<Settings> {
  const here = workingFolder();
  const root = line.options.get("root");
  const stateDir = line.options.get("state-dir");
  const config = line.options.get("config");
  const real = {
    ...realGrants(line.grants, here),
    ...(config !== undefined && { config: realPathIfAny(resolve(here, config)) ?? config }),
  };
  if (line.options.has("no-links")) refuseLinks(line.grants, real);
  const grants = withOwn(real, {
    ...process,
    state: stateDir ?? usualStateFolder(),
  });
  const unconfinedRun = line.options.has("unconfined-run");
  const limits = line.options.get("limit");
  if (limits !== undefined && (unconfinedRun || isUnrestricted(grants) || !hasLimits)) {
    throw new UsageError(
      "The flag --limit goes with the walls of Linux, which -A alone and --unconfined-run are without",
    );
  }
  const cwd = root === undefined ? here : rootFolder(resolve(here, root), root);
  const parent = Deno.env.get("TOOLCALL_PARENT");
  return {
    registry: new Registry(process.entries),
    grants,
    cwd,
    onCancel: (cancel) => onCancel(cancel, parent),
    programFolder: process.programFolder,
    workerModule: process.workerModule,
    isBundled: process.isBundled,
    unconfinedRun,
    strict: line.options.has("strict"),
    flags: line.flags,
    ...(stateDir !== undefined && { stateDir }),
    session: line.options.get("session") ?? `in ${cwd}`,
    servers: new Servers({
      ...{ root: cwd, environment: callersEnvironment, grants },
      ...(config !== undefined && { config }),
      ...(stateDir !== undefined && { stateDir }),
    }),
    ask: await asking(line, { grants, stderr: process.stderr }),
    limits: limits === undefined ? {} : (await import("../cli/limits.ts")).limitsOf(limits),
  };
}

async function asking(
  { options }: CommandLine,
  { grants, stderr }: { grants: Grants; stderr: Process["stderr"] },
): Promise<Settings["ask"]> {
  const given = options.get("ask");
  if (given === undefined) return { screen: stderr };
  const { askingProgram } = await import("../cli/asking_program.ts");
  return { screen: stderr, program: askingProgram(given, grants) };
}

function workingFolder(): string {
  try {
    return Deno.cwd();
  } catch (error) {
    throw new UsageError(`Cannot use the working folder: ${(error as Error).message}`);
  }
}

/**
 * From its call on a signal cancels, and the program ends only with what it has to say to
 * that. `parent` is the process of ours that the call must not outlive, if there is one.
 */
function onCancel(cancel: () => void, parent: string | undefined): void {
  const signals = Deno.build.os === "windows"
    ? ["SIGINT"] as const
    : ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) Deno.addSignalListener(signal, cancel);
  if (parent !== undefined) {
    Deno.unrefTimer(setInterval(() => checkParent(parent, cancel), LOOK_MS));
  }
}

function checkParent(parent: string, cancel: () => void): void {
  if (String(Deno.ppid) !== parent) cancel();
}

function realGrants(grants: Grants, cwd: string): Grants {
  const hosts = listOf(grants.allow.net).concat(listOf(grants.deny.net), grants.hosts ?? []);
  for (const host of hosts) checkHost(host);
  try {
    const allow = realScopes(grants.allow, cwd);
    const write = listOf(allow.write);
    const named = [grants.allow, grants.deny].flatMap(({ read, write, run }) => [
      ...listOf(read),
      ...listOf(write),
      ...listOf(run).filter((name) => name.includes("/")),
    ]);
    for (const path of named) refusePlanted(path, { write, cwd });
    return {
      all: grants.all,
      allow,
      deny: realScopes(grants.deny, cwd),
      ...(grants.hosts && { hosts: grants.hosts.map(canonicalGrant) }),
    };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `Cannot look up a path of the flags: ${(error as Error).message}`,
    );
  }
}

function checkHost(host: string): void {
  try {
    canonicalGrant(host);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function listOf(scope: Scope | undefined): readonly string[] {
  return scope === undefined || scope === true ? [] : scope;
}

/**
 * Refuses a path of the flags that goes through a link which a call may have made:
 * the next call would be granted what the link leads to.
 */
function refusePlanted(
  path: string,
  { write, cwd }: { write: readonly string[]; cwd: string },
): void {
  if (write.length === 0) return;
  const links = placesOf(resolve(cwd, path)).slice(0, -1);
  const planted = links.find((link) => write.some((folder) => isInside(link, folder)));
  if (planted === undefined) return;
  throw new UsageError(
    `The path ${quote(path)} of a flag goes through the symbolic link ${quote(planted)}, which ` +
      "lies where calls may write; name the path that it leads to",
  );
}

/** Refuses, by a `CallError`, paths that were not real when they were `given`. */
function refuseLinks(given: Grants, real: Grants): void {
  for (const side of ["allow", "deny"] as const) {
    for (const kind of ["read", "write", "run"] as const) {
      const found = real[side][kind];
      for (const path of listOf(given[side][kind])) {
        if (kind === "run" && !path.includes("/")) continue;
        if (found === true ? path === "/" : found?.includes(path)) continue;
        const flag = `--${side}-${kind}`;
        const why = `the path ${quote(path)} of ${flag} goes through a symbolic link`;
        throw new CallError("unavailable", `Cannot use the flags: ${why}; name what it leads to`);
      }
    }
  }
}

function rootFolder(path: string, given: string): string {
  try {
    if (Deno.statSync(path).isDirectory) return Deno.realPathSync(path);
  } catch { /* said below */ }
  throw new UsageError(`The folder --root=${quote(given)} does not exist`);
}
