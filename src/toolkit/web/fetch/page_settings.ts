import { settingText } from "../../provider/provider_settings.ts";
import type { SettingValues } from "../../../runner/registry/services.ts";

/** Whether the settings name a model for pages: `model.haiku`, a small one, or `model.default`. */
export function hasPageModel(settings: SettingValues): boolean {
  return settingText(settings, "model.endpoint") !== undefined &&
    (settingText(settings, "model.haiku") ?? settingText(settings, "model.default")) !== undefined;
}
