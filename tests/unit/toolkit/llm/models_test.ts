import { expect } from "@std/expect";
import { CallError } from "../../../../src/base/errors.ts";
import { settingValues } from "../../../../src/runner/registry/setting_definitions.ts";
import { newModelApi } from "../../../../src/toolkit/llm/chat.ts";
import { modelFor, type ModelName, modelNeeds } from "../../../../src/toolkit/llm/models.ts";

const endpoint = (url: string) => ({ "model.endpoint": url, "model.default": "llama" });

function requestUrl(settings: Record<string, string>): string {
  const { api, endpoint } = modelFor(settings);
  return newModelApi(api).url(endpoint);
}

Deno.test("models > an endpoint becomes the URL of requests and the required permission", () => {
  const rows: [endpoint: string, url: string, host: string][] = [
    ["http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/chat/completions", "127.0.0.1:11434"],
    [
      "http://127.0.0.1:11434/v1//",
      "http://127.0.0.1:11434/v1/chat/completions",
      "127.0.0.1:11434",
    ],
    [
      " https://API.example.com/v1 ",
      "https://api.example.com/v1/chat/completions",
      "api.example.com:443",
    ],
    ["http://example.com.", "http://example.com./chat/completions", "example.com:80"],
    ["http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions", "[::1]:8080"],
    ["http://0x7f.1/v1", "http://127.0.0.1/v1/chat/completions", "127.0.0.1:80"],
  ];
  for (const [given, url, host] of rows) {
    expect(requestUrl(endpoint(given))).toBe(url);
    expect(modelNeeds(endpoint(given))).toEqual([{ name: "net", host }]);
  }
});

Deno.test("models > an endpoint of Anthropic's API is recognized by its URL, and a setting overrides that", () => {
  const rows: [endpoint: string, api: string | undefined, url: string, variable: string][] = [
    ["https://api.anthropic.com", undefined, "/v1/messages", "ANTHROPIC_API_KEY"],
    ["https://api.anthropic.com/", undefined, "/v1/messages", "ANTHROPIC_API_KEY"],
    [" https://API.Anthropic.com/v1 ", undefined, "/v1/messages", "ANTHROPIC_API_KEY"],
    ["https://api.example.com/anthropic", undefined, "/anthropic/v1/messages", "ANTHROPIC_API_KEY"],
    ["https://h/api/anthropic/v1/", undefined, "/api/anthropic/v1/messages", "ANTHROPIC_API_KEY"],
    ["http://127.0.0.1:4000", "anthropic", "/v1/messages", "ANTHROPIC_API_KEY"],
    ["https://api.anthropic.com/v1", "openai", "/v1/chat/completions", "OPENAI_API_KEY"],
    ["https://anthropic.example.com/v1", undefined, "/v1/chat/completions", "OPENAI_API_KEY"],
    ["https://h/v1/anthropic-proxy", undefined, "/chat/completions", "OPENAI_API_KEY"],
    ["not a URL", undefined, "", "OPENAI_API_KEY"],
  ];
  for (const [given, api, path, variable] of rows) {
    const kept: Record<string, string | undefined> = {
      ...endpoint(given),
      ...(api !== undefined && { "model.api": api }),
    };
    const settings = settingValues(({ name }) => kept[name]);
    expect({ given, variable: settings["model.key_variable"] }).toEqual({ given, variable });
    if (path !== "") expect(requestUrl(settings as Record<string, string>)).toContain(path);
  }
  // Without an endpoint there is no API.
  expect(settingValues()["model.api"]).toBe(undefined);
});

Deno.test("models > a name selects the model of its setting", () => {
  const settings = { ...endpoint("http://h/v1"), "model.opus": "large", "model.haiku": "small" };
  expect(modelFor(settings).id).toBe("llama");
  expect(modelFor(settings, "opus").id).toBe("large");
  expect(modelFor(settings, "haiku").id).toBe("small");
});

Deno.test("models > a model without a valid setting is unavailable, and the error says how to set it", () => {
  const rows: [settings: Record<string, string>, name: ModelName | undefined, says: string[]][] = [
    [{}, undefined, [
      `toolcall -A Config '{"setting":"model.endpoint","value":"http://127.0.0.1:11434/v1"}'`,
      ...["model.default", "--allow-net=127.0.0.1:11434"],
    ]],
    [{ "model.endpoint": " " }, undefined, ["No model is configured"]],
    [{ "model.endpoint": "http://h/v1" }, undefined, [
      "name no model",
      '"setting":"model.default"',
    ]],
    [endpoint("http://h/v1"), "sonnet", ['no model for "sonnet"', '"setting":"model.sonnet"']],
    [endpoint("llama"), undefined, ["model.endpoint is not a URL"]],
    [endpoint("ftp://h/v1"), undefined, ["is not an http or https URL"]],
    [endpoint("https://me:s3cret@h/v1"), undefined, ["user name or a password"]],
    [endpoint("http://h/v1?api-key=s3cret"), undefined, ["contains a query"]],
    [endpoint("http://h/v1#s3cret"), undefined, ["contains a fragment"]],
    [endpoint("http://a..b/v1"), undefined, ["names no host"]],
  ];
  for (const [settings, name, parts] of rows) {
    let error: unknown;
    try {
      modelFor(settings, name);
    } catch (thrown) {
      error = thrown;
    }
    if (!(error instanceof CallError)) {
      throw new Error(`No CallError for ${JSON.stringify(settings)}`);
    }
    expect(error.code).toBe("unavailable");
    for (const part of parts) expect(error.message).toContain(part);
    expect(error.message).not.toContain("s3cret");
  }
  for (
    const settings of [
      {},
      endpoint("llama"),
      endpoint("ftp://h"),
      endpoint("https://a:b@h"),
      endpoint("http://a..b"),
    ]
  ) {
    expect(modelNeeds(settings)).toEqual([]);
  }
});
