import { copyJson } from "../../base/json/copy_json.ts";
import { realPath } from "../sandbox/policy/paths.ts";
import { askPermission } from "../ask/ask_permission.ts";
import { refusalOf } from "../call/authorise.ts";
import type { CallOptions, IncomingCall, ToolCall } from "../call/call.ts";
import { prepareCall } from "../call/execute.ts";
import { failureOf } from "../call/failure.ts";
import { isObject } from "../../base/json/is_object.ts";
import type { Scope } from "../sandbox/policy/scope.ts";
import { keptFlag, type KeptPermission, KeptPermissions } from "../state/kept_permissions.ts";
import { stateDirectory } from "../state/state_directory.ts";
import type { CommandLine, Process } from "./command.ts";
import { widened } from "./parse_command_line.ts";
import { flagArguments } from "./flag_arguments.ts";
import { inline } from "./print/style.ts";
import { isVerbose, writeAll } from "./streams.ts";

/** A flag that grants one value. No answer grants everything, as `--allow-all` does. */
const ONE_VALUE = /^--allow-(read|write|net|run|env|sys|mcp)=(.+)$/s;

/** The command line and the process that a question belongs to. */
interface Asking {
  line: CommandLine;
  process: Process;
}

/** The options with more permissions, and what granted them. */
export interface Prompted {
  /** The options. */
  options: CallOptions;
  /** The permissions that were kept for the directory earlier. */
  kept: readonly KeptPermission[];
}

/**
 * Returns options with the permissions that were kept for the directory. Without a terminal there
 * are none: a program that reads the result gets the refusal of the flags.
 */
export async function withKeptPermissions(
  options: CallOptions,
  asking: Asking,
): Promise<Prompted> {
  const { process: { stdout, stderr }, line } = asking;
  if (!stdout.isTerminal() || !stderr.isTerminal()) return { options, kept: [] };
  const kept = storeOf(line).of(realPath(options.cwd)).filter(isUnchanged);
  return { options: await withPermissions(options, kept, asking), kept };
}

/**
 * Asks the person on the terminal for each permission that calls need and no flag grants. Returns
 * the options with the permissions that the person granted, now or for the directory earlier.
 */
export async function promptForMissing(
  calls: readonly IncomingCall[],
  given: CallOptions,
  asking: Asking,
): Promise<CallOptions> {
  const { line, process: { stdout, stderr } } = asking;
  if (!stdout.isTerminal() || !stderr.isTerminal()) return given;
  const directory = realPath(given.cwd);
  const { options, kept } = await withKeptPermissions(given, asking);
  if (isVerbose(line)) {
    for (const each of kept) {
      await writeAll(stderr, `toolcall: kept for this directory: ${inline(keptFlag(each))}\n`);
    }
  }
  const granted: KeptPermission[] = [];
  for (const incoming of calls) {
    if ("failure" in incoming) continue;
    for (const permission of await missingPermissions(incoming.call, options)) {
      const { kind, value } = permission;
      if (granted.some((each) => each.kind === kind && each.value === value)) continue;
      const flag = inline(keptFlag(permission));
      const what = `${inline(incoming.call.name)} needs ${flag}. Allow it?`;
      const answer = await askPermission({ what, directory: inline(directory) }, stderr);
      if (answer === undefined || answer === "no") return options;
      granted.push(permission);
      if (answer === "always") storeOf(line).keep(directory, [permission]);
    }
  }
  return await withPermissions(options, [...kept, ...granted], asking);
}

function storeOf({ options }: CommandLine): KeptPermissions {
  return new KeptPermissions(stateDirectory(options.get("state-dir")));
}

/** Whether a kept path still leads to the same place. Otherwise a call may have put a link there. */
function isUnchanged({ value }: KeptPermission): boolean {
  if (!value.startsWith("/")) return true;
  try {
    return realPath(value) === value;
  } catch {
    return false;
  }
}

/** The permissions that a call needs, that no flag grants, and that no flag denies. */
async function missingPermissions(
  call: ToolCall,
  options: CallOptions,
): Promise<KeptPermission[]> {
  using resources = new DisposableStack();
  let failure;
  try {
    // Preparing a call repairs its arguments, so this prepares another one.
    failure = refusalOf(
      await prepareCall(copyJson(call), options, {
        ...{ resources, stop: new AbortController(), repairs: [] },
      }),
    );
  } catch (error) {
    failure = failureOf(error);
  }
  const needs = failure?.code === "permission_denied" ? failure.details["needs"] : [];
  const flags = (Array.isArray(needs) ? needs : []).filter(isObject);
  if (flags.some(({ denied }) => denied === true)) return [];
  const named = flags.map(({ flag }) => ONE_VALUE.exec(String(flag)));
  // The call fails anyway if one of them cannot be asked for.
  if (named.includes(null)) return [];
  return named.map((found) => ({ kind: found![1] as KeptPermission["kind"], value: found![2]! }));
}

/** Reads the options again, under the flags and these permissions. */
async function withPermissions(
  options: CallOptions,
  permissions: readonly KeptPermission[],
  { line, process }: Asking,
): Promise<CallOptions> {
  if (permissions.length === 0) return options;
  const allow: Partial<Record<KeptPermission["kind"], Scope>> = { ...line.grants.allow };
  for (const { kind, value } of permissions) allow[kind] = widened(allow[kind], [value]);
  const hosts = permissions.flatMap(({ kind, value }) => kind === "net" ? value : []);
  const grants = {
    ...{ ...line.grants, allow },
    ...(hosts.length > 0 && { hosts: [...line.grants.hosts ?? [], ...hosts] }),
  };
  const flags = flagArguments(grants, line.options);
  await options.servers.closeAll();
  return await process.callOptions({ ...line, grants, flags });
}
