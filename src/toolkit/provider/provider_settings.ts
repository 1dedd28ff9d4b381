import { CallError } from "../../base/errors.ts";
import type { SettingValue, SettingValues } from "../../runner/registry/services.ts";
import { neededHost, webUrl } from "../../base/host.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";

/** The text between a problem and the command that solves it. */
const SET_IT = "; set it: ";

/** The text of a setting, without blanks around it; `undefined` if it is empty or not set. */
export function settingText(settings: SettingValues, name: string): string | undefined {
  const value = settings[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** The command that sets a setting. */
export function settingCommand(setting: string, value: SettingValue): string {
  return `toolcall -A Config '${JSON.stringify({ setting, value })}'`;
}

/** The error for a missing or wrong setting, with the command that sets it. */
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

/** The problem in an error of {@link missingSetting}, without the command. */
export function problemOf({ message }: Error): string {
  return message.split(SET_IT, 1)[0]!;
}

/**
 * The URL of an endpoint, or the reason why a string is not one. The reason does not repeat it,
 * which may contain a secret.
 */
export function endpointUrl(text: string): URL | string {
  const url = webUrl(text);
  if (url === undefined) return URL.canParse(text) ? "is not an http or https URL" : "is not a URL";
  const part = url.username !== "" || url.password !== ""
    ? "a user name or a password"
    : url.search !== ""
    ? "a query"
    : url.hash !== ""
    ? "a fragment"
    : undefined;
  if (part !== undefined) {
    return `contains ${part}; remove it: a key belongs in an environment variable`;
  }
  try {
    neededHost(url);
    return url;
  } catch (error) {
    return `names no host: ${(error as Error).message}`;
  }
}

/**
 * The key in the environment variable that `setting` names; empty if it is not set. Throws
 * `unavailable` for a key that no header can contain, without showing it.
 */
export async function providerKey(
  { settings }: Pick<ToolContext, "settings">,
  setting: "model.key_variable" | "search.key_variable" | "notion.key_variable",
): Promise<string> {
  const key = (await settings.secret(setting))?.trim() ?? "";
  const fault = keyFault(key);
  if (fault === undefined) return key;
  const variable = quote(settingText(await settings.values(), setting) ?? "");
  throw new CallError("unavailable", `The variable ${variable} contains no key: ${fault}`);
}

/** The reason why no header can contain a key, which does not show the key. */
export function keyFault(key: string): string | undefined {
  if (!/[^\x21-\x7e]/.test(key)) return undefined;
  return "it contains a blank, a control character or a character outside ASCII";
}
