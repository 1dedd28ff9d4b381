import { diagnosticTool, form, sampling } from "../diagnostic_tool.ts";

export default diagnosticTool(
  "test_input_required_result_multiple_inputs",
  ["client"],
  async (ctx) =>
    JSON.stringify(
      await ctx.client.request({
        user_name: form("What is your name?", "name", "string"),
        greeting: sampling("Generate a greeting", 50),
        client_roots: { method: "roots/list", params: {} },
      }),
    ),
);
