import { CallError } from "../../base/errors.ts";
import { neededHost } from "../../base/host.ts";
import {
  endpointUrl,
  missingSetting,
  providerKey,
  settingText,
} from "../provider/provider_settings.ts";
import type { SettingValues } from "../../runner/registry/services.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { type Parent, parentOf } from "./parent.ts";

/** The base URL of the API, without a slash at the end. Throws `unavailable` for a setting that is none. */
export function notionBase(settings: SettingValues): string {
  const url = endpointUrl(settingText(settings, "notion.endpoint") ?? "");
  if (typeof url !== "string") return url.href.replace(/\/+$/, "");
  throw missingSetting("notion.endpoint", {
    problem: `Cannot publish to Notion: the setting notion.endpoint ${url}`,
    example: "https://api.notion.com",
  });
}

/**
 * The `host:port` that publishing needs; none while something is not set, which the call then
 * says. Throws for a `parent` that is none.
 */
export function notionHosts(settings: SettingValues, parent: string | undefined): string[] {
  if (parent !== undefined) parentOf(parent);
  else if (settingText(settings, "notion.parent") === undefined) return [];
  try {
    return [neededHost(new URL(notionBase(settings)))];
  } catch {
    return [];
  }
}

/** What a page needs besides itself: the API, its key, and where to put it. */
export interface NotionSetup {
  /** The base URL, without a slash at the end. */
  base: string;
  /** The key. */
  key: string;
  /** The variable that holds it. */
  variable: string;
  /** Where the page goes. */
  parent: Parent;
}

/** What the settings say, and `parent` where it is given. Throws `unavailable` with how to set the rest. */
export async function notionSetup(
  ctx: Pick<ToolContext, "settings">,
  parent: string | undefined,
): Promise<NotionSetup> {
  const settings = await ctx.settings.values();
  const base = notionBase(settings);
  const where = parent ?? settingText(settings, "notion.parent");
  if (where === undefined) {
    throw missingSetting("notion.parent", {
      problem: "Cannot publish to Notion: no page or database to put pages in is set, nor given " +
        'as "parent"',
      example: "00000000-0000-0000-0000-000000000000",
      then: "the page has to be shared with the connection whose secret is the key",
    });
  }
  const place = parentOf(where);
  const variable = settingText(settings, "notion.key_variable") ?? "";
  const key = await providerKey(ctx, "notion.key_variable");
  if (key === "") {
    const fix = `set the environment variable ${variable} to the secret of a Notion connection, ` +
      'or the setting "notion.key_variable" to the name of another';
    throw new CallError("unavailable", `Cannot publish to Notion: it needs a key; ${fix}`);
  }
  return { base, key, variable, parent: place };
}
