import { diagnosticTool } from "../diagnostic_tool.ts";

export default diagnosticTool(
  "test_input_required_result_list_roots",
  ["client"],
  async (ctx) =>
    JSON.stringify(
      await ctx.client.request({ client_roots: { method: "roots/list", params: {} } }),
    ),
);
