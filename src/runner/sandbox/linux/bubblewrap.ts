import { CallError } from "../../../base/errors.ts";
import type { Grants } from "../policy/grants.ts";
import { mountPlan } from "./mount_plan.ts";
import { findOutsideProgram } from "../policy/programs.ts";
import { whyIgnored } from "../executors/spawn.ts";

/** What bubblewrap is told. */
export interface BubblewrapOptions {
  /** The permissions of the flags. */
  grants: Grants;
  /** The folders of the call's own, which stay writable. */
  writable: readonly string[];
  /** What it starts. */
  command: readonly string[];
}

/**
 * The arguments of `bwrap(1)` that make everything read-only but what the flags
 * let a call write, so that neither the mode nor the times of another file can be
 * changed; what no write grant of a folder covers stays read-only inside one.
 */
export function bubblewrapArguments(
  { grants, writable, command }: BubblewrapOptions,
): string[] {
  // This program itself writes the files in there that it keeps for later calls.
  const plan = mountPlan({ grants: { ...grants, own: [] }, temporary: writable, cwd: Deno.cwd() });
  const bind = (path: string, isWritable: boolean) => [
    isWritable ? "--bind" : "--ro-bind",
    path,
    path,
  ];
  const mounts = [
    ...bind("/", plan.base !== "read-only"),
    ...["--dev-bind", "/dev", "/dev"],
    ...plan.writable.filter((path) => path !== "/").flatMap((path) => bind(path, true)),
    ...plan.inside.flatMap(({ path, writable }) => bind(path, writable)),
  ];
  return [...mounts, "--die-with-parent", "--", ...command];
}

/** Its path. Throws `unavailable`, with its own words where it is there and does not work. */
export async function findBubblewrap({ allow }: Grants): Promise<string> {
  const found = findOutsideProgram("bwrap", allow.write);
  const isTrusted = found !== undefined && "path" in found;
  const why = found === undefined
    ? "it is not installed"
    : isTrusted
    ? await failure(found.path)
    : whyIgnored(found);
  if (isTrusted && why === undefined) return found.path;
  throw new CallError(
    "unavailable",
    `Cannot use --wall=bwrap: ${why}; without the flag the call runs behind the other walls`,
  );
}

/** What it says when it does not work here. */
async function failure(bwrap: string): Promise<string | undefined> {
  const { success, stderr } = await new Deno.Command(bwrap, {
    args: ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "true"],
    // Programs that it starts by a name are the system's, and never come from a call's directory in
    // PATH.
    env: { PATH: "/usr/bin:/bin" },
    stdin: "null",
    stdout: "null",
  }).output();
  return success ? undefined : new TextDecoder().decode(stderr).trim();
}
