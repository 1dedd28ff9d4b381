import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { modelNeeds } from "../src/toolkit/llm/models.ts";

/** Tools that an unattended agent must not call: other agents, questions to the user, settings. */
const notForAgents: readonly string[] = ["Agent", "AskUserQuestion", "Config", "ExitPlanMode"];

export default defineTool({
  name: "Agent",
  aliases: ["Task"],
  title: "Run a subagent",
  description:
    "Gives a task to an agent of its own: the configured model works on it with the tools of this program, under the flags of this call and never more, until it is done or the turns are used up. It sees nothing of the caller's conversation, so the prompt has to say everything. The result is the agent's last message and its id, with which resume goes on with its conversation (kept for 30 days); its errors name the id too. Of a long conversation the oldest tool outputs are left out, which it is told. Calls that only read run at the same time",
  category: "agent",
  sideEffect: "spawns",
  optionality: "conditional",
  usageHint: "For a task of many steps whose intermediate results need not be seen",
  uses: ["store", "settings", "call"],
  requires: ["model", "state"],
  background: true,
  inputSchema: {
    type: "object",
    properties: {
      description: { type: "string", description: "What the task is, in three to five words" },
      prompt: { type: "string", description: "The task, with all that is needed", minLength: 1 },
      subagent_type: {
        type: "string",
        description:
          "general-purpose has every tool, explore and plan only those that change nothing; any other type is told to the agent and has every tool",
        minLength: 1,
        maxLength: 200,
        default: "general-purpose",
      },
      model: {
        type: "string",
        description:
          "The model that the setting model.sonnet, model.opus, model.haiku or model.fable names, rather than model.default",
        enum: ["sonnet", "opus", "haiku", "fable"],
      },
      resume: {
        type: "string",
        description: "The id of an earlier agent of this session, to go on with its conversation",
        minLength: 1,
      },
      run_in_background: {
        type: "boolean",
        description: "Answer at once with the id of a background task",
        default: false,
      },
      max_turns: {
        type: "integer",
        description: "How often the model is asked at most",
        minimum: 1,
        default: 50,
      },
      name: { type: "string", description: "The agent's name, which it is told", maxLength: 200 },
      team_name: { type: "string", description: "The team that it belongs to", maxLength: 200 },
      mode: {
        type: "string",
        description:
          "plan leaves only the tools that read; any other value is ignored, and the flags decide",
      },
      effort: {
        type: "string",
        description: "Ignored: the endpoint decides how much the model reasons",
        enum: ["low", "medium", "high", "xhigh", "max"],
      },
      isolation: {
        type: "string",
        description: "Ignored: the agent works in the working directory itself",
        enum: ["worktree", "remote"],
      },
    },
    required: ["description", "prompt"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Without a model, the error says how to configure one",
      input: {
        description: "Find the entry point",
        prompt: "Which file is the entry point of this project, and what does it import?",
        subagent_type: "explore",
      },
      expect: '"setting":"model.endpoint"',
      isError: true,
    },
    {
      description: "A plan by a certain model",
      input: {
        description: "Plan the renaming",
        prompt: "How can the function add in src/math.ts be renamed to sum?",
        subagent_type: "plan",
        model: "opus",
        max_turns: 10,
      },
      expect: "No model is configured",
      isError: true,
    },
  ],
  ignores: ["effort", "isolation"],
  permissions: { kinds: ["net"], needs: (_args, _cwd, settings) => modelNeeds(settings) },
  timeoutMs: 1_800_000,
  async run(
    { prompt, subagent_type, model, resume, mode, name, team_name, max_turns, ...rest },
    ctx,
  ) {
    const { knownType, systemPrompt } = await import("../src/toolkit/llm/prompts.ts");
    const { runAgent } = await import("../src/toolkit/llm/run_agent.ts");
    const type = knownType(subagent_type);
    const onlyReads = mode === "plan" || type === "explore" || type === "plan";
    const { text, data } = await runAgent(ctx, {
      ...{ prompt, model, resume },
      system: systemPrompt({
        ...{ type: subagent_type, plans: mode === "plan", onlyReads },
        ...{ cwd: ctx.cwd, name, team: team_name },
      }),
      maxTurns: max_turns,
      has: (tool) => !notForAgents.includes(tool.name) && (!onlyReads || tool.readOnly),
    });
    const note = rest.isolation === undefined
      ? ""
      : "\n[isolation was ignored: the agent worked in the working directory itself]";
    return withDataIfWanted(ctx, text + note, () => data);
  },
});
