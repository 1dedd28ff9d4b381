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
  /** Defaults that depend on the value of an earlier setting. */
  defaultBy?: { setting: string; values: Readonly<Record<string, SettingValue>> };
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
    description: "The base URL of an OpenAI-compatible API, such as http://127.0.0.1:11434/v1",
  },
  {
    name: "model.key_variable",
    type: "string",
    default: "OPENAI_API_KEY",
    guarded: true,
    description: "The environment variable with the API's key",
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
    defaultBy: {
      setting: "search.provider",
      values: { brave: "BRAVE_API_KEY", tavily: "TAVILY_API_KEY" },
    },
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

/** The default of each setting that has one. */
export function defaultValues(): SettingValues {
  return Object.fromEntries(
    settings.flatMap(({ name, default: value }) => value === undefined ? [] : [[name, value]]),
  );
}
