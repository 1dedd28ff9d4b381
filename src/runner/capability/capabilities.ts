import { quote } from "../../base/text/quote.ts";
import type { SettingValues } from "../registry/services.ts";
import type { CapabilityPlace, CapabilitySetup } from "./capability.ts";
import type { CapabilityStatus } from "../registry/providers.ts";
import { capabilityNamed } from "./table.ts";
import { isThere } from "../sandbox/policy/paths.ts";
import { settingValues } from "../registry/setting_definitions.ts";
import { usualStateDirectory } from "../state/state_directory.ts";

/** The capabilities of a process. Each is detected once, when it is first needed. */
export class Capabilities {
  #place: CapabilityPlace;
  #found = new Map<string, Promise<CapabilityStatus>>();
  #examined = new Map<string, Promise<CapabilityStatus>>();

  /** Takes the setup. Detects nothing yet. */
  constructor(setup: CapabilitySetup) {
    let settings: Promise<SettingValues> | undefined;
    this.#place = { ...setup, settings: () => settings ??= settingsIn(setup.stateDir) };
  }

  /**
   * Whether the capability of that name in `requires` exists, and how to get it. Starts no program
   * and sends nothing. Never rejects.
   */
  find(name: string): Promise<CapabilityStatus> {
    const found = this.#found.get(name) ?? this.#look(name);
    this.#found.set(name, found);
    return found;
  }

  /**
   * Whether the capability works, for example by starting a program with `--version`. Never
   * rejects.
   */
  examine(name: string): Promise<CapabilityStatus> {
    const examined = this.#examined.get(name) ?? this.#try(name);
    this.#examined.set(name, examined);
    return examined;
  }

  async #try(name: string): Promise<CapabilityStatus> {
    const found = await this.find(name);
    if (!found.ok) return found;
    return await capabilityNamed(name)?.examine?.(this.#place) ?? found;
  }

  async #look(name: string): Promise<CapabilityStatus> {
    return await capabilityNamed(name)?.find(this.#place) ?? {
      ok: false,
      detail: `no capability is called ${quote(name)}`,
      advice: 'correct "requires" of the tool',
    };
  }
}

/**
 * The stored settings that all sessions share. Creates no store. Rejects with `unavailable` for a
 * store that cannot be read.
 */
async function settingsIn(stateDir: string | undefined): Promise<SettingValues> {
  const directory = stateDir ?? usualStateDirectory();
  if (directory === undefined || !isThere(`${directory}/state.db`)) return settingValues();
  const { State } = await import("../state/state.ts");
  const state = new State(directory, "");
  try {
    return state.settings.values();
  } finally {
    state.close();
  }
}
