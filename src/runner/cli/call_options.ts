import { pathRules } from "../../base/fs/path_rules.ts";
import { keepFileCalls } from "../../base/fs/system_file.ts";
import { UsageError } from "../../base/errors.ts";
import {
  configFiles,
  configPlace,
  toolsDirectory,
  workingDirectory,
} from "../config/config_files.ts";
import type { CallOptions } from "../call/call.ts";
import { Servers } from "../call/servers.ts";
import { quote } from "../../base/text/quote.ts";
import { Registry } from "../registry/registry.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import { type Grants, isUnrestricted, realScopes } from "../sandbox/policy/grants.ts";
import { protectInstallation } from "../sandbox/policy/own_paths.ts";
import { realPathIfAny, untrustedLink } from "../sandbox/policy/paths.ts";
import type { Scope } from "../sandbox/policy/scope.ts";
import { usualStateDirectory } from "../state/state_directory.ts";
import type { CallOptionsReading, CommandLine, Process } from "./command.ts";
import { writeAll } from "./streams.ts";
import type { ToolConfiguration } from "./catalogue/tool_filter.ts";
import { listenersOf } from "./process_listeners.ts";
import { ownVariable } from "../own_environment.ts";

/** The flags that leave out tools. */
const SELECTING = ["bundle", "tools", "no-tools"];

/**
 * Reads how to execute calls from the command line and, unless `isConfigured` is false, from the
 * configuration. Throws {@link UsageError}, and `unavailable` for an unusable configuration.
 */
export async function readCallOptions(
  line: CommandLine,
  process: Process,
  { isConfigured = true, isOneCall = false, looksAgain = false }: CallOptionsReading = {},
): Promise<CallOptions> {
  // Looks at links and missing paths follow. In this thread only the kernel restricts files.
  if (line.grants.allow.write !== undefined) keepFileCalls();
  const here = workingDirectory();
  const [stateDir, config] = [line.options.get("state-dir"), line.options.get("config")];
  const realConfig = config && realPathIfAny(pathRules.resolve(here, config));
  const real = {
    ...await realGrants(line.grants, here),
    ...(config !== undefined && { config: realConfig ?? config }),
  };
  if (line.options.has("no-links")) {
    (await import("./flag_values.ts")).refuseLinks(line.grants, real);
  }
  const log = line.options.get("audit");
  const audit = log === undefined ? {} : {
    audit: (await import("./flag_values.ts")).auditFile(log, {
      here,
      // With `--no-links` the flags come from a parent that has already checked the log's path.
      ...(!line.options.has("no-links") && { grants: real }),
    }),
  };
  const given = { ...real, ...audit };
  const place = { ...configPlace(line, here), ...(looksAgain && { isEmpty: false }) };
  const tools = isConfigured ? toolsDirectory(place, line.options.get("tools-dir")) : undefined;
  const grants = isUnrestricted(given) ? given : protectInstallation(given, {
    ...process.program,
    ...{ state: stateDir ?? usualStateDirectory(), tools },
  });
  const unconfinedRun = line.options.has("unconfined-run");
  const [limits, ask] = [line.options.get("limit"), line.options.get("ask")];
  const hasLimits = Deno.build.os === "linux" && !unconfinedRun && !isUnrestricted(grants);
  if (limits !== undefined && !hasLimits) {
    throw new UsageError(
      "--limit needs the Linux sandbox; it has no effect with -A alone or --unconfined-run",
    );
  }
  const [parent, { telemetry }] = [ownVariable("parent"), process];
  const cwd = place.root;
  const registry = new Registry(process.entries, {
    onFault: (fault) => void writeAll(process.stderr, `toolcall: ${fault}\n`).catch(() => {}),
  });
  const hasFiles = configFiles(place).length > 0;
  const isSaid = SELECTING.some((name) => line.options.has(name)) || hasFiles;
  const added: Pick<CallOptions, "problems" | "refreshTools"> = tools === undefined
    ? {}
    : await (await import("../tools_directory/tools_directory.ts")).addToolsDirectory(registry, {
      ...{ path: tools, grants, program: process.program },
      // Flags and configuration files name tools, which must be known then.
      isOneCall: isOneCall && !isSaid,
    });
  const { bundle, problems, ...said } = isSaid && isConfigured
    ? (await import("./catalogue/tool_filter.ts")).applyConfiguration(registry, {
      line,
      place,
      grants,
      program: process.program,
    })
    : { problems: [] } as ToolConfiguration;
  const directory = stateDir === undefined ? {} : { stateDir };
  const session = line.options.get("session") ?? `in ${cwd}`;
  const options: CallOptions = {
    ...{ registry, ...added, ...said },
    problems: [...added.problems ?? [], ...problems],
    grants,
    cwd,
    program: process.program,
    unconfinedRun,
    ...{ strict: line.options.has("strict"), structured: line.options.has("structured") },
    ...audit,
    ...(line.options.has("audit-max-size") && (await import("./flag_values.ts")).logSize(line)),
    ...(log !== undefined && { auditedByParent: parent === String(Deno.ppid) }),
    ...((log ?? telemetry) && (await import("./caller_trace.ts")).callerTrace()),
    ...(telemetry && { telemetry }),
    flags: line.flags,
    listeners: listenersOf(process.stdout),
    ...(line.options.has("memory-dir") &&
      (await import("./memory_directory.ts")).memoryDirectory(line, { here, grants })),
    ...{ ...directory, session },
    servers: new Servers({
      ...{ ...directory, root: cwd, environment: callersEnvironment, grants },
      keeps: { session, program: process.program },
      ...(config !== undefined && { config }),
      mayAskUser: ask !== undefined,
      onWait: async (message) =>
        (await import("./wait_notices.ts")).noticeWait(message, line, process),
    }, { mayBeConfigured: hasFiles }),
    ask: {
      screen: process.stderr,
      ...(ask !== undefined && ask !== "terminal" && {
        program: (await import("./flag_values.ts")).askingProgram(ask, grants),
      }),
    },
    limits: limits === undefined ? {} : (await import("./flag_values.ts")).limitsOf(limits),
  };
  if (bundle !== undefined) {
    const omits = await (await import("./catalogue/bundle.ts")).useBundle(bundle, options, line);
    if (omits !== undefined) options.problems = [...options.problems ?? [], omits];
  }
  return options;
}

