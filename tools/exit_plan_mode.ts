import { defineTool } from "../src/runner/registry/define.ts";

const [APPROVE, KEEP] = ["Approve", "Keep planning"];

/** The largest number of unknown keys that the result names. */
const MAX_SHOWN = 20;

export default defineTool({
  name: "ExitPlanMode",
  title: "Leave plan mode",
  description:
    "Shows the user the plan and asks whether to leave plan mode, in which nothing may be changed. If the user approves, tools that change something run again, and the approval is stored. Otherwise the call fails with the user's answer, and plan mode continues. Fails outside plan mode.",
  category: "agent",
  sideEffect: "blocking",
  optionality: "conditional",
  usageHint: "When a plan is complete and should be carried out; not to ask about details",
  uses: ["ask", "settings", "store"],
  requires: ["state"],
  inputSchema: {
    type: "object",
    properties: {
      plan: { type: "string", description: "The plan, as the user should read it.", minLength: 1 },
      allowedPrompts: {
        type: "array",
        description: "Permissions that the plan needs, for the user to approve.",
        items: {
          type: "object",
          properties: {
            tool: { type: "string", description: "The tool, such as Bash.", minLength: 1 },
            prompt: {
              type: "string",
              description: "Its purpose, such as: run the tests.",
              minLength: 1,
            },
          },
          required: ["tool", "prompt"],
          additionalProperties: false,
        },
      },
    },
    additionalProperties: true,
  },
  examples: [
    {
      description: "Outside plan mode there is nothing to leave",
      input: {},
      expect: "plan mode is not on",
      isError: true,
    },
    {
      description: "The same with a plan and what it needs",
      input: {
        plan: "1. Rename the function\n2. Run the tests",
        allowedPrompts: [{ tool: "Bash", prompt: "run the tests" }],
      },
      expect: "plan mode is not on",
      isError: true,
    },
  ],
  permissions: { kinds: [], needs: () => [] },
  timeoutMs: 3_600_000,
  async run({ plan, allowedPrompts = [], ...others }, ctx) {
    const { plan_mode: isOn } = await ctx.settings.values();
    if (isOn !== true) {
      throw new Error("Cannot leave plan mode: plan mode is not on; go on with the work itself");
    }
    const question = questionOf(plan, allowedPrompts);
    const { [question]: answer = KEEP } = await ctx.ask([{
      question,
      header: "Plan mode",
      options: [
        { label: APPROVE, description: "Leave plan mode and carry this out" },
        { label: KEEP, description: "Change nothing yet, plan mode goes on" },
      ],
      multiSelect: false,
    }]);
    if (answer !== APPROVE) {
      const said = answer === KEEP ? "" : `; the user said: ${answer}`;
      throw new Error(`The plan is not approved, plan mode goes on${said}`, {
        cause: { planMode: true, ...(answer !== KEEP && { said: answer }) },
      });
    }
    // Store the approval first: if that fails, plan mode stays on.
    const approved = { plan: plan ?? null, allowedPrompts, at: new Date().toISOString() };
    await ctx.store.set("approved", approved);
    await ctx.settings.set("plan_mode", false);
    const prompts = listOf(allowedPrompts);
    const allowed = prompts === "" ? "" : `\nApproved with it:\n${prompts}`;
    const ignored = Object.keys(others).slice(0, MAX_SHOWN).map((key) => JSON.stringify(key));
    const note = ignored.length === 0 ? "" : `\n[Ignored: ${ignored.join(", ")}]`;
    return `The user approved${plan === undefined ? "" : " the plan"}: plan mode is off, tools ` +
      `may change things again${allowed}${note}`;
  },
});

type Prompts = readonly { tool: string; prompt: string }[];

function listOf(prompts: Prompts): string {
  return prompts.map(({ tool, prompt }) => `- ${tool}: ${prompt}`).join("\n");
}

/** The plan comes before the question, so that the question is next to its answers. */
function questionOf(plan: string | undefined, prompts: Prompts): string {
  const needs = prompts.length === 0 ? [] : [`What it needs to be allowed:\n${listOf(prompts)}`];
  return [...(plan === undefined ? [] : [plan.trim()]), ...needs, "Leave plan mode?"].join("\n\n");
}
