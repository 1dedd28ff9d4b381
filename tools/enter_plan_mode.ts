import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";

export default defineTool({
  name: "EnterPlanMode",
  title: "Enter plan mode",
  description:
    "Switches the session to plan mode: calls that change something are refused until the user approves a plan with ExitPlanMode. Calls that only read still run.",
  category: "agent",
  sideEffect: "none",
  destructive: false,
  idempotent: true,
  uses: ["settings"],
  requires: ["state"],
  optionality: "optional",
  usageHint: "Before work that the user should approve as a plan first",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  examples: [
    {
      description: "Plan in a session of its own",
      input: {},
      expect: "Plan mode is on",
      // In the usual session, examples of other tools would be refused afterwards.
      flags: ["--session=plan"],
    },
  ],
  permissions: { kinds: [], needs: () => [] },
  async run(_args, ctx) {
    const before = await ctx.settings.set("plan_mode", true);
    const message = `Plan mode is on${before === true ? " already" : ""}: calls that change ` +
      "something are refused. Complete the plan with read-only tools, then call ExitPlanMode";
    return withDataIfWanted(ctx, message, () => ({ message }));
  },
});
