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
import { quote } from "../../base/text/quote.ts";

/** The base URL of the API, without a slash at the end. Throws `unavailable` for an invalid setting. */
export function notionBase(settings: SettingValues): string {
  const url = endpointUrl(settingText(settings, "notion.endpoint") ?? "");
  if (typeof url !== "string") return url.href.replace(/\/+$/, "");
  throw missingSetting("notion.endpoint", {
    problem: `Cannot publish to Notion: the setting notion.endpoint ${url}`,
    example: "https://api.notion.com",
  });
}

/**
 * The `host:port` that publishing needs; empty if a setting is missing, which the call reports later.
 * Throws for an invalid `parent`.
 */
export function notionHosts(settings: SettingValues, parent: string | undefined): string[] {
  if (parent !== undefined) parseParent(parent);
  else if (settingText(settings, "notion.parent") === undefined) return [];
  try {
    return [neededHost(new URL(notionBase(settings)))];
  } catch {
    return [];
  }
}

/** The API's base URL without a slash at the end, its key with its variable, and the page's parent. */
export type NotionSetup = {
  base: string;
  key: string;
  /** The environment variable with the key. */
  variable: string;
  parent: ReturnType<typeof parseParent>;
};

/** Reads the settings; `parent` overrides one of them. Throws `unavailable` for a missing setting. */
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
      then: "the page must be shared with the connection whose secret is the key",
    });
  }
  const place = parseParent(where);
  const variable = settingText(settings, "notion.key_variable") ?? "";
  const key = await providerKey(ctx, "notion.key_variable");
  if (key === "") {
    const fix = `set the environment variable ${variable} to the secret of a Notion connection, ` +
      'or the setting "notion.key_variable" to the name of another';
    throw new CallError("unavailable", `Cannot publish to Notion: it needs a key; ${fix}`);
  }
  return { base, key, variable, parent: place };
}

/**
 * The parent of a page in the form of the API, from the id or URL of a page, or `database:` or
 * `data_source:` and the id or URL of a database or data source. Throws for a text without an id.
 */
export function parseParent(
  text: string,
): Readonly<Partial<Record<"page_id" | "database_id" | "data_source_id", string>>> {
  const [, kind = "page", rest = ""] =
    /^(?:(page|database|data_source):)?(.*)$/s.exec(text.trim()) ?? [];
  const path = /^https?:\/\//i.test(rest) && URL.canParse(rest) ? new URL(rest).pathname : rest;
  const id = /(?:^|[-/])([0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})$/i.exec(path)?.[1];
  if (id === undefined) {
    throw new Error(
      `Cannot put a page in ${quote(text)}: give the id or the URL of a page, or an id after ` +
        "database: or data_source:",
    );
  }
  const [, ...groups] = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(id.replaceAll("-", ""))!;
  return { [`${kind}_id`]: groups.join("-").toLowerCase() };
}
