import { modelNeeds } from "../../llm/models.ts";
import type { Permission } from "../../../runner/registry/define.ts";
import type { SettingValues } from "../../../runner/registry/services.ts";
import { hasPageModel } from "./page_settings.ts";
import { pageHost } from "./page_url.ts";

/** What a page and a model that answers from it need. Throws for what is no URL of a page. */
export function pageNeeds(url: string, settings: SettingValues): Permission[] {
  const page: Permission = { name: "net", host: pageHost(url) };
  return [page, ...(hasPageModel(settings) ? modelNeeds(settings) : [])];
}
