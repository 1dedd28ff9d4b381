import { CallError } from "../../../base/errors.ts";
import type { Grants } from "../policy/grants.ts";
import { mountPlan } from "./mount_plan.ts";
import { findOutsideProgram } from "../policy/programs.ts";
import { whyIgnored } from "../executors/spawn.ts";

/**
 * The arguments of `bwrap(1)` that start `command` where everything is read-only except what the
 * flags let a call write, and the call's own directories, `writable`. So mode and times of other
 * files cannot be changed. Paths inside a write grant of a directory that the grant does not cover
 * stay read-only.
 */
export function bubblewrapArguments(
  { grants, writable, command }: {
    grants: Grants;
    writable: readonly string[];
    command: readonly string[];
  },
): string[] {
  // This program itself writes the files in there, which it keeps for later calls.
  const plan = mountPlan({ grants: { ...grants, own: [] }, temporary: writable, cwd: Deno.cwd() });
  const bind = (path: string, isWritable: boolean) => [
    ...[isWritable ? "--bind" : "--ro-bind", path, path],
  ];
  const mounts = [
    ...bind("/", plan.base !== "read-only"),
    ...["--dev-bind", "/dev", "/dev"],
    ...plan.writable.filter((path) => path !== "/").flatMap((path) => bind(path, true)),
    ...plan.inside.flatMap(({ path, writable }) => bind(path, writable)),
  ];
  return [...mounts, "--die-with-parent", "--", ...command];
}

/** The path of bubblewrap. Throws `unavailable`, with its own message if it exists and fails. */
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
    `Cannot use --wall=bwrap: ${why}; without the flag, the call runs in the other sandbox layers`,
  );
}

/** The message of bubblewrap if it does not work here. */
async function failure(bwrap: string): Promise<string | undefined> {
  const { success, stderr } = await new Deno.Command(bwrap, {
    args: ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "true"],
    // The programs that it starts by name are the system's, and never come from a call's directory
    // in PATH.
    env: { PATH: "/usr/bin:/bin" },
    stdin: "null",
    stdout: "null",
  }).output();
  return success ? undefined : new TextDecoder().decode(stderr).trim();
}
