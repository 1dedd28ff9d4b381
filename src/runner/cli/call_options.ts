import { resolve } from "@std/path/posix/resolve";
import { CallError, UsageError } from "../../base/errors.ts";
import { configFiles, type ConfigPlace } from "../config/config_files.ts";
import type { CallOptions, Listeners } from "../call/call.ts";
import { Servers } from "../call/servers.ts";
import { quote } from "../../base/text/quote.ts";
import { Registry } from "../registry/registry.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import { type Grants, isUnrestricted } from "../sandbox/policy/grants.ts";
import { protectInstallation } from "../sandbox/policy/own_paths.ts";
import { realPathIfAny } from "../sandbox/policy/paths.ts";
import { limitPrints } from "../sandbox/executors/prints.ts";
import { printLine, progressLine } from "../sandbox/executors/progress_line.ts";
import { usualStateFolder } from "../state/state_folder.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import type { Process } from "./command.ts";
import type { ToolConfiguration } from "./catalogue/tool_filter.ts";
import type { CommandLine } from "./parse.ts";
import { realGrants, refuseLinks } from "./real_grants.ts";
import { writeAll } from "./streams.ts";
import { isSetByParent, ownVariable } from "../own_environment.ts";

/** The interval at which a subprocess checks that its parent still runs, in milliseconds. */
const LOOK_MS = 500;

/** The flags that leave out tools. */
const SELECTING = ["bundle", "tools", "no-tools"];

const hasLimits = Deno.build.os === "linux";

/**
 * Reads how to execute calls from the command line and, unless `isConfigured` is false, from the
 * configuration. Throws {@link UsageError}, and `unavailable` for an unusable configuration.
 */
export async function readCallOptions(
  line: CommandLine,
  process: Process,
  { isConfigured = true } = {},
): Promise<CallOptions> {
  const here = workingFolder();
  const stateDir = line.options.get("state-dir");
  const config = line.options.get("config");
  const real = {
    ...await realGrants(line.grants, here),
    ...(config !== undefined && { config: realPathIfAny(resolve(here, config)) ?? config }),
  };
  if (line.options.has("no-links")) refuseLinks(line.grants, real);
  const log = line.options.get("audit");
  const audit = log === undefined ? {} : {
    audit: (await import("./flag_values.ts")).auditFile(log, {
      here,
      // With `--no-links` the flags come from a parent that has already checked the log's path.
      ...(!line.options.has("no-links") && { grants: real }),
    }),
  };
  const grants = protectInstallation({ ...real, ...audit }, {
    ...process.program,
    state: stateDir ?? usualStateFolder(),
  });
  const unconfinedRun = line.options.has("unconfined-run");
  const limits = line.options.get("limit");
  if (limits !== undefined && (unconfinedRun || isUnrestricted(grants) || !hasLimits)) {
    throw new UsageError(
      "The flag --limit goes with the walls of Linux, which -A alone and --unconfined-run are without",
    );
  }
  const place = configPlace(line, here);
  const cwd = place.root;
  const parent = ownVariable("parent");
  const registry = new Registry(process.entries);
  const isSaid = SELECTING.some((name) => line.options.has(name)) || configFiles(place).length > 0;
  const { bundle, ...said } = isSaid && isConfigured
    ? (await import("./catalogue/tool_filter.ts")).applyConfiguration(registry, {
      line,
      place,
      grants,
    })
    : {} as ToolConfiguration;
  const options: CallOptions = {
    ...{ registry, ...said },
    grants,
    cwd,
    program: process.program,
    unconfinedRun,
    strict: line.options.has("strict"),
    structured: line.options.has("structured"),
    ...audit,
    ...(log !== undefined && { auditedByParent: parent === String(Deno.ppid) }),
    flags: line.flags,
    listeners: { cancelSignal: cancelSignal(parent), ...reportsTo(process.stdout, parent) },
    ...(stateDir !== undefined && { stateDir }),
    session: line.options.get("session") ?? `in ${cwd}`,
    servers: new Servers({
      ...{ root: cwd, environment: callersEnvironment, grants },
      ...(config !== undefined && { config }),
      ...(stateDir !== undefined && { stateDir }),
    }),
    ask: await asking(line, { grants, stderr: process.stderr }),
    limits: limits === undefined ? {} : (await import("./flag_values.ts")).limitsOf(limits),
  };
  if (bundle !== undefined) {
    await (await import("./catalogue/bundle.ts")).useBundle(bundle, options, line);
  }
  return options;
}

async function asking(
  { options }: CommandLine,
  { grants, stderr }: { grants: Grants; stderr: Process["stderr"] },
): Promise<CallOptions["ask"]> {
  const given = options.get("ask");
  if (given === undefined) return { screen: stderr };
  const { askingProgram } = await import("./flag_values.ts");
  return { screen: stderr, program: askingProgram(given, grants) };
}

function workingFolder(): string {
  try {
    return Deno.cwd();
  } catch (error) {
    throw new CallError(
      "unavailable",
      `Cannot use the working directory: ${
        osErrorMessage(error)
      }; start toolcall in one that exists`,
    );
  }
}

/** Returns where to look for the configuration. Throws {@link UsageError} for a missing `--root`. */
export function configPlace({ options }: CommandLine, here = workingFolder()): ConfigPlace {
  const [root, file] = [options.get("root"), options.get("config")];
  // A search for files costs half a millisecond. The head of the executable may have done it.
  const isEmpty = root === undefined && file === undefined &&
    ownVariable("noConfiguration") === String(Deno.pid);
  return {
    isEmpty,
    root: root === undefined ? here : rootFolder(resolve(here, root), root),
    ...(file !== undefined && { file }),
    variable: (name) => Deno.env.get(name),
  };
}

/**
 * Returns the function {@link Listeners.cancelSignal}. `parent` is the process of this program that
 * the call must not outlive, if there is one.
 */
function cancelSignal(parent: string | undefined): () => AbortSignal {
  let controller: AbortController | undefined;
  return () => {
    if (controller !== undefined) return controller.signal;
    const { signal } = controller = new AbortController();
    const cancel = () => controller!.abort();
    const signals = Deno.build.os === "windows"
      ? ["SIGINT"] as const
      : ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    for (const name of signals) Deno.addSignalListener(name, cancel);
    if (parent !== undefined) {
      const look = () => String(Deno.ppid) === parent || cancel();
      Deno.unrefTimer(setInterval(look, LOOK_MS));
    }
    return signal;
  };
}

/** The caller of this process may read progress and prints from stdout, before the result. */
function reportsTo(
  stdout: Process["stdout"],
  parent: string | undefined,
): Pick<Listeners, "onProgress" | "onPrint"> {
  if (parent === undefined) return {};
  return {
    ...(isSetByParent("readsProgress") && {
      onProgress: (line: string) => void writeAll(stdout, progressLine(line)),
    }),
    ...(isSetByParent("readsPrints") && {
      onPrint: limitPrints((print) => void writeAll(stdout, printLine(print))),
    }),
  };
}

function rootFolder(path: string, given: string): string {
  try {
    if (Deno.statSync(path).isDirectory) return Deno.realPathSync(path);
  } catch { /* The error below reports it. */ }
  throw new UsageError(`The folder --root=${quote(given)} does not exist`);
}
