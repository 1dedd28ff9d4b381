import { CallError } from "../call_error.ts";
import type { SettingValues } from "../registry/services.ts";

/** What a setting says, without blanks around it; `undefined` where that is nothing. */
export function settingText(settings: SettingValues, name: string): string | undefined {
  const value = settings[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** The failure of a call that a setting is missing or wrong for, with the command that sets it. */
export function unset(
  setting: string,
  { problem, example, then }: { problem: string; example: string; then?: string },
): CallError {
  const call = JSON.stringify({ setting, value: example });
  const after = then === undefined ? "" : `; ${then}`;
  return new CallError("unavailable", `${problem}; set it: toolcall -A Config '${call}'${after}`, {
    setting,
  });
}