/** The grants of flags with real paths and hosts in their one form. Throws {@link UsageError}. */
export async function realGrants(given: Grants, cwd: string): Promise<Grants> {
  const hosts = listOf(given.allow.net).concat(listOf(given.deny.net), given.hosts ?? []);
  const grants = hosts.length === 0 ? given : await canonicalHosts(given);
  try {
    const allow = realScopes(grants.allow, cwd);
    const write = listOf(allow.write);
    const named = [grants.allow, grants.deny].flatMap(({ read, write, run }) => [
      ...listOf(read),
      ...listOf(write),
      ...listOf(run).filter((name) => name.includes("/")),
    ]);
    for (const path of named) rejectPlantedLink(path, { write, cwd });
    return { ...grants, allow, deny: realScopes(grants.deny, cwd) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `Cannot resolve a path of the flags: ${(error as Error).message}`,
    );
  }
}

async function canonicalHosts(grants: Grants): Promise<Grants> {
  const { withCanonicalHosts } = await import("../sandbox/policy/hosts.ts");
  try {
    return withCanonicalHosts(grants);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function listOf(scope: Scope | undefined): readonly string[] {
  return scope === undefined || scope === true ? [] : scope;
}

/**
 * Rejects a path of the flags through a symlink that a call may have created. The next call would
 * be granted the target of the link.
 */
function rejectPlantedLink(
  path: string,
  { write, cwd }: { write: readonly string[]; cwd: string },
): void {
  const planted = untrustedLink(pathRules.resolve(cwd, path), write);
  if (planted === undefined) return;
  throw new UsageError(
    `The path ${quote(path)} of a flag goes through the symbolic link ${quote(planted)}, which ` +
      `is in a place that calls may write to; give the path that it leads to`,
  );
}
