import { quote } from "../../base/text/quote.ts";
import type { SettingValues } from "../registry/services.ts";
import type { CapabilityPlace, CapabilitySetup } from "./capability.ts";
import type { Found } from "../registry/providers.ts";
import { capabilityNamed } from "./table.ts";

/** The capabilities of a process; each is detected when it is first asked for, and then known. */
export class Capabilities {
  #place: CapabilityPlace;
  #found = new Map<string, Promise<Found>>();
  #examined = new Map<string, Promise<Found>>();

  /** Takes where they are looked for; nothing is looked for yet. */
  constructor(setup: CapabilitySetup) {
    let settings: Promise<SettingValues> | undefined;
    this.#place = { ...setup, settings: () => settings ??= settingsIn(setup.stateDir) };
  }

  /**
   * Whether what a tool's `requires` names is there, and how to get it if not. No program is
   * started, nothing is sent. Never rejects.
   */
  find(name: string): Promise<Found> {
    return once(this.#found, name, async () => {
      const capability = capabilityNamed(name);
      return await capability?.find(this.#place) ?? unknown(name);
    });
  }

  /** Whether it works as well, by starting a program with `--version`, say. Never rejects. */
  examine(name: string): Promise<Found> {
    return once(this.#examined, name, async () => {
      const found = await this.find(name);
      if (!found.ok) return found;
      return await capabilityNamed(name)?.examine?.(this.#place) ?? found;
    });
  }
}

function once<T>(
  known: Map<string, Promise<T>>,
  name: string,
  detect: () => Promise<T>,
): Promise<T> {
  const before = known.get(name);
  if (before !== undefined) return before;
  const detected = detect();
  known.set(name, detected);
  return detected;
}

async function settingsIn(stateDir: string | undefined): Promise<SettingValues> {
  const { keptSettings } = await import("./kept_settings.ts");
  return keptSettings(stateDir);
}

function unknown(name: string): Found {
  return {
    ok: false,
    detail: `no capability is called ${quote(name)}`,
    advice: 'correct "requires" of the tool',
  };
}
