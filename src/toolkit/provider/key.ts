import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { settingText } from "./setting.ts";

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
