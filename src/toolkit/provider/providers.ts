import { modelFor } from "../llm/models.ts";
import { keyFault, problemOf, settingCommand, settingText } from "./provider_settings.ts";
import { notionBase } from "../notion/setup.ts";
import type { SettingValues } from "../../runner/registry/services.ts";
import { searchSetup } from "../web/search/search_setup.ts";
import type { CapabilityStatus, ProviderPlace } from "../../runner/registry/providers.ts";

/** A provider in the settings. */
interface Configured {
  /** Its name and address, for people. */
  detail: string;
  /** The setting that names the variable with its key. */
  keySetting: string;
  /** True if it needs a key. */
  needsKey: boolean;
}

/** Returns whether a model is configured, and its key is set. */
export async function findModel(place: ProviderPlace): Promise<CapabilityStatus> {
  return await found(place, {
    read(settings) {
      const { id, endpoint, keyVariable } = modelFor(settings);
      // A server on the web hardly takes requests without a key; a local one does.
      const isNamed = keyVariable !== undefined &&
        !["OPENAI_API_KEY", "ANTHROPIC_API_KEY"].includes(keyVariable);
      return {
        detail: `${id} at ${endpoint}`,
        keySetting: "model.key_variable",
        needsKey: isNamed || endpoint.startsWith("https:"),
      };
    },
    advice: [
      settingCommand("model.endpoint", "http://127.0.0.1:11434/v1"),
      settingCommand("model.default", "MODEL"),
    ],
  });
}

/** Returns whether a search provider is configured, and its key is set. */
export async function findSearchProvider(place: ProviderPlace): Promise<CapabilityStatus> {
  return await found(place, {
    read(settings) {
      const { provider: { title, needsKey }, base } = searchSetup(settings);
      const keySetting = "search.key_variable";
      return { detail: `${title} at ${base}`, keySetting, needsKey };
    },
    advice: [
      settingCommand("search.provider", "searxng"),
      settingCommand("search.endpoint", "http://127.0.0.1:8888"),
    ],
  });
}

/** Returns whether the key for Notion's API is set. A call may name the parent page itself. */
export async function findNotion(place: ProviderPlace): Promise<CapabilityStatus> {
  return await found(place, {
    read: (settings) => ({
      detail: `Notion at ${notionBase(settings)}`,
      keySetting: "notion.key_variable",
      needsKey: true,
    }),
    advice: [settingCommand("notion.endpoint", "https://api.notion.com")],
  });
}

/** Reads the settings with `read`, and looks for the key. `advice` has the commands that set them. */
async function found(
  place: ProviderPlace,
  { read, advice }: { read(settings: SettingValues): Configured; advice: readonly string[] },
): Promise<CapabilityStatus> {
  let settings: SettingValues;
  try {
    settings = await place.settings();
  } catch (error) {
    const problem = `the settings cannot be read: ${(error as Error).message}`;
    return { ok: false, detail: problem, advice: "choose another directory with --state-dir=DIR" };
  }
  try {
    return withKey(read(settings), settings, place.environment());
  } catch (error) {
    const detail = problemOf(error as Error).replace(/^Cannot search the web: /, "");
    return { ok: false, detail, advice: advice.join("\n") };
  }
}

function withKey(
  { detail, keySetting, needsKey }: Configured,
  settings: SettingValues,
  environment: Readonly<Record<string, string>>,
): CapabilityStatus {
  const variable = settingText(settings, keySetting);
  if (variable === undefined) return { ok: true, detail: `${detail}, without a key` };
  const key = Object.hasOwn(environment, variable) ? environment[variable]!.trim() : "";
  const other = settingCommand(keySetting, "VARIABLE");
  const fault = keyFault(key);
  const advice = `set ${variable} to the key, or use another variable:\n${other}`;
  if (fault !== undefined) {
    const problem = `${detail}: the variable ${variable} contains no key: ${fault}`;
    return { ok: false, detail: problem, advice };
  }
  if (key !== "") return { ok: true, detail: `${detail}, with the key in ${variable}` };
  if (!needsKey) return { ok: true, detail: `${detail}, without a key: ${variable} is not set` };
  const problem = `${detail}: the variable ${variable} is not set`;
  return { ok: false, detail: problem, advice };
}
