import { resolve } from "@std/path/posix/resolve";
import { CallError } from "../../base/errors.ts";
import { mayExist } from "../../base/fs/may_exist.ts";

/**
 * The folder that holds what outlives a call: the one that `--state-dir` names, or
 * `toolcall` in the user's state folder (XDG Base Directory Specification, section 3).
 * It need not be there yet. Throws `unavailable` when there is no home folder either.
 */
export function stateFolder(given: string | undefined): string {
  if (given !== undefined) return resolve(Deno.cwd(), given);
  const folder = usualStateFolder();
  if (folder !== undefined) return folder;
  throw new CallError(
    "unavailable",
    "Cannot tell where to keep state: neither XDG_STATE_HOME nor HOME is an absolute path; " +
      "name a folder with --state-dir=DIR",
  );
}

/** The folder where nothing else is said, if there is a home folder. */
export function usualStateFolder(): string | undefined {
  const [state, home] = [Deno.env.get("XDG_STATE_HOME"), Deno.env.get("HOME")];
  if (state?.startsWith("/")) return `${state}/toolcall`;
  return home?.startsWith("/") ? `${home}/.local/state/toolcall` : undefined;
}

/**
 * Whether a session may be in plan mode, by the mark in the state folder. Throws
 * `unavailable` when that cannot be told: what cannot be seen may be there.
 */
export function hasPlanMark(folder: string): boolean {
  try {
    Deno.lstatSync(planMark(folder));
    return true;
  } catch (error) {
    if (!mayExist(planMark(folder), error)) return false;
    const reason = (error as Error).message;
    throw new CallError("unavailable", `Cannot tell whether plan mode is on: ${reason}`);
  }
}

/** The mark in a state folder which says that a session may be in plan mode. */
export function planMark(folder: string): string {
  return `${folder}/plan-mode`;
}
