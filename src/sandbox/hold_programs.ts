import { CallError, isCallError } from "../call_error.ts";
import type { Grants } from "./grants.ts";
import { revokeKinds } from "./in_place.ts";
import { type Kernel, UNCONFINED } from "./kernel.ts";
import { networkFor } from "./network.ts";
import type { PrivateFolder } from "./private_folder.ts";
import type { Limits } from "./privileges.ts";
import { enterProgramWall, merged, programRights } from "./program_wall.ts";
import { findProgram } from "./programs.ts";
import { macBaseRights, seatbeltProfile } from "./seatbelt.ts";
import { missingProgram } from "./spawn.ts";

/** What is needed to hold the programs of a call. */
export interface HoldOptions {
  /** What the flags allow. */
  grants: Grants;
  /** The folder of the program's own files. */
  programFolder: string;
  /** What programs may use at most. */
  limits: Limits;
  /** The call's own folder. */
  folder: PrivateFolder;
  /** A process of this user that is not to be held. */
  bystander: number | undefined;
}

/** Programs that are held. */
export interface Held {
  /** Makes of a command the one that is started for it. */
  command(command: string[]): string[];
  /** Kills everything that was started, at once and all of it; `kernel` has to stay open for it. */
  endAll?(): void;
}

/**
 * Sees to it that programs are held to the flags by the system: on Linux by what
 * this thread enters, for good; on macOS by what each command is started with. This
 * process keeps the permission to start programs and none to change anything itself.
 * Throws `unavailable` where that cannot be.
 */
export function holdPrograms(kernel: Kernel | undefined, options: HoldOptions): Held {
  const { grants, programFolder, limits, folder, bystander } = options;
  const walls = {
    grants,
    limits,
    bystander,
    programFolder: Deno.realPathSync(programFolder),
    privateFolders: [folder.temporary],
  };
  try {
    if (Deno.build.os === "darwin") {
      const rights = merged(programRights(walls, macBaseRights()));
      const profile = seatbeltProfile(rights, networkFor(grants, Number.MAX_SAFE_INTEGER));
      const start = ["/usr/bin/sandbox-exec", "-p", profile];
      return { command: (command) => [...start, ...bounded(command, limits)] };
    }
    const endAll = enterProgramWall(kernel, walls);
    return { command: (command) => bounded(command, limits), ...(endAll && { endAll }) };
  } catch (error) {
    if (!isCallError(error) || error.message.includes(UNCONFINED)) throw error;
    throw new CallError(error.code, `${error.message}; ${UNCONFINED}`, error.details);
  } finally {
    revokeKinds(["write", "env", "sys", "net", "import", "ffi"]);
  }
}

/** The command behind a limit of memory, which only the process itself can be given. */
function bounded(command: string[], { memory }: Limits): string[] {
  if (memory === undefined) return command;
  const bash = findProgram("bash", undefined);
  if (bash === undefined) throw missingProgram("bash");
  const kibibytes = String(Math.ceil(memory / 1024));
  const script = 'ulimit -v "$1" && shift && exec "$@"';
  return [bash.path, "-c", script, "bash", kibibytes, ...command];
}
