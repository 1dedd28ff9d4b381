import { neededHost } from "../../base/host.ts";
import { quote } from "../../base/text/quote.ts";
import { endpointUrl, missingSetting, settingText } from "../provider/provider_settings.ts";
import type { Permission } from "../../runner/registry/define.ts";
import type { ModelApiName, SettingValues } from "../../runner/registry/services.ts";

/** The name of a model in tool calls. */
export type ModelName = "sonnet" | "opus" | "haiku" | "fable";

/** A model and its endpoint. */
export interface Model {
  /** Its id at the endpoint. */
  id: string;
  /** The API of the endpoint. */
  api: ModelApiName;
  /** The base URL, without a slash at its end. */
  endpoint: string;
  /** The environment variable with the key, if the settings name one. */
  keyVariable?: string;
}

/**
 * The model that the settings name for `name`, or their default model. Throws
 * `unavailable` with the command that sets the missing setting.
 */
export function modelFor(settings: SettingValues, name?: ModelName): Model {
  const setting = name === undefined ? "model.default" : `model.${name}`;
  const base = endpointOf(settings);
  const id = settingText(settings, setting);
  if (id === undefined) {
    const what = name === undefined ? "no model" : `no model for ${quote(name)}`;
    throw missingSetting(setting, { problem: `The settings name ${what}`, example: "MODEL" });
  }
  const keyVariable = settingText(settings, "model.key_variable");
  return {
    id,
    api: settings["model.api"] === "anthropic" ? "anthropic" : "openai",
    endpoint: base.href.replace(/\/+$/, ""),
    ...(keyVariable !== undefined && { keyVariable }),
  };
}

/**
 * The permissions of a call that asks the model: network access to the endpoint's host and port.
 * Empty if the settings name no valid endpoint, which {@link modelFor} reports.
 */
export function modelNeeds(settings: SettingValues): Permission[] {
  const url = endpointUrl(settingText(settings, "model.endpoint") ?? "");
  return typeof url === "string" ? [] : [{ name: "net", host: neededHost(url) }];
}

function endpointOf(settings: SettingValues): URL {
  const example = "http://127.0.0.1:11434/v1";
  const text = settingText(settings, "model.endpoint");
  if (text === undefined) {
    throw missingSetting("model.endpoint", {
      problem: "No model is configured",
      example,
      then: "also set model.default to the model's id, and allow the endpoint by its host and " +
        "port: --allow-net=127.0.0.1:11434",
    });
  }
  const url = endpointUrl(text);
  if (typeof url !== "string") return url;
  throw missingSetting("model.endpoint", { problem: `The setting model.endpoint ${url}`, example });
}
