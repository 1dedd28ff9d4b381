import type { SettingValue, SettingValues } from "./services.ts";

/** A setting of the tool `Config`. */
export interface Setting {
  /** Its name. */
  name: string;
  /** The type of its value. */
  type: "string" | "boolean";
  /** The allowed values. By default, every value of the type is allowed. */
  values?: readonly string[];
  /** The default. */
  default?: SettingValue;
  /** The default, if it depends on the values of earlier settings. */
  defaultBy?: (earlier: SettingValues) => SettingValue | undefined;
  /** Whether each session has its own value. By default, all sessions share one. */
  ofSession?: boolean;
  /** Whether only `--allow-all` may set it: it decides where requests and keys are sent. */
  guarded?: boolean;
  /** The description. */
  description: string;
}

/** All settings. */
export const settings: readonly Setting[] = [
  {
    name: "plan_mode",
    type: "boolean",
    default: false,
    ofSession: true,
    description: "Whether tools that change something are refused; only ExitPlanMode ends it",
  },
  {
    name: "model.endpoint",
    type: "string",
    guarded: true,
    description:
      "The base URL of a model's API, such as http://127.0.0.1:11434/v1 or https://api.anthropic.com",
  },
  {
    name: "model.api",
    type: "string",
    values: ["openai", "anthropic"],
    defaultBy: ({ "model.endpoint": endpoint }) =>
      endpoint === undefined ? undefined : apiOf(String(endpoint)),
    guarded: true,
    description:
      "The API of that endpoint: chat completions or Anthropic's messages (default: by its URL)",
  },
  {
    name: "model.key_variable",
    type: "string",
    defaultBy: ({ "model.api": api }) =>
      api === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY",
    guarded: true,
    description:
      "The environment variable with the API's key (default: OPENAI_API_KEY, ANTHROPIC_API_KEY)",
  },
  {
    name: "model.default",
    type: "string",
    description: "The model's id at that API, for calls that give none",
  },
  { name: "model.sonnet", type: "string", description: 'The id of the model that "sonnet" means' },
  { name: "model.opus", type: "string", description: 'The id of the model that "opus" means' },
  { name: "model.haiku", type: "string", description: 'The id of the model that "haiku" means' },
  { name: "model.fable", type: "string", description: 'The id of the model that "fable" means' },
  {
    name: "search.provider",
    type: "string",
    values: ["searxng", "brave", "tavily"],
    guarded: true,
    description: "The provider of WebSearch",
  },
  {
    name: "search.endpoint",
    type: "string",
    guarded: true,
    description: "The base URL of the search provider; required for SearXNG",
  },
  {
    name: "search.key_variable",
    type: "string",
    defaultBy: ({ "search.provider": provider }) => searchKeys[String(provider)],
    guarded: true,
    description:
      "The environment variable with the provider's key (default: BRAVE_API_KEY, TAVILY_API_KEY)",
  },
  {
    name: "notion.endpoint",
    type: "string",
    default: "https://api.notion.com",
    guarded: true,
    description: "The base URL of Notion's API, for blog_notion",
  },
  {
    name: "notion.key_variable",
    type: "string",
    default: "NOTION_API_KEY",
    guarded: true,
    description: "The environment variable with the secret of the Notion connection",
  },
  {
    name: "notion.parent",
    type: "string",
    description: "Where blog_notion puts pages: the id or URL of a page, or database:ID",
  },
];

/** The variables with the keys of search providers. */
const searchKeys: Readonly<Record<string, string>> = {
  brave: "BRAVE_API_KEY",
  tavily: "TAVILY_API_KEY",
};

/**
 * The API of an endpoint: Anthropic's own, or one whose path ends in `/anthropic`, as other vendors
 * name it. Every other endpoint counts as compatible with OpenAI.
 */
function apiOf(endpoint: string): "openai" | "anthropic" {
  const { hostname, pathname } = URL.parse(endpoint.trim()) ?? { hostname: "", pathname: "" };
  const isAnthropic = hostname === "api.anthropic.com" ||
    /\/anthropic(\/v1)?\/*$/.test(pathname);
  return isAnthropic ? "anthropic" : "openai";
}

/** All settings that have a value in `kept`, or a default. */
export function settingValues(
  kept: (setting: Setting) => SettingValue | undefined = () => undefined,
): SettingValues {
  const values: Record<string, SettingValue> = {};
  for (const setting of settings) {
    const value = kept(setting) ?? setting.default ?? setting.defaultBy?.(values);
    if (value !== undefined) values[setting.name] = value;
  }
  return values;
}
