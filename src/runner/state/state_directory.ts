import { readVariable } from "../../base/environment.ts";
import { pathRules } from "../../base/fs/path_rules.ts";
import { CallError } from "../../base/errors.ts";
import { isMissing, lookAt } from "../../base/fs/path_status.ts";
import { keepFileCalls } from "../../base/fs/system_file.ts";
import { mayExist } from "../sandbox/policy/paths.ts";

/**
 * The state directory: that of `--state-dir`, or `toolcall` in the user's state directory (XDG Base
 * Directory Specification, section 3). It may be missing. Throws `unavailable` without a home
 * directory.
 */
export function stateDirectory(given: string | undefined): string {
  if (given !== undefined) return pathRules.resolve(Deno.cwd(), given);
  const directory = usualStateDirectory();
  if (directory !== undefined) return directory;
  throw new CallError(
    "unavailable",
    `Cannot determine the state directory: neither XDG_STATE_HOME nor ${pathRules.homeVariable} is ` +
      "an absolute path; choose a directory with --state-dir=DIR",
  );
}

/** The default state directory. Undefined without a home directory. */
export function usualStateDirectory(): string | undefined {
  const { isAbsolute, homeVariable } = pathRules;
  const [state, home] = [readVariable("XDG_STATE_HOME"), readVariable(homeVariable)];
  if (isAbsolute(state ?? "")) return `${state}/toolcall`;
  return isAbsolute(home ?? "") ? `${home}/.local/state/toolcall` : undefined;
}

/** Whether a session may be in plan mode. Throws `unavailable` if this is unknown. */
export function hasPlanMark(directory: string): boolean {
  // An error of the runtime takes 0.2 milliseconds, and there is hardly ever a mark.
  if (isMissing(planMark(directory))) return false;
  try {
    Deno.lstatSync(planMark(directory));
    return true;
  } catch (error) {
    if (!mayExist(planMark(directory), error)) return false;
    const reason = (error as Error).message;
    throw new CallError("unavailable", `Cannot determine whether plan mode is on: ${reason}`);
  }
}

/** The directory of the patches that are being applied. It is only there as long as one is. */
export function patchDirectory(directory: string): string {
  return `${directory}/patches`;
}

/** Whether a patch may be unfinished, because its process was killed. This is one look. */
export function mayHavePatches(given: string | undefined): boolean {
  const directory = given ?? usualStateDirectory();
  if (directory === undefined) return false;
  // The tool needs them too, so loading them here costs nothing.
  keepFileCalls();
  return lookAt(patchDirectory(directory)) !== undefined;
}

/** The mark that a session may be in plan mode. Without it, calls do not open the store. */
export function planMark(directory: string): string {
  return `${directory}/plan-mode`;
}
