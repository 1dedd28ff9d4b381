import { CallError } from "../../base/errors.ts";
import type { SettingValue, SettingValues } from "../../runner/registry/services.ts";

/** What stands between a problem and the command that solves it. */
const SET_IT = "; set it: ";

/** What a setting says, without blanks around it; `undefined` where that is nothing. */
export function settingText(settings: SettingValues, name: string): string | undefined {
  const value = settings[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** The command that sets a setting. */
export function configCommand(setting: string, value: SettingValue): string {
  return `toolcall -A Config '${JSON.stringify({ setting, value })}'`;
}

/** The failure of a call that a setting is missing or wrong for, with the command that sets it. */
export function unset(
  setting: string,
  { problem, example, then }: { problem: string; example: string; then?: string },
): CallError {
  const after = then === undefined ? "" : `; ${then}`;
  return new CallError(
    "unavailable",
    `${problem}${SET_IT}${configCommand(setting, example)}${after}`,
    { setting },
  );
}

/** What is wrong, of the failure that {@link unset} gives, without the command. */
export function problemOf({ message }: Error): string {
  return message.split(SET_IT, 1)[0]!;
}
