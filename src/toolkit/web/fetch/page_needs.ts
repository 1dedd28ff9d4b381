import { modelNeeds } from "../../llm/models.ts";
import type { Permission } from "../../../runner/registry/define.ts";
import type { SettingValues } from "../../../runner/registry/services.ts";
import { pageHost } from "./page_url.ts";
import { settingText } from "../../provider/setting.ts";

/** What a page and a model that answers from it need. Throws for what is no URL of a page. */
export function pageNeeds(url: string, settings: SettingValues): Permission[] {
  const page: Permission = { name: "net", host: pageHost(url) };
  return [page, ...(hasPageModel(settings) ? modelNeeds(settings) : [])];
}

/** Whether the settings name a model for pages: `model.haiku`, a small one, or `model.default`. */
export function hasPageModel(settings: SettingValues): boolean {
  return settingText(settings, "model.endpoint") !== undefined &&
    (settingText(settings, "model.haiku") ?? settingText(settings, "model.default")) !== undefined;
}
