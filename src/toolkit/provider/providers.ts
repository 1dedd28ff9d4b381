import { modelFor } from "../llm/models.ts";
import { keyFault } from "./key.ts";
import { notionBase } from "../notion/setup.ts";
import { configCommand, problemOf, settingText } from "./setting.ts";
import type { SettingValues } from "../../runner/registry/services.ts";
import { searchSetup } from "../web/search/search_setup.ts";
import type { CapabilityPlace, CapabilityStatus } from "../../runner/capability/capability.ts";

/** A provider as the settings have it. */
interface Configured {
  /** Who and where, for a person. */
  detail: string;
  /** The setting that names the variable with its key. */
  keySetting: string;
  /** Whether it answers nobody without a key. */
  needsKey: boolean;
}

/** Whether a model is configured, and its key is there. */
export async function findModel(place: CapabilityPlace): Promise<CapabilityStatus> {
  return await found(place, {
    read(settings) {
      const { id, endpoint, keyVariable } = modelFor(settings);
      // A server of one's own takes requests without a key, one of the web hardly.
      const isNamed = keyVariable !== undefined && keyVariable !== "OPENAI_API_KEY";
      return {
        detail: `${id} at ${endpoint}`,
        keySetting: "model.key_variable",
        needsKey: isNamed || endpoint.startsWith("https:"),
      };
    },
    advice: [
      configCommand("model.endpoint", "http://127.0.0.1:11434/v1"),
      configCommand("model.default", "MODEL"),
    ],
  });
}

/** Whether a provider of searches is configured, and its key is there. */
export async function findSearchProvider(place: CapabilityPlace): Promise<CapabilityStatus> {
  return await found(place, {
    read(settings) {
      const { provider: { title, needsKey }, base } = searchSetup(settings);
      const keySetting = "search.key_variable";
      return { detail: `${title} at ${base}`, keySetting, needsKey };
    },
    advice: [
      configCommand("search.provider", "searxng"),
      configCommand("search.endpoint", "http://127.0.0.1:8888"),
    ],
  });
}

/** Whether the key for Notion's API is there. Where pages go, a call may say itself. */
export async function findNotion(place: CapabilityPlace): Promise<CapabilityStatus> {
  return await found(place, {
    read: (settings) => ({
      detail: `Notion at ${notionBase(settings)}`,
      keySetting: "notion.key_variable",
      needsKey: true,
    }),
    advice: [configCommand("notion.endpoint", "https://api.notion.com")],
  });
}

/** What `read` makes of the settings, with its key; `advice` sets all of them. */
async function found(
  place: CapabilityPlace,
  { read, advice }: { read(settings: SettingValues): Configured; advice: readonly string[] },
): Promise<CapabilityStatus> {
  let settings: SettingValues;
  try {
    settings = await place.settings();
  } catch (error) {
    const problem = `the settings cannot be read: ${(error as Error).message}`;
    return { ok: false, detail: problem, advice: "name another folder with --state-dir=DIR" };
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
  const other = configCommand(keySetting, "VARIABLE");
  const fault = keyFault(key);
  if (fault !== undefined) {
    return {
      ok: false,
      detail: `${detail}: the variable ${variable} holds no key: ${fault}`,
      advice: `set ${variable} to the key, or name another variable:\n${other}`,
    };
  }
  if (key !== "") return { ok: true, detail: `${detail}, with the key in ${variable}` };
  if (!needsKey) return { ok: true, detail: `${detail}, without a key: ${variable} is not set` };
  return {
    ok: false,
    detail: `${detail}: the variable ${variable}, which is to hold its key, is not set`,
    advice: `set ${variable} to the key, or name another variable:\n${other}`,
  };
}
