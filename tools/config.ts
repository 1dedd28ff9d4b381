import { defineTool } from "../src/registry/define.ts";
import type { SettingValue } from "../src/registry/services.ts";
import { settings } from "../src/registry/settings.ts";

export default defineTool({
  name: "Config",
  title: "Read or set a setting",
  description:
    "Reads a setting of toolcall, or sets it for later calls when a value is given; an " +
    `empty string takes the value away. "*" reads all. The settings: ${
      settings.map(({ name }) => name).join(", ")
    }. Where requests and keys go is set only under --allow-all`,
  category: "utility",
  sideEffect: "mutating",
  idempotent: true,
  uses: ["settings"],
  optionality: "optional",
  usageHint: "To see how toolcall is set up, to set it up, or to enter plan mode",
  inputSchema: {
    type: "object",
    properties: {
      setting: { type: "string", description: 'The name of the setting, or "*" for all of them' },
      value: {
        description: "The new value; without it the setting is read",
        anyOf: [{ type: "string" }, { type: "boolean" }, { type: "number" }],
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
      description: "Enter plan mode",
      input: { setting: "plan_mode", value: true },
      expect: "plan_mode is true now; it was false",
    },
    {
      description: "A misspelt name is answered with the near one",
      input: { setting: "model.sonet" },
      expect: "model.sonnet",
      isError: true,
    },
  ],
  permissions: { kinds: [], needs: () => [] },
  async run({ setting, value }, ctx) {
    if (setting === "plan_mode" && value !== undefined && value !== true) {
      throw new Error("Cannot leave plan mode by Config: call ExitPlanMode, which asks the user");
    }
    if (value === undefined && setting === "*") {
      const values = await ctx.settings.values();
      return settings.map(({ name, type, description }) =>
        `${name} is ${shown(values[name])} (${type}): ${description}`
      ).join("\n");
    }
    if (value === undefined) return `${setting} is ${shown(await ctx.settings.get(setting))}`;
    const before = await ctx.settings.set(setting, value === "" ? undefined : value);
    const now = await ctx.settings.get(setting);
    return `${setting} is ${shown(now)}${now === before ? "" : " now"}; it was ${shown(before)}`;
  },
});

function shown(value: SettingValue | undefined): string {
  return value === undefined ? "not set" : JSON.stringify(value);
}
