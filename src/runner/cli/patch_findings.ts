import { quote } from "../../base/text/quote.ts";
import type { DoctorFinding, ReportSection } from "./print/doctor_report.ts";
import { restoreAll, type RestoredPatch } from "../patches/restore_patches.ts";
import { usualStateDirectory } from "../state/state_directory.ts";

/** Restores the patches whose processes were killed, and returns a finding for each of them. */
export async function patchSection(stateDir: string | undefined): Promise<ReportSection> {
  const title = "Patches whose processes were killed";
  return { title, findings: await restoredPatches(stateDir) };
}

async function restoredPatches(stateDir: string | undefined): Promise<DoctorFinding[]> {
  const directory = stateDir ?? usualStateDirectory();
  if (directory === undefined) return [];
  const finding = (ok: boolean, detail: string): DoctorFinding => ({
    ...{ kind: "patch", name: "patch", ok, detail },
  });
  try {
    const restored = await restoreAll(directory);
    return restored.map((patch) => finding(patch.outcome !== "conflict", detailOf(patch)));
  } catch (error) {
    return [finding(false, (error as Error).message)];
  }
}

function detailOf({ outcome, paths, left }: RestoredPatch): string {
  const names = (list: readonly string[]) => list.map((path) => quote(path, 4096)).join(", ");
  switch (outcome) {
    case "finished":
      return `finished: ${names(paths)}`;
    case "undone":
      return `taken back: ${names(paths)}`;
    case "conflict":
      return `taken back, except for files that were changed since: ${names(left)}`;
  }
}
