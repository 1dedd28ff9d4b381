import { modelNeeds } from "../../llm/models.ts";
import type { Permission } from "../../../runner/registry/define.ts";
import type { SettingValues } from "../../../runner/registry/services.ts";
import { pageHost } from "./page_url.ts";
import { settingText } from "../../provider/provider_settings.ts";

/** The permissions for a page and the model that answers from it. Throws for an invalid URL. */
export function pageNeeds(url: string, settings: SettingValues): Permission[] {
  const page: Permission = { name: "net", host: pageHost(url) };
  return [page, ...(hasPageModel(settings) ? modelNeeds(settings) : [])];
}

/** Returns whether the settings name a model for pages: `model.haiku` or `model.default`. */
export function hasPageModel(settings: SettingValues): boolean {
  return settingText(settings, "model.endpoint") !== undefined &&
    (settingText(settings, "model.haiku") ?? settingText(settings, "model.default")) !== undefined;
}
