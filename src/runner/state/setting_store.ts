import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { SettingValue, SettingValues } from "../registry/services.ts";
import { type Setting, settings, settingValues } from "../registry/setting_definitions.ts";
import { makePrivateFile } from "./store_file.ts";
import { planMark } from "./state_directory.ts";
import type { Owner, ValueStore } from "./value_store.ts";

const SPACE = "settings";

/** The setting of that name. Rejects with `invalid_arguments`, which suggests a similar name. */
export async function settingNamed(name: string): Promise<Setting> {
  const setting = settings.find((each) => each.name === name);
  if (setting !== undefined) return setting;
  const names = settings.map((each) => each.name);
  const { nearest } = await import("../../base/text/nearest.ts");
  const near = nearest(name, names);
  const hint = near === undefined ? "known" : `did you mean ${quote(near)}? Known`;
  throw new CallError(
    "invalid_arguments",
    `Unknown setting ${quote(name)}; ${hint} are ${names.join(", ")}`,
    { setting: name.slice(0, 200), ...(near !== undefined && { nearest: near }) },
  );
}

/** The values of the settings. */
export class SettingStore {
  /** Takes the store of values, its directory, and the session. */
  constructor(
    readonly store: ValueStore,
    readonly options: { directory: string; session: string },
  ) {}

  /** All settings that have a value or a default. */
  values(): SettingValues {
    const { session } = this.options;
    const shared = this.store.all({ space: SPACE, session: "" });
    const own = this.store.all({ space: SPACE, session });
    return settingValues(({ name, ofSession }) =>
      (ofSession ? own : shared)[name] as SettingValue | undefined
    );
  }

  /** Sets one, or removes it for `undefined`. Returns the old value. Throws `invalid_arguments`. */
  set(setting: Setting, value: SettingValue | undefined): SettingValue | undefined {
    const { name } = setting;
    if (value !== undefined) rejectInvalid(setting, value);
    const owner = { space: SPACE, session: setting.ofSession ? this.options.session : "" };
    const before = name === "plan_mode"
      ? this.#setPlanMode(owner, value)
      : this.store.set(owner, name, { value });
    return (before as SettingValue | undefined) ?? setting.default;
  }

  /** Whether the session is in plan mode. Removes the plan mark when no session is. */
  isPlanning(): boolean {
    if (this.values()["plan_mode"] === true) return true;
    // A transaction, so that no session enters plan mode meanwhile. It changes nothing in the
    // store.
    this.store.database.step(() => {
      const isPlanned = this.store.isAnywhere(SPACE, "plan_mode", true);
      if (!isPlanned) removeIfExists(planMark(this.options.directory));
    });
    return false;
  }

  /** A mark beside the store spares other calls from asking it while no session is in plan mode. */
  #setPlanMode(owner: Owner, value: SettingValue | undefined) {
    return this.store.database.step(() => {
      if (value === true) makePrivateFile(planMark(this.options.directory));
      return this.store.put(owner, "plan_mode", { value });
    });
  }
}

function rejectInvalid({ name, type, values }: Setting, value: SettingValue): void {
  const wanted = values === undefined
    ? `a ${type}`
    : `one of ${values.map((each) => quote(each)).join(", ")}`;
  if (typeof value === type && (values?.includes(String(value)) ?? true)) return;
  throw new CallError(
    "invalid_arguments",
    `Cannot set ${quote(name)} to ${JSON.stringify(value)}: it is ${wanted}`,
    { setting: name },
  );
}

function removeIfExists(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
