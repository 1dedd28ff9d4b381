import { CallError } from "../../base/errors.ts";
import type { SettingValue, SettingValues } from "../../runner/registry/services.ts";
import { neededHost, webUrl } from "../../base/host.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";

/** What stands between a problem and the command that solves it. */
const SET_IT = "; set it: ";

/** What a setting says, without blanks around it; `undefined` where that is nothing. */
export function settingText(settings: SettingValues, name: string): string | undefined {
  const value = settings[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** The command that sets a setting. */
export function settingCommand(setting: string, value: SettingValue): string {
  return `toolcall -A Config '${JSON.stringify({ setting, value })}'`;
}

/** The failure of a call that a setting is missing or wrong for, with the command that sets it. */
export function missingSetting(
  setting: string,
  { problem, example, then }: { problem: string; example: string; then?: string },
): CallError {
  const after = then === undefined ? "" : `; ${then}`;
  return new CallError(
    "unavailable",
    `${problem}${SET_IT}${settingCommand(setting, example)}${after}`,
    { setting },
  );
}

/** What is wrong, of the failure that {@link missingSetting} gives, without the command. */
export function problemOf({ message }: Error): string {
  return message.split(SET_IT, 1)[0]!;
}

/**
 * The URL of an endpoint, or why a text is none. What is wrong is told without the text,
 * which may hold what is secret; what cannot hold it is told with every error.
 */
export function endpointUrl(text: string): URL | string {
  const url = webUrl(text);
  if (url === undefined) return URL.canParse(text) ? "is no http or https URL" : "is no URL";
  const part = url.username !== "" || url.password !== ""
    ? "a user name or a password"
    : url.search !== ""
    ? "a query"
    : url.hash !== ""
    ? "a fragment"
    : undefined;
  if (part !== undefined) {
    return `holds ${part}; leave it out: a key belongs in a variable of the environment`;
  }
  try {
    neededHost(url);
    return url;
  } catch (error) {
    return `names no host: ${(error as Error).message}`;
  }
}

/**
 * The key in the variable of the environment that `setting` names; empty where there is
 * none. Throws `unavailable` for what no request's header can hold, without showing it.
 */
export async function providerKey(
  { settings }: Pick<ToolContext, "settings">,
  setting: "model.key_variable" | "search.key_variable" | "notion.key_variable",
): Promise<string> {
  const key = (await settings.secret(setting))?.trim() ?? "";
  const fault = keyFault(key);
  if (fault === undefined) return key;
  const variable = quote(settingText(await settings.values(), setting) ?? "");
  throw new CallError("unavailable", `The variable ${variable} holds no key: ${fault}`);
}

/** Why no request's header can hold a key, in words that do not show it. */
export function keyFault(key: string): string | undefined {
  if (!/[^\x21-\x7e]/.test(key)) return undefined;
  return "there is a blank, a control character or a letter outside ASCII in it";
}
