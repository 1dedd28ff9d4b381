import { findBubblewrap } from "../sandbox/linux/bubblewrap.ts";
import { isThere } from "../sandbox/policy/paths.ts";
import { gapsBefore, landlockVersionHere } from "../sandbox/describe_confinement.ts";
import { quote } from "../../base/text/quote.ts";
import { State } from "../state/state.ts";
import { stateDirectory } from "../state/state_directory.ts";
import type { CapabilityPlace } from "./capability.ts";
import type { CapabilityStatus } from "../registry/providers.ts";
import { program } from "./program.ts";

/** Whether the kernel has Landlock. */
export function findLandlock(): CapabilityStatus {
  const version = landlockVersionHere();
  if (version >= 1) {
    return { ok: true, detail: [`version ${version}`, ...gapsBefore(version)].join("; ") };
  }
  const { os } = Deno.build;
  const advice = "use Linux 5.13 or later";
  if (os !== "linux") return { ok: false, detail: `this system (${os}) has none`, advice };
  const detail = "this kernel has no Landlock, or it is disabled";
  return { ok: false, detail, advice: `${advice}, with the boot parameter lsm=landlock,…` };
}

/** Whether bubblewrap works. Some systems install it without allowing its use. */
export async function examineBubblewrap(place: CapabilityPlace): Promise<CapabilityStatus> {
  const found = await program("bwrap").examine!(place);
  if (!found.ok) return found;
  try {
    await findBubblewrap(place.grants);
    return found;
  } catch (error) {
    const advice = "let this user create namespaces, or omit the flag";
    return { ok: false, detail: (error as Error).message, advice };
  }
}

/** Whether state can be stored. Creates nothing. With `isOpened`, opens an existing store. */
export function findStore({ stateDir }: CapabilityPlace, isOpened: boolean): CapabilityStatus {
  try {
    const directory = stateDirectory(stateDir);
    if (isThere(directory) && !Deno.statSync(directory).isDirectory) {
      throw new Error(`Cannot keep state in ${quote(directory, 4096)}: it is not a directory`);
    }
    if (!isThere(`${directory}/state.db`)) {
      return { ok: true, detail: `${directory}, created when a call needs it` };
    }
    if (isOpened) new State(directory, "").close();
    return { ok: true, detail: directory };
  } catch (error) {
    const advice = "choose another directory with --state-dir=DIR";
    return { ok: false, detail: (error as Error).message, advice };
  }
}
