import { diagnosticTool, form } from "../diagnostic_tool.ts";

export default diagnosticTool(
  "test_input_required_result_multi_round",
  ["client"],
  async (ctx) => {
    const step1 = form("Step 1: What is your name?", "name", "string");
    const first = await ctx.client.request({ step1 });
    const step2 = form("Step 2: What is your favorite color?", "color", "string");
    return JSON.stringify({ ...first, ...await ctx.client.request({ step2 }) });
  },
);
