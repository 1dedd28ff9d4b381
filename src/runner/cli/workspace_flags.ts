/** Reads the flags for workspaces. */

import { UsageError } from "../../base/errors.ts";
import { pathRules } from "../../base/fs/path_rules.ts";
import { quote } from "../../base/text/quote.ts";
import type { CallOptions } from "../call/call.ts";
import { Workspaces } from "../remote/workspaces.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import { isInside, realPathIfAny } from "../sandbox/policy/paths.ts";
import type { CommandLine } from "./command.ts";
import { durationOf } from "./flag_numbers.ts";
import { refuseDurableWorkspace } from "./remote_flags.ts";

/** Throws {@link UsageError} for flags of a worker that do not go together. */
export function refuseWorkspaceFlags(line: CommandLine): void {
  refuseDurableWorkspace(line);
  for (const flag of ["workspace-limit", "workspace-idle"]) {
    if (!line.options.has(flag) || line.options.has("workspace")) continue;
    throw new UsageError(`The flag --${flag} needs --workspace=DIR`);
  }
}

/** The limits of a workspace, if no flag sets them. */
const WORKSPACE = { bytes: 1024 ** 3, files: 100_000, idleMs: 600_000 };

/**
 * Opens the workspaces of the flags, if there are some. Throws {@link UsageError} for a directory that
 * others could change, and for grants that open more of it than a workspace.
 */
export async function workspacesOf(
  line: CommandLine,
  { cwd, grants }: CallOptions,
): Promise<Workspaces | undefined> {
  const directory = line.options.get("workspace");
  if (directory === undefined) return undefined;
  const given = pathRules.resolve(cwd, directory);
  const parent = realPathIfAny(given) ?? given;
  refuseUnsafe(parent);
  refuseShared(parent, grants);
  return await Workspaces.open(parent, {
    ...WORKSPACE,
    ...workspaceLimits(line.options.get("workspace-limit")),
    idleMs: durationOf(line, "workspace-idle") ?? WORKSPACE.idleMs,
  });
}

function workspaceLimits(list: string | undefined): Partial<typeof WORKSPACE> {
  const limits: Partial<typeof WORKSPACE> = {};
  for (const each of list?.split(",") ?? []) {
    const [, name, number, unit] = /^(size|files)=([1-9]\d{0,11})([KMG]?)$/.exec(each) ?? [];
    if (name === undefined || name === "files" && unit !== "") {
      throw new UsageError(
        `Invalid --workspace-limit=${quote(list!)}: expected size=NUMBER with K, M or G, or ` +
          "files=NUMBER, or both with a comma",
      );
    }
    const factor = 1024 ** ("KMG".indexOf(unit || "-") + 1);
    limits[name === "size" ? "bytes" : "files"] = Number(number) * factor;
  }
  return limits;
}

function refuseUnsafe(parent: string): void {
  const fail = (why: string) =>
    new UsageError(
      `Cannot use --workspace=${quote(parent)}: ${why}; make one with "mkdir -m 700 DIR"`,
    );
  let status: Deno.FileInfo;
  try {
    status = Deno.statSync(parent);
  } catch (error) {
    throw fail((error as Error).message);
  }
  if (!status.isDirectory) throw fail("it is not a directory");
  if (status.uid !== null && status.uid !== Deno.uid()) throw fail("it belongs to another user");
  if (((status.mode ?? 0) & 0o077) !== 0) throw fail("other users can enter it");
}

/** Throws if a grant opens the workspaces of all, because it opens a directory above or in `parent`. */
function refuseShared(parent: string, { all, allow }: Grants): void {
  const fail = (flag: string) =>
    new UsageError(
      `${flag} would let a call use the workspaces of others. Name the directories that calls may ` +
        `use, and --allow-read=${parent} or --allow-write=${parent} for the workspaces`,
    );
  if (all) throw fail("--allow-all");
  for (const kind of ["read", "write"] as const) {
    const scope = allow[kind];
    if (scope === true) throw fail(`--allow-${kind}`);
    for (const each of scope ?? []) {
      if (each === parent || !isInside(each, parent) && !isInside(parent, each)) continue;
      throw fail(`--allow-${kind}=${each}`);
    }
  }
}
