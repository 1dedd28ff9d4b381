import type { Grants } from "../policy/grants.ts";
import { programRights } from "../policy/program_rights.ts";
import { mountPlan } from "./mount_plan.ts";

/** The options of the state. */
interface StateOptions {
  /** The permissions of the flags. */
  grants: Grants;
  /** The directory of the program's own modules, a real path. */
  programDirectory: string;
  /** The directory for temporary files of the programs. */
  temporary: string;
  /** The working directory. */
  cwd: string;
}

/**
 * Everything that the sandbox of programs follows from, as a text: the rights, the mounts, and the
 * files at their paths. A sandbox is restricted to the files that were there when it was entered.
 * If the text has changed since, a new sandbox would not be the same. Compute it before the sandbox
 * is entered: a file that is replaced in between then changes the text too.
 */
export function sandboxState({ temporary, ...options }: StateOptions): string {
  const { files, system } = programRights({ ...options, temporary });
  const plan = mountPlan({ ...options, temporary: [temporary] });
  const paths = new Set([
    ...[files, system].flatMap((rights) => Object.values(rights).flat()),
    ...plan.writable,
    ...plan.inside.map(({ path }) => path),
    options.cwd,
  ]);
  const identities = [...paths].map((path) => `${path} ${identityOf(path)}`);
  return JSON.stringify([files, system, plan, identities, mounts()]);
}

function identityOf(path: string): string {
  try {
    const { dev, ino } = Deno.statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return "missing";
  }
}

/** The mounts of the system. A mount namespace does not see later ones. */
function mounts(): string {
  try {
    return Deno.readTextFileSync("/proc/self/mountinfo");
  } catch {
    return "";
  }
}
