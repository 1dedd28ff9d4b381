import { CallError } from "../call_error.ts";
import { quote } from "../quote.ts";
import type { Permission } from "../registry/define.ts";
import type { SettingValues } from "../registry/services.ts";

/** A model by the name that tool calls have for it. */
export type ModelName = "sonnet" | "opus" | "haiku";

/** A model and where it is asked. */
export interface Model {
  /** Its id at the endpoint. */
  id: string;
  /** The URL of the chat completions. */
  url: string;
  /** The base URL for messages, without what may be secret in it. */
  endpoint: string;
  /** The variable that holds the key, when the settings name one. */
  keyVariable?: string;
}

/**
 * The model that the settings name for `name`, or their default model. Throws
 * `unavailable` with the command that sets what is missing.
 */
export function modelFor(settings: SettingValues, name?: ModelName): Model {
  const setting = name === undefined ? "model.default" : `model.${name}`;
  const base = endpointOf(settings);
  const id = textOf(settings, setting);
  if (id === undefined) {
    const what = name === undefined ? "no model" : `no model for ${quote(name)}`;
    throw unset(setting, { problem: `The settings name ${what}`, example: "MODEL" });
  }
  const keyVariable = textOf(settings, "model.key_variable");
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, "")}/chat/completions`;
  return {
    id,
    url: url.href,
    endpoint: `${base.origin}${base.pathname}`,
    ...(keyVariable !== undefined && { keyVariable }),
  };
}

/**
 * What a call that asks the model needs: the network to the endpoint's host and
 * port. Nothing where the settings name no usable endpoint; {@link modelFor} says so then.
 */
export function modelNeeds(settings: SettingValues): Permission[] {
  const url = URL.parse(textOf(settings, "model.endpoint") ?? "");
  return url === null || faultOf(url) !== undefined ? [] : [{ name: "net", host: hostOf(url) }];
}

function endpointOf(settings: SettingValues): URL {
  const example = "http://127.0.0.1:11434/v1";
  const text = textOf(settings, "model.endpoint");
  if (text === undefined) {
    throw unset("model.endpoint", {
      problem: "No model is configured",
      example,
      then: "likewise model.default to the model's id, and allow the endpoint by its host and " +
        "port: --allow-net=127.0.0.1:11434",
    });
  }
  const url = URL.parse(text);
  const fault = url === null ? "is no URL" : faultOf(url);
  if (url === null || fault !== undefined) {
    throw unset("model.endpoint", { problem: `The setting model.endpoint ${fault}`, example });
  }
  return url;
}

/** Why a URL cannot be the endpoint. It is not shown: it may hold what is secret. */
function faultOf(url: URL): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return "is no http or https URL";
  }
  if (url.username !== "" || url.password !== "") {
    return "holds a user name or a password, which belong in the variable that " +
      "model.key_variable names";
  }
  return undefined;
}

function hostOf(url: URL): string {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return `${url.hostname.replace(/\.$/, "")}:${port}`;
}

function textOf(settings: SettingValues, name: string): string | undefined {
  const value = settings[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function unset(
  setting: string,
  { problem, example, then }: { problem: string; example: string; then?: string },
): CallError {
  const call = JSON.stringify({ setting, value: example });
  const after = then === undefined ? "" : `; ${then}`;
  return new CallError("unavailable", `${problem}; set it: toolcall -A Config '${call}'${after}`, {
    setting,
  });
}
