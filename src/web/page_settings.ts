import type { SettingValues } from "../registry/services.ts";

/** Whether the settings name a model for pages: `model.haiku`, a small one, or `model.default`. */
export function hasPageModel(settings: SettingValues): boolean {
  return isSet(settings, "model.endpoint") &&
    (isSet(settings, "model.haiku") || isSet(settings, "model.default"));
}

/** Whether a setting has a value that says something. */
export function isSet(settings: SettingValues, name: string): boolean {
  const value = settings[name];
  return typeof value === "string" && value.trim() !== "";
}
