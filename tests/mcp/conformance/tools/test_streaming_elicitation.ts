import { diagnosticTool, form } from "../diagnostic_tool.ts";

export default diagnosticTool(
  "test_streaming_elicitation",
  ["client"],
  async (ctx) =>
    JSON.stringify(await ctx.client.request({ name: form("Your name?", "name", "string") })),
);
