import type { SettingValues } from "../registry/services.ts";
import { isThere } from "../sandbox/policy/paths.ts";
import { defaultValues } from "../state/settings.ts";
import { State } from "../state/state.ts";
import { usualStateFolder } from "../state/state_folder.ts";

/**
 * The settings that all sessions share, as they are kept; no store is made. Throws
 * `unavailable` for one that cannot be read.
 */
export function keptSettings(stateDir: string | undefined): SettingValues {
  const folder = stateDir ?? usualStateFolder();
  if (folder === undefined || !isThere(`${folder}/state.db`)) return defaultValues();
  const state = new State(folder, "");
  try {
    return state.settings.values();
  } finally {
    state.close();
  }
}
