import { diagnosticTool, form } from "../diagnostic_tool.ts";

export default diagnosticTool(
  "test_input_required_result_elicitation",
  ["client"],
  async (ctx) => {
    const user_name = form("What is your name?", "name", "string");
    const answers = await ctx.client.request({ user_name });
    return `Hello, ${JSON.stringify(answers["user_name"])}!`;
  },
);
