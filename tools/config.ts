import { problemIf } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import type { Json, SettingValue } from "../src/runner/registry/services.ts";
import type { ToolContext } from "../src/runner/registry/tool_context.ts";
import { quotePath } from "../src/base/text/quote.ts";
import { settings } from "../src/runner/registry/setting_definitions.ts";

export default defineTool({
  name: "Config",
  title: "Read or set a setting",
  description:
    "Reads a setting of toolcall, or sets it for later calls if value is given. An empty string " +
    `removes the value. "*" reads all settings: ${settings.map(({ name }) => name).join(", ")}. ` +
    "Settings that decide where requests and keys go need --allow-all. A setting that starts with " +
    '"/" is a JSON Pointer into toolcall.json, such as /tools/disabled. Writing it needs ' +
    "--allow-all; comments are kept.",
  category: "utility",
  sideEffect: "mutating",
  idempotent: true,
  uses: ["settings"],
  optionality: "optional",
  usageHint: "To see how toolcall is set up, to set it up, or to enter plan mode",
  inputSchema: {
    type: "object",
    properties: {
      setting: {
        type: "string",
        description: 'The setting\'s name, "*" for all, or a JSON Pointer.',
      },
      value: {
        description:
          "The new value. Without it, or with null, the setting is read. Lists and objects need a JSON Pointer.",
        anyOf: [
          { type: "string" },
          { type: "boolean" },
          { type: "number" },
          { type: "array", items: { type: "string" } },
          { type: "object" },
        ],
      },
    },
    required: ["setting"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Read a setting",
      input: { setting: "plan_mode" },
      expect: "plan_mode is false",
    },
    {
      description: "See every setting",
      input: { setting: "*" },
      expect: "model.endpoint is not set (string)",
    },
    {
      // An example that entered plan mode would keep pasted examples after it from running.
      description: "Set a setting to what it is; true would enter plan mode",
      input: { setting: "plan_mode", value: false },
      expect: "plan_mode is false; it was false",
    },
    {
      description: "See which tools the configuration disables",
      input: { setting: "/tools/disabled" },
      expect: "/tools/disabled is not set",
    },
    {
      description: "A misspelt name gets a suggestion",
      input: { setting: "model.sonet" },
      expect: "model.sonnet",
      isError: true,
    },
  ],
  rules: ({ setting, value }) =>
    problemIf(
      typeof value === "object" && !setting.startsWith("/"),
      "/value",
      `Cannot set ${JSON.stringify(setting)} to a list or an object: its value is a string, ` +
        "a boolean or a number",
    ),
  permissions: {
    kinds: [],
    needs: () => [],
  },
  // This is asked only in plan mode, where plan_mode is true already.
  changes: ({ setting, value }) =>
    value !== undefined && !(setting === "plan_mode" && value === true),
  async run({ setting, value }, ctx) {
    if (setting.startsWith("/")) return await configure(setting, value as Json | undefined, ctx);
    if (value === undefined && setting === "*") return await everything(ctx);
    const current = await ctx.settings.get(setting);
    if (value === undefined) return `${setting} is ${shown(current)}`;
    if (setting === "plan_mode" && value !== true && current === true) {
      throw new Error("Cannot leave plan mode by Config: call ExitPlanMode, which asks the user");
    }
    const given = value === "" ? undefined : value as SettingValue;
    const before = await ctx.settings.set(setting, given);
    const now = await ctx.settings.get(setting);
    return `${setting} is ${shown(now)}${now === before ? "" : " now"}; it was ${shown(before)}`;
  },
});

async function everything({ settings: service }: ToolContext): Promise<string> {
  const values = await service.values();
  const lines = settings.map(({ name, type, description }) =>
    `${name} is ${shown(values[name])} (${type}): ${description}`
  );
  const files = (await service.configured("")).map(({ file }) => quotePath(file));
  const where = files.length === 0 ? "not there" : `in ${files.join(" and ")}`;
  return [...lines, `The configuration, which a JSON Pointer reads and sets, is ${where}`]
    .join("\n");
}

/** Reads or sets a setting. */
async function configure(
  pointer: string,
  value: Json | undefined,
  { settings: service }: ToolContext,
): Promise<string> {
  if (value !== undefined) {
    const edit = await service.configure(pointer, value === "" ? undefined : value);
    const now = `${shown(edit.value)}${edit.isChanged ? " now" : ""}`;
    return `${pointer.replace(/\/-$/, "")} is ${now} in ${quotePath(edit.file)}; it was ${
      shown(edit.before)
    }`;
  }
  const files = await service.configured(pointer);
  if (files.length === 0) return `${pointer} is not set; there is no configuration`;
  return files.map(({ file, value }) => `${pointer} is ${shown(value)} in ${quotePath(file)}`)
    .join("\n");
}

function shown(value: Json | undefined): string {
  return value === undefined ? "not set" : JSON.stringify(value);
}
