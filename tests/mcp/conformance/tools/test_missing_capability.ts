import { diagnosticTool, sampling } from "../diagnostic_tool.ts";

export default diagnosticTool(
  "test_missing_capability",
  ["client"],
  async (ctx) => JSON.stringify(await ctx.client.request({ greeting: sampling("Greet me", 50) })),
);
